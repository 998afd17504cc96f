//! Values as JavaScript: JSON, with everything escaped that could end a script or a line of it.
//! Works on bytes, and knows nothing of what they are for.

/// Appends `text` as a string literal. An object's key may be one too, since no term is `__proto__`, the one key that
/// would mean something else.
pub fn push_string(script: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut done = 0;
    script.push(b'"');
    for (at, &byte) in bytes.iter().enumerate() {
        let code = match byte {
            b'"' | b'\\' | b'<' | b'>' | 0..0x20 | 0x7f => u32::from(byte),
            // U+2028 and U+2029 end a line of a script.
            0xe2 if bytes[at..].starts_with(b"\xe2\x80\xa8") => 0x2028,
            0xe2 if bytes[at..].starts_with(b"\xe2\x80\xa9") => 0x2029,
            _ => continue,
        };
        script.extend_from_slice(&bytes[done..at]);
        script.extend_from_slice(format!("\\u{code:04x}").as_bytes());
        done = at + if code < 0x80 { 1 } else { 3 };
    }
    script.extend_from_slice(&bytes[done..]);
    script.push(b'"');
}

/// Appends `number` in decimal; there are hundreds of thousands of them, which `write!` would make felt.
pub fn push_number(script: &mut Vec<u8>, number: usize) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        // A remainder of ten is a digit, so nothing is lost.
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    script.extend_from_slice(&digits[start..]);
}
