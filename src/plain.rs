//! JSON as it is mostly written: objects of texts without escapes and of whole numbers. It is on the way of every
//! request, and read here in a third of the time that a reader of everything takes. Whatever is not so plain, and
//! whatever is wrong, is nothing ([`None`]) here, and left to serde_json: what both read they read alike (held by tests).
//! Uses no other room.

/// Objects within objects, beyond which nothing is plain.
const DEEPEST: usize = 8;

/// What is left to read of a JSON text.
pub struct Plain<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Plain<'a> {
    /// Reads a whole text with `value`.
    pub fn read<T>(text: &'a str, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut plain = Self { text, at: 0 };
        let value = value(&mut plain)?;
        plain.peek().is_none().then_some(value)
    }

    /// The byte that comes next, blanks left aside.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// A text.
    #[inline]
    pub fn text(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let (start, bytes) = (self.at, self.text.as_bytes());
        let end = start + plain_bytes(&bytes[start..]);
        self.at = end + 1;
        (*bytes.get(end)? == b'"').then(|| &self.text[start..end])
    }

    /// A text or a whole number, as it is written.
    #[inline]
    pub fn written(&mut self) -> Option<&'a str> {
        if self.peek()? == b'"' {
            let start = self.at;
            return self.text().map(|_| &self.text[start..self.at]);
        }
        let rest = &self.text[self.at..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let whole = count > 0
            && (count == 1 || !digits.starts_with('0'))
            && !matches!(digits.as_bytes().get(count), Some(b'.' | b'e' | b'E'));
        let length = rest.len() - digits.len() + count;
        self.at += length;
        whole.then(|| &rest[..length])
    }

    /// A whole number that fits 64 bits; not the zero below zero, which is none to serde_json.
    #[inline]
    pub fn integer(&mut self) -> Option<i64> {
        self.written().filter(|written| *written != "-0")?.parse().ok()
    }

    /// The fields of an object, in order: `field` is given the name of each and must read its value.
    #[inline]
    pub fn object(&mut self, mut field: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            let name = self.text()?;
            self.eat(b':')?;
            field(self, name)?;
            match self.peek()? {
                b',' => self.at += 1,
                _ => return self.eat(b'}'),
            }
        }
    }

    /// Passes over a text, a whole number, a literal or an object of such.
    pub fn skip(&mut self) -> Option<()> {
        self.skip_within(DEEPEST)
    }

    fn skip_within(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(|plain, _| plain.skip_within(depth.checked_sub(1)?)),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.written().map(drop),
        }
    }

    fn literal(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| self.at += word.len())
    }
}

/// How many bytes there are before the first that ends a text or is not plain in one: a quote, a backslash, a control
/// character. They are looked for eight at a time.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // of each, the lowest top bit that is set is that of the first such byte
    let less = |word: u64, than: u8| word.wrapping_sub(ONES * u64::from(than)) & !word & TOPS;
    let equal = |word: u64, byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let found = less(word, b' ') | equal(word, b'"') | equal(word, b'\\');
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + bytes[at..].iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..b' ')).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn value(plain: &mut Plain) -> Option<Value> {
        match plain.peek()? {
            b'{' => {
                let mut object = serde_json::Map::new();
                plain.object(|plain, name| {
                    object.insert(name.to_owned(), value(plain)?);
                    Some(())
                })?;
                Some(Value::Object(object))
            }
            b'"' => plain.text().map(Value::from),
            _ => plain.integer().map(Value::from),
        }
    }

    /// Written by somebody who knows JSON's signs and not its rules.
    fn scribbled() -> impl Strategy<Value = String> {
        let sign = prop::sample::select(vec![
            "-0", "{", "}", "\"", ":", ",", " ", "\n", "a", "é", "\\", "\\\"", "0", "7", "-", ".", "e", "[",
            "]", "null", "\"a\"", "\"a\":", "12", "{}", "\u{1}", "true", "nul",
        ]);
        prop::collection::vec(sign, 0..14).prop_map(|signs| signs.concat())
    }

    proptest! {
        #[test]
        fn what_is_read_is_read_as_serde_reads_it(inside in scribbled()) {
            for text in [format!("{{\"a\":{inside}}}"), format!("{{{inside}}}"), inside] {
                let skipped = Plain::read(&text, Plain::skip).is_some();
                match Plain::read(&text, value) {
                    Some(read) => {
                        prop_assert_eq!(Some(read), serde_json::from_str(&text).ok(), "{}", text);
                        prop_assert!(skipped, "{}", text);
                    }
                    // here only are literals, and numbers that are too large, no values
                    None if skipped => prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{}", text),
                    None => {}
                }
            }
        }

        #[test]
        fn plain_objects_are_read(
            fields in prop::collection::vec(("[a-zé_/.]{0,9}", any::<i64>(), "[ -!#-\\[\\]-~ç]{0,20}"), 0..6),
        ) {
            let mut object = serde_json::Map::new();
            for (name, number, text) in fields {
                object.insert(format!("{name}n"), number.into());
                object.insert(format!("{name}t"), text.into());
            }
            let object = Value::Object(object);
            for text in [object.to_string(), format!(" {object:#}\r\n")] {
                prop_assert_eq!(Plain::read(&text, value), Some(object.clone()));
                prop_assert_eq!(Plain::read(&text, Plain::skip), Some(()));
            }
        }
    }

    #[test]
    fn what_is_deep_is_left_to_others() {
        let deep = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert_eq!(Plain::read(&deep(DEEPEST), Plain::skip), Some(()));
        assert_eq!(Plain::read(&deep(DEEPEST + 1), Plain::skip), None);
        assert_eq!(Plain::read(&deep(100_000), Plain::skip), None);
    }
}
