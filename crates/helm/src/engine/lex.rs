//! Splits a template into text and the tokens of its actions, with white space trimmed where markers say so.

use smol_str::SmolStr;

/// Maximum number of tokens in a file.
const MAX_TOKENS: usize = 1_000_000;

#[derive(Debug, Clone, PartialEq)]
pub enum TokenKind {
    Text(SmolStr),
    /// `{{`.
    Open,
    /// `}}`.
    Close,
    Space,
    Dot,
    /// `.name`.
    Field(SmolStr),
    /// `$name`; the name is empty for `$`.
    Variable(SmolStr),
    /// A keyword or the name of a function.
    Word(SmolStr),
    Quoted(SmolStr),
    Int(i64),
    Float(f64),
    Declare,
    Assign,
    Pipe,
    Left,
    Right,
    Comma,
    End,
}

#[derive(Debug, Clone)]
pub struct LexedToken {
    pub kind: TokenKind,
    pub at: u32,
    pub end: u32,
}

/// An error with its position.
#[derive(Debug)]
pub struct SyntaxError {
    pub message: String,
    pub at: u32,
}

fn error(at: usize, message: impl Into<String>) -> SyntaxError {
    SyntaxError {
        message: message.into(),
        at: at as u32,
    }
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Where an action begins. Most braces in templates come in pairs, so that looking for one is faster than for two.
fn find_open(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('{')?;
        if text.as_bytes().get(at + 1) == Some(&b'{') {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The tokens of a template, ending with `End`.
pub fn lex(text: &str) -> Result<Vec<LexedToken>, SyntaxError> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::new(),
    };
    lexer.run()?;
    lexer.push(TokenKind::End, text.len());
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<LexedToken>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(LexedToken {
            kind,
            at: start as u32,
            end: self.at as u32,
        });
    }

    fn run(&mut self) -> Result<(), SyntaxError> {
        let mut trims = false;
        loop {
            let start = self.at;
            let rest = &self.text[start..];
            let open = find_open(rest);
            let mut text = &rest[..open.unwrap_or(rest.len())];
            let mut text_start = start;
            if trims {
                let trimmed = text.trim_start_matches(SPACES);
                text_start += text.len() - trimmed.len();
                text = trimmed;
            }
            let Some(open) = open else {
                self.at = self.text.len();
                self.text_token(text, text_start);
                return Ok(());
            };
            let after = start + open + 2;
            let is_trimmed = self.bytes.get(after) == Some(&b'-')
                && self.bytes.get(after + 1).copied().is_some_and(is_space);
            if is_trimmed {
                text = text.trim_end_matches(SPACES);
            }
            self.at = start + open;
            self.text_token(text, text_start);
            let inside = if is_trimmed { after + 2 } else { after };
            trims = if self.text[inside..].starts_with("/*") {
                self.comment(inside)?
            } else {
                let start = self.at;
                self.at = inside;
                self.push(TokenKind::Open, start);
                self.action()?
            };
            if self.tokens.len() > MAX_TOKENS {
                return Err(error(self.at, "the template is too large"));
            }
        }
    }

    fn text_token(&mut self, text: &str, start: usize) {
        if !text.is_empty() {
            self.push(TokenKind::Text(text.into()), start);
        }
    }

    /// Skips a comment; returns whether the text after it is trimmed.
    fn comment(&mut self, start: usize) -> Result<bool, SyntaxError> {
        let Some(end) = self.text[start..].find("*/") else {
            return Err(error(start, "unclosed comment"));
        };
        let after = start + end + 2;
        let rest = &self.text[after..];
        if rest.starts_with("}}") {
            self.at = after + 2;
            return Ok(false);
        }
        let is_trimmed =
            rest.as_bytes().first().copied().is_some_and(is_space) && rest[1..].starts_with("-}}");
        if is_trimmed {
            self.at = after + 4;
            return Ok(true);
        }
        Err(error(start, "comment ends before closing delimiter"))
    }

    /// The tokens of an action; returns whether the text after it is trimmed.
    fn action(&mut self) -> Result<bool, SyntaxError> {
        let mut depth = 0usize;
        loop {
            let start = self.at;
            let rest = &self.bytes[start..];
            let is_trimmed = rest.first().copied().is_some_and(is_space)
                && rest.get(1..).is_some_and(|rest| rest.starts_with(b"-}}"));
            if is_trimmed || rest.starts_with(b"}}") {
                if depth > 0 {
                    return Err(error(start, "unclosed left paren"));
                }
                self.at = start + if is_trimmed { 4 } else { 2 };
                self.push(TokenKind::Close, start);
                return Ok(is_trimmed);
            }
            let Some(byte) = rest.first().copied() else {
                return Err(error(start, "unclosed action"));
            };
            match byte {
                byte if is_space(byte) => self.spaces(),
                b'(' => {
                    depth += 1;
                    self.sign(TokenKind::Left, 1);
                }
                b')' => {
                    let Some(outer) = depth.checked_sub(1) else {
                        return Err(error(start, "unexpected right paren"));
                    };
                    depth = outer;
                    self.sign(TokenKind::Right, 1);
                }
                b'|' => self.sign(TokenKind::Pipe, 1),
                b',' => self.sign(TokenKind::Comma, 1),
                b'=' => self.sign(TokenKind::Assign, 1),
                b':' if rest.get(1) == Some(&b'=') => self.sign(TokenKind::Declare, 2),
                b':' => return Err(error(start, "expected :=")),
                b'"' => self.quoted()?,
                b'`' => self.raw()?,
                b'\'' => self.character()?,
                b'$' => {
                    self.at += 1;
                    let name = self.word();
                    self.push(TokenKind::Variable(name), start);
                }
                b'.' if !rest.get(1).is_some_and(u8::is_ascii_digit) => {
                    self.at += 1;
                    let name = self.word();
                    let kind = if name.is_empty() {
                        TokenKind::Dot
                    } else {
                        TokenKind::Field(name)
                    };
                    self.push(kind, start);
                }
                b'+' | b'-' | b'.' | b'0'..=b'9' => self.number()?,
                _ => {
                    let word = self.word();
                    if word.is_empty() {
                        let found = self.text[start..].chars().next().unwrap_or_default();
                        let message = format!("unexpected {found:?} in command");
                        return Err(error(start, message));
                    }
                    self.push(TokenKind::Word(word), start);
                }
            }
        }
    }

    fn sign(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
    }

    fn spaces(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at).copied().is_some_and(is_space) {
            // ` -}}` ends the action, so its space is left.
            if self.at > start && self.bytes[self.at + 1..].starts_with(b"-}}") {
                break;
            }
            self.at += 1;
        }
        self.push(TokenKind::Space, start);
    }

    fn word(&mut self) -> SmolStr {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c == '_' || c.is_alphanumeric()));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word.into()
    }

    fn quoted(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'\\') => at += 2,
                Some(b'"') => break,
                None | Some(b'\n') => return Err(error(start, "unterminated quoted string")),
                Some(_) => at += 1,
            }
        }
        let inside = self.text.get(start + 1..at);
        let text = inside.and_then(unquoted);
        let text = text.ok_or_else(|| error(start, "invalid syntax"))?;
        self.at = at + 1;
        self.push(TokenKind::Quoted(text.into()), start);
        Ok(())
    }

    fn raw(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let Some(length) = self.text[start + 1..].find('`') else {
            return Err(error(start, "unterminated raw quoted string"));
        };
        self.at = start + length + 2;
        let text = self.text[start + 1..start + 1 + length].replace('\r', "");
        self.push(TokenKind::Quoted(text.into()), start);
        Ok(())
    }

    fn character(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let bad = || error(start, "malformed character constant");
        let mut at = start + 1;
        while let Some(byte) = self.bytes.get(at).filter(|byte| **byte != b'\'') {
            at += if *byte == b'\\' { 2 } else { 1 };
        }
        let inside = self.text.get(start + 1..at).ok_or_else(bad)?;
        if at >= self.bytes.len() {
            return Err(error(start, "unterminated character constant"));
        }
        let inside = inside.replace("\\'", "'");
        let text = unquoted(&inside).ok_or_else(bad)?;
        let code = text.chars().next().ok_or_else(bad)?;
        self.at = at + 1;
        self.push(TokenKind::Int(i64::from(u32::from(code))), start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let is_part = |at: usize| {
            let byte = self.bytes.get(at).copied().unwrap_or_default();
            let is_sign = matches!(byte, b'+' | b'-');
            let follows_exponent = at > start
                && if self.text[start..].starts_with("0x") {
                    matches!(self.bytes[at - 1], b'p' | b'P')
                } else {
                    matches!(self.bytes[at - 1], b'e' | b'E')
                };
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.')
                || is_sign && (at == start || follows_exponent)
        };
        let end = (start..).find(|at| !is_part(*at)).unwrap_or(start);
        let text = &self.text[start..end];
        self.at = end;
        let kind = number(text);
        let kind = kind.ok_or_else(|| error(start, format!("bad number syntax: {text:?}")))?;
        self.push(kind, start);
        Ok(())
    }
}

