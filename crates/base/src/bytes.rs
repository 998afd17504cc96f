//! Search for single bytes, without allocating. Most texts are short and contain none of them, so they are compared in
//! chunks that a processor handles at once.

/// Whether any byte is wanted. Pass a test of a few comparisons with constants, so that it is vectorised.
#[inline]
pub fn any(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> bool {
    // The last chunk overlaps the one before, so that no bytes are left over.
    if let Some(last) = bytes.last_chunk::<16>() {
        let (chunks, _) = bytes.as_chunks::<16>();
        return chunks.iter().any(|chunk| any_in(chunk, &is_wanted)) || any_in(last, &is_wanted);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return any_in(first, &is_wanted) | any_in(last, &is_wanted);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return any_in(first, &is_wanted) | any_in(last, &is_wanted);
    }
    bytes.iter().any(|byte| is_wanted(*byte))
}

/// Position of the first byte that is one of two. The only use of the library that searches long texts.
#[inline]
pub fn either(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(one, other, bytes)
}

/// Position of the first occurrence of some bytes.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

/// Has no branch per byte, so that all are compared at once.
#[inline]
fn any_in<const N: usize>(chunk: &[u8; N], is_wanted: &impl Fn(u8) -> bool) -> bool {
    chunk.iter().fold(false, |any, byte| any | is_wanted(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands() {
        let is_wanted = |byte: u8| matches!(byte, b'$' | b'.');
        for length in 0..70 {
            let mut text = vec![b'a'; length];
            assert!(!any(&text, is_wanted));
            assert_eq!(either(b'$', b'.', &text), None);
            for at in 0..length {
                text[at] = b'.';
                assert!(any(&text, is_wanted), "{at} of {length}");
                assert_eq!(either(b'$', b'.', &text), Some(at));
                text[at] = b'a';
            }
        }
    }
}
