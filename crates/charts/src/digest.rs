//! SHA-256 digests, which name archives and tell whether one was changed.

use std::fmt;

use sha2::{Digest, Sha256};

/// A SHA-256 digest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(String);

impl ContentDigest {
    pub fn of(bytes: &[u8]) -> ContentDigest {
        ContentDigest(base::text::hex(&Sha256::digest(bytes)))
    }

    /// Reads `sha256:…`.
    pub fn parse(text: &str) -> Option<ContentDigest> {
        ContentDigest::from_hex(text.strip_prefix("sha256:")?)
    }

    /// Reads the digits alone, as the index of a repository has them.
    pub fn from_hex(text: &str) -> Option<ContentDigest> {
        let is_digit = |byte: u8| byte.is_ascii_hexdigit();
        let is_digest = text.len() == 64 && text.bytes().all(is_digit);
        is_digest.then(|| ContentDigest(text.to_ascii_lowercase()))
    }

    /// The digits.
    pub fn hex(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}