/// A number in Go's syntax.
fn number(text: &str) -> Option<TokenKind> {
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.as_bytes().first()? {
        b'-' => (true, &plain[1..]),
        b'+' => (false, &plain[1..]),
        _ => (false, plain.as_str()),
    };
    let (radix, inner) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if let Ok(value) = i64::from_str_radix(inner, radix) {
        return Some(TokenKind::Int(if negative { -value } else { value }));
    }
    if radix == 16 && inner.contains(['p', 'P']) {
        return hexadecimal_float(inner)
            .map(|value| TokenKind::Float(if negative { -value } else { value }));
    }
    let value: f64 = plain.parse().ok()?;
    let is_numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // Go treats a float that is a whole number as usable as an integer only if it has no point or exponent.
    is_numeric.then_some(TokenKind::Float(value))
}

/// `1.8p3`, after its prefix.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let shift = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    Some(digits as f64 * 2f64.powi(exponent.checked_sub(shift)?))
}

/// The text of a quoted string, without its quotes.
pub fn unquoted(inside: &str) -> Option<String> {
    let mut bytes: Vec<u8> = Vec::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let simple = match characters.next()? {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            '\\' => b'\\',
            '"' => b'"',
            '\'' => b'\'',
            'x' => u8::try_from(code(&mut characters, 2, 16)?).ok()?,
            kind @ ('u' | 'U') => {
                let length = if kind == 'u' { 4 } else { 8 };
                let c = char::from_u32(code(&mut characters, length, 16)?)?;
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
                continue;
            }
            first @ '0'..='7' => {
                let first = first.to_digit(8)?;
                u8::try_from(first * 64 + code(&mut characters, 2, 8)?).ok()?
            }
            _ => return None,
        };
        bytes.push(simple);
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn code(characters: &mut std::str::Chars, length: usize, radix: u32) -> Option<u32> {
    let mut value = 0u32;
    for _ in 0..length {
        let digit = characters.next()?.to_digit(radix)?;
        value = value.checked_mul(radix)?.checked_add(digit)?;
    }
    Some(value)
}
