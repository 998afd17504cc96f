//! Splits a template into text and actions, and actions into tokens.

use smol_str::SmolStr;

use super::Fault;

/// A piece of a template, with the line it begins on.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplatePiece<'t> {
    Text(&'t str, u32),
    Action(Vec<Token>, u32),
}

/// A token of an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name: of a function, or a keyword.
    Word(SmolStr),
    /// `.a`, or a further field of a chain.
    Field(SmolStr),
    /// `.` alone.
    Dot,
    /// `$a`, or `$` with an empty name.
    Variable(SmolStr),
    Text(SmolStr),
    Int(i64),
    Float(f64),
    Open,
    Close,
    Pipe,
    Comma,
    Declare,
    Assign,
    /// White space, which distinguishes `.a .b` from `.a.b`.
    Space,
}

pub fn pieces(text: &str) -> Result<Vec<TemplatePiece<'_>>, Fault> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut line = 1;
    let mut trims = false;
    loop {
        let Some(at) = rest.find("{{") else {
            push_text(&mut pieces, rest, line, trims);
            return Ok(pieces);
        };
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let start = line + newlines(before);
        let (trims_before, inside) = match after.strip_prefix('-') {
            Some(inside) if inside.starts_with(char::is_whitespace) => (true, inside),
            _ => (false, after),
        };
        let shown = if trims_before {
            before.trim_end()
        } else {
            before
        };
        push_text(&mut pieces, shown, line, trims);
        let end = end_of(inside).ok_or_else(|| Fault {
            message: "an action (`{{`) is not closed".to_owned(),
            line: start,
        })?;
        let mut body = &inside[..end];
        trims = body.ends_with('-') && body[..body.len() - 1].ends_with(char::is_whitespace)
            || body.trim_start().starts_with("/*") && body.ends_with("-");
        if trims {
            body = &body[..body.len() - 1];
        }
        if !body.trim().starts_with("/*") {
            pieces.push(TemplatePiece::Action(tokens(body, start)?, start));
        }
        line = start + newlines(&inside[..end]);
        rest = &inside[end + 2..];
    }
}

fn push_text<'t>(pieces: &mut Vec<TemplatePiece<'t>>, text: &'t str, line: u32, trims: bool) {
    let (text, line) = if trims {
        let trimmed = text.trim_start();
        (
            trimmed,
            line + newlines(&text[..text.len() - trimmed.len()]),
        )
    } else {
        (text, line)
    };
    if !text.is_empty() {
        pieces.push(TemplatePiece::Text(text, line));
    }
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// The end of an action, skipping quotes and comments.
fn end_of(text: &str) -> Option<usize> {
    if text.trim_start().starts_with("/*") {
        let close = text.find("*/")?;
        return Some(close + text[close..].find("}}")?);
    }
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        base::steps::count(1);
        match (quote, bytes[at]) {
            (Some(b'"' | b'\''), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, byte @ (b'"' | b'`' | b'\'')) => quote = Some(byte),
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn tokens(text: &str, line: u32) -> Result<Vec<Token>, Fault> {
    let fault = |message: String| Fault { message, line };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = rest.trim_start();
            tokens.push(Token::Space);
            continue;
        }
        let single = match first {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '|' => Some(Token::Pipe),
            ',' => Some(Token::Comma),
            '=' => Some(Token::Assign),
            _ => None,
        };
        if let Some(token) = single {
            tokens.push(token);
            rest = &rest[1..];
        } else if let Some(after) = rest.strip_prefix(":=") {
            tokens.push(Token::Declare);
            rest = after;
        } else if first == '.' {
            let name = word(&rest[1..]);
            tokens.push(match name {
                "" => Token::Dot,
                name => Token::Field(name.into()),
            });
            rest = &rest[1 + name.len()..];
        } else if first == '$' {
            let name = word(&rest[1..]);
            tokens.push(Token::Variable(name.into()));
            rest = &rest[1 + name.len()..];
        } else if matches!(first, '"' | '`') {
            let (value, after) =
                quoted(rest).ok_or_else(|| fault("a string is not closed".into()))?;
            tokens.push(Token::Text(value.into()));
            rest = after;
        } else if first.is_ascii_digit() || matches!(first, '-' | '+') {
            let end = rest[1..].find(|c: char| !c.is_ascii_digit() && c != '.');
            let end = end.map_or(rest.len(), |end| end + 1);
            let number = &rest[..end];
            tokens.push(match (number.parse::<i64>(), number.parse::<f64>()) {
                (Ok(number), _) => Token::Int(number),
                (_, Ok(number)) => Token::Float(number),
                _ => return Err(fault(format!("`{number}` is not a number"))),
            });
            rest = &rest[end..];
        } else {
            let name = word(rest);
            if name.is_empty() {
                return Err(fault(format!("`{first}` is unexpected")));
            }
            tokens.push(Token::Word(name.into()));
            rest = &rest[name.len()..];
        }
    }
    Ok(tokens)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The value of a quoted string, and the rest of the text.
fn quoted(text: &str) -> Option<(String, &str)> {
    if let Some(inside) = text.strip_prefix('`') {
        let end = inside.find('`')?;
        return Some((inside[..end].to_owned(), &inside[end + 1..]));
    }
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            c => value.push(c),
        }
    }
    None
}
