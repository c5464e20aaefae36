//! Documents that are made once and sent many times: each is compressed when it is first asked for in that coding,
//! and never again. Answers that belong to one caller are not compressed.

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::HeaderMap;

use super::accept::{self, GZIP};

/// A smaller document gains nothing: it is sent in one packet anyway.
const MIN_BYTES: usize = 1_024;

/// The effort of brotli, of 11: more takes much longer and saves little.
const BROTLI_QUALITY: u32 = 9;

/// The memory that brotli searches, as a power of two; that of its command line.
const BROTLI_WINDOW: u32 = 22;

/// A document in each coding.
#[derive(Debug, Clone)]
pub struct Encoded(Arc<Codings>);

#[derive(Debug)]
struct Codings {
    plain: Bytes,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    Brotli,
}

impl Coding {
    pub(super) const ALL: [Coding; 2] = [Coding::Gzip, Coding::Brotli];

    /// Its name in headers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Brotli => "br",
        }
    }
}

impl From<Bytes> for Encoded {
    fn from(plain: Bytes) -> Encoded {
        Encoded(Arc::new(Codings { plain, gzip: OnceLock::new(), brotli: OnceLock::new() }))
    }
}

impl From<&'static [u8]> for Encoded {
    fn from(plain: &'static [u8]) -> Encoded {
        Bytes::from_static(plain).into()
    }
}

impl From<String> for Encoded {
    /// Without the room that the text has left: documents are kept.
    fn from(plain: String) -> Encoded {
        Bytes::from(plain.into_bytes().into_boxed_slice()).into()
    }
}

impl Encoded {
    /// Whether clients get it in different codings.
    pub(super) fn varies(&self) -> bool {
        self.0.plain.len() >= MIN_BYTES
    }

    /// The coding that a client prefers; none if it takes none.
    pub(super) fn coding(&self, headers: &HeaderMap) -> Option<Coding> {
        Encoded::preferred(headers).filter(|_| self.varies())
    }

    /// The document in a coding.
    pub(super) fn in_coding(&self, coding: Option<Coding>) -> Bytes {
        let Codings { plain, gzip, brotli } = &*self.0;
        match coding {
            None => plain.clone(),
            Some(Coding::Gzip) => {
                gzip.get_or_init(|| gzipped(&**plain, Compression::best()).unwrap_or_default()).clone()
            }
            Some(Coding::Brotli) => brotli.get_or_init(|| brotlied(plain)).clone(),
        }
    }

    /// The best coding that `accept-encoding` allows: brotli, unless gzip is preferred to it.
    pub(super) fn preferred(headers: &HeaderMap) -> Option<Coding> {
        accept::coding(headers, &[(Coding::Brotli, &["br"]), (Coding::Gzip, GZIP)])
    }
}

/// What is read, compressed in memory. Only reading can fail.
pub(super) fn gzipped(mut plain: impl Read, level: Compression) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    io::copy(&mut plain, &mut encoder)?;
    Ok(encoder.finish()?.into())
}

fn brotlied(plain: &[u8]) -> Bytes {
    let mut out = Vec::new();
    let mut encoder =
        brotli::CompressorWriter::new(&mut out, plain.len().max(1), BROTLI_QUALITY, BROTLI_WINDOW);
    // writing to memory cannot fail
    let _ = encoder.write_all(plain);
    drop(encoder);
    out.into()
}

#[cfg(test)]
mod tests {
    use hyper::header::{ACCEPT_ENCODING, HeaderValue};

    use super::*;

    #[test]
    fn the_coding_is_the_one_that_the_client_prefers() {
        for (accepted, expected) in [
            ("gzip, deflate, br, zstd", Some(Coding::Brotli)),
            ("gzip", Some(Coding::Gzip)),
            ("GZIP;q=1.0, br;q=0.5", Some(Coding::Gzip)),
            ("br;q=0, gzip", Some(Coding::Gzip)),
            ("br;Q=0, gzip", Some(Coding::Gzip)),
            ("br ; q = 0, gzip", Some(Coding::Gzip)),
            ("*", Some(Coding::Brotli)),
            ("*;q=0", None),
            ("br;q=0, *", Some(Coding::Gzip)),
            ("identity", None),
            ("br;q=x", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(Encoded::preferred(&headers), expected, "{accepted}");
        }
        assert_eq!(Encoded::preferred(&HeaderMap::new()), None);
    }

    #[test]
    fn every_coding_holds_the_same_document() {
        let text = "a guide to Brasília ".repeat(500);
        let document = Encoded::from(text.clone());
        let mut unzipped = String::new();
        let gzip = document.in_coding(Some(Coding::Gzip));
        flate2::read::GzDecoder::new(&*gzip).read_to_string(&mut unzipped).expect("gzip");
        let mut unpacked = String::new();
        let brotli = document.in_coding(Some(Coding::Brotli));
        brotli::Decompressor::new(&*brotli, 4_096).read_to_string(&mut unpacked).expect("brotli");
        assert_eq!((&unzipped, &unpacked), (&text, &text));
        assert!(gzip.len() * 10 < text.len() && brotli.len() * 10 < text.len());
    }
}
