//! The line ends of request heads.
//!
//! Hyper ends a line at a bare LF too. A proxy may not, and pass on as one header what hyper would read as two, or as
//! the end of the head. Hyper has no setting for it and does not show the bytes of a head, so they are checked while
//! they arrive: [`Framing`] follows where each request begins and ends, also of requests that arrive together.

use memchr::memchr_iter;

/// Where the bytes of a connection are in its requests.
#[derive(Debug)]
pub(super) struct Framing {
    part: Part,
    /// What has arrived after a complete head: how it goes on is known when hyper has read the head.
    rest: Vec<u8>,
    line: Line,
    /// Whether a line of the head has ended. Empty lines before a head do not belong to it.
    has_begun: bool,
    has_bare_lf: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    /// A complete head that hyper has not reported yet.
    HeadComplete,
    Body {
        left: u64,
    },
    /// The line before a chunk.
    ChunkSize {
        size: u64,
        /// Whether the digits of the size are complete.
        is_read: bool,
    },
    /// A chunk and the line end after it.
    Chunk {
        left: u64,
    },
    /// The lines after the last chunk.
    Trailers,
}

/// The line that is arriving.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    length: usize,
    ends_in_cr: bool,
}

impl Framing {
    pub(super) fn new() -> Framing {
        Framing {
            part: Part::Head,
            rest: Vec::new(),
            line: Line::default(),
            has_begun: false,
            has_bare_lf: false,
        }
    }

    /// Follows bytes that have arrived.
    pub(super) fn receive(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let used = match self.part {
                Part::Head | Part::Trailers => self.lines(bytes),
                Part::HeadComplete => {
                    self.rest.extend_from_slice(bytes);
                    bytes.len()
                }
                Part::Body { left } => self.skip(bytes, left, |left| Part::Body { left }, Part::Head),
                Part::Chunk { left } => {
                    let next = Part::ChunkSize { size: 0, is_read: false };
                    self.skip(bytes, left, |left| Part::Chunk { left }, next)
                }
                Part::ChunkSize { size, is_read } => self.chunk_size(bytes[0], size, is_read),
            };
            bytes = bytes.get(used..).unwrap_or_default();
        }
    }

    /// Hyper has read a head, and knows the length of the body unless it is chunked. Returns whether every line of the
    /// head ended in CR LF.
    pub(super) fn head_is_read(&mut self, body_length: Option<u64>) -> bool {
        let is_valid = self.part == Part::HeadComplete && !self.has_bare_lf;
        self.has_begun = false;
        self.part = match body_length {
            Some(0) => Part::Head,
            Some(left) => Part::Body { left },
            None => Part::ChunkSize { size: 0, is_read: false },
        };
        let rest = std::mem::take(&mut self.rest);
        self.receive(&rest);
        is_valid
    }

    /// Whether the body of the request that was read last has arrived whole.
    pub(super) fn has_whole_body(&self) -> bool {
        matches!(self.part, Part::Head | Part::HeadComplete)
    }

    /// Reads the lines of a head, or those after the last chunk, to the empty line at their end. Returns how many bytes
    /// belong to them.
    fn lines(&mut self, bytes: &[u8]) -> usize {
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            let length = self.line.length + end - start;
            let ends_in_cr = if end > start { bytes[end - 1] == b'\r' } else { self.line.ends_in_cr };
            self.line = Line::default();
            start = end + 1;
            if self.part == Part::Trailers {
                if length <= usize::from(ends_in_cr) {
                    self.part = Part::Head;
                    return start;
                }
                continue;
            }
            self.has_bare_lf |= !ends_in_cr;
            if length > usize::from(ends_in_cr) {
                self.has_begun = true;
            } else if self.has_begun {
                self.part = Part::HeadComplete;
                return start;
            }
        }
        if let Some(last) = bytes[start..].last() {
            self.line.length += bytes.len() - start;
            self.line.ends_in_cr = *last == b'\r';
        }
        bytes.len()
    }

    /// Skips bytes of a part of which some are left. Returns how many.
    fn skip(&mut self, bytes: &[u8], left: u64, go_on: impl Fn(u64) -> Part, next: Part) -> usize {
        let used = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let left = left - used as u64;
        self.part = if left == 0 { next } else { go_on(left) };
        used
    }

    /// Reads a byte of the line before a chunk.
    fn chunk_size(&mut self, byte: u8, size: u64, is_read: bool) -> usize {
        let digit = char::from(byte).to_digit(16).filter(|_| !is_read);
        self.part = match (byte, digit) {
            (b'\n', _) if size == 0 => Part::Trailers,
            (b'\n', _) => Part::Chunk { left: size.saturating_add(2) },
            // hyper refuses a size that does not fit
            (_, Some(digit)) => {
                Part::ChunkSize { size: size.saturating_mul(16).saturating_add(digit.into()), is_read }
            }
            _ => Part::ChunkSize { size, is_read: true },
        };
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the heads of requests are valid, of bytes that arrive in pieces of this size. Each request is given with
    /// the length of its body.
    fn heads(requests: &[(&str, Option<u64>)], piece: usize) -> Vec<bool> {
        let mut framing = Framing::new();
        let mut bodies = requests.iter().map(|(_, length)| *length);
        let mut valid = Vec::new();
        let all: Vec<u8> = requests.iter().flat_map(|(bytes, _)| bytes.bytes()).collect();
        for bytes in all.chunks(piece) {
            framing.receive(bytes);
            while framing.part == Part::HeadComplete {
                valid.push(framing.head_is_read(bodies.next().expect("a request")));
            }
        }
        valid
    }

    #[test]
    fn bare_lf_is_found_in_heads_alone() {
        let good = [
            ("GET / HTTP/1.1\r\nhost: a\r\n\r\n", Some(0)),
            ("\r\n\r\nPOST / HTTP/1.1\r\n\r\n{\n\n\"a\":\r\n\r\n1}\n", Some(14)),
            ("POST / HTTP/1.1\r\nx: y\r\n\r\n", Some(0)),
            (
                "POST / HTTP/1.1\r\n\r\n4;x=\"0a\"\r\n\n\n\n\n\r\n0A\r\n0123\n56789\r\n000\r\na: b\r\n\r\n",
                None,
            ),
            ("POST / HTTP/1.1\r\n\r\n3\r\na\nb\r\n0\r\n\r\n", None),
            ("GET / HTTP/1.1\r\n\r\n", Some(0)),
        ];
        let bad = [
            "GET / HTTP/1.1\nhost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a\nx: b\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a\r\n\n",
            "\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a\r\r\n\n\r\n",
        ];
        for piece in 1..120 {
            assert_eq!(heads(&good, piece), [true; 6], "{piece}");
            for last in bad {
                let all = [&good[..], &[(last, Some(0))]].concat();
                assert_eq!(
                    heads(&all, piece),
                    [true, true, true, true, true, true, false],
                    "{piece} {last:?}"
                );
            }
        }
    }

    #[test]
    fn a_head_that_ends_for_hyper_alone_is_invalid() {
        let mut framing = Framing::new();
        framing.receive(b"GET / HTTP/1.1\n\nGET /");
        assert!(!framing.head_is_read(Some(0)));
    }
}
