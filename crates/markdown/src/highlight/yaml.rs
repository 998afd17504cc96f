//! YAML in one pass: keys, strings, numbers, comments, anchors and `${variables}`. Text that is not YAML, such as a
//! Helm template, still comes out complete.

use super::{HighlightClass, Spans};

pub fn scan(code: &str, spans: &mut Spans) {
    let mut scanner = Scanner {
        code,
        at: 0,
        flow: 0,
        spans,
    };
    while scanner.at < code.len() {
        scanner.line();
    }
}

struct Scanner<'c, 's> {
    code: &'c str,
    at: usize,
    /// Number of open flow collections.
    flow: usize,
    spans: &'s mut Spans,
}

impl<'c> Scanner<'c, '_> {
    /// A line; a quoted string or block scalar that begins in it includes its other lines.
    fn line(&mut self) {
        let rest = self.rest();
        let line = first_line(rest);
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if self.flow == 0 {
            let marker = line.trim_end();
            if marker == "---" || marker == "..." {
                self.take(HighlightClass::Keyword, line.len());
                self.take(None, newline(self.rest()));
                return;
            }
        }
        self.take(None, indent);
        if self.rest().starts_with("{{") && self.flow == 0 {
            self.take(HighlightClass::Variable, line.len() - indent);
            self.take(None, newline(self.rest()));
            return;
        }
        // Markers of nested sequences come before the first value of a line.
        let (mut parent, mut dash) = (indent, indent);
        while self.flow == 0 && (self.rest().starts_with("- ") || first_line(self.rest()) == "-") {
            let space = spaces(&self.rest()[1..]);
            self.take(None, 1 + space);
            (parent, dash) = (parent + 1 + space, parent);
        }
        let block = self.nodes(parent, dash);
        self.take(None, newline(self.rest()));
        if let Some(indent) = block {
            self.block(indent);
        }
    }

    /// The keys and values on the rest of a line. Returns the indentation that a block scalar must exceed, if one begins here:
    /// `parent` if it has a key on this line, otherwise `dash`.
    fn nodes(&mut self, parent: usize, dash: usize) -> Option<usize> {
        let mut block = None;
        let (mut is_value, mut has_key) = (false, false);
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' | '\r' => break,
                ' ' | '\t' => {
                    let space = spaces(self.rest());
                    self.take(None, space);
                }
                '#' => {
                    let len = first_line(self.rest()).len();
                    self.take(HighlightClass::Comment, len);
                }
                '"' | '\'' => {
                    self.quoted(c);
                    is_value = true;
                }
                '{' | '[' if !is_value || self.flow > 0 => {
                    self.flow += 1;
                    self.take(None, 1);
                    is_value = false;
                }
                '}' | ']' if self.flow > 0 => {
                    self.flow -= 1;
                    self.take(None, 1);
                    is_value = true;
                }
                ',' if self.flow > 0 => {
                    self.take(None, 1);
                    is_value = false;
                }
                ':' => {
                    self.take(None, 1);
                    is_value = false;
                    has_key = true;
                }
                '&' | '*' | '!' if !is_value => {
                    let len = self.word(|c| !c.is_whitespace() && !",[]{}".contains(c));
                    let class = if c == '!' {
                        HighlightClass::Type
                    } else {
                        HighlightClass::Variable
                    };
                    self.take(class, len);
                }
                '|' | '>' if !is_value && self.flow == 0 => {
                    let len = self.word(|c| "|>+-0123456789".contains(c));
                    self.take(HighlightClass::Keyword, len);
                    block = Some(if has_key { parent } else { dash });
                    is_value = true;
                }
                _ => {
                    self.plain();
                    is_value = true;
                }
            }
        }
        block
    }

    /// A plain scalar, or a key if a colon follows.
    fn plain(&mut self) {
        let line = first_line(self.rest());
        let mut len = line.len();
        let mut is_key = false;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            let next = line[at + c.len_utf8()..].chars().next();
            let is_end = match c {
                ':' => {
                    is_key = next.is_none_or(|next| {
                        next == ' ' || next == '\t' || (self.flow > 0 && ",]}".contains(next))
                    });
                    is_key
                }
                '#' => before == ' ' || before == '\t',
                ',' | ']' | '}' | '[' | '{' => self.flow > 0 && at > 0 && before != '$',
                _ => false,
            };
            if is_end {
                len = at;
                break;
            }
            before = c;
        }
        // A `}` that closes `${` inside a flow collection must not stop the scanner.
        let len = len.max(line.chars().next().map_or(0, char::len_utf8));
        // Trim only blanks that `line` skips itself: it would never get past any other.
        let text = line[..len].trim_end_matches([' ', '\t', '\r']);
        if is_key {
            self.take(HighlightClass::Attribute, text.len());
        } else if is_constant(text) {
            self.take(HighlightClass::Number, text.len());
        } else {
            self.with_variables(None, text.len());
        }
    }

    fn quoted(&mut self, quote: char) {
        let rest = self.rest();
        let mut end = rest.len();
        let mut characters = rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = characters.next() {
            if c == '\\' && quote == '"' {
                characters.next();
            } else if c == quote {
                if quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == quote) {
                    characters.next();
                    continue;
                }
                end = at + 1;
                break;
            }
        }
        let after = rest[end..].trim_start_matches([' ', '\t']);
        let is_key = after.starts_with(':') && !rest[..end].contains('\n');
        if is_key {
            self.take(HighlightClass::Attribute, end);
        } else {
            self.with_variables(Some(HighlightClass::String), end);
        }
    }

    /// The lines of a block scalar: those indented deeper than its key.
    fn block(&mut self, indent: usize) {
        let rest = self.rest();
        let mut end = 0;
        for line in rest.split_inclusive('\n') {
            let text = line.trim_start_matches(' ');
            let is_blank = text.trim().is_empty();
            if !is_blank && line.len() - text.len() <= indent {
                break;
            }
            end += line.len();
        }
        self.with_variables(Some(HighlightClass::String), end);
    }

    /// Takes `len` bytes of one class, except for `${variables}` in them.
    fn with_variables(&mut self, class: Option<HighlightClass>, len: usize) {
        let end = self.at + len;
        while self.at < end {
            let text = &self.code[self.at..end];
            let Some(start) = text.find("${") else {
                self.take(class, text.len());
                return;
            };
            self.take(class, start);
            let text = &text[start..];
            let line = first_line(text);
            let len = line.find('}').map_or(2, |close| close + 1);
            self.take(
                if len > 2 {
                    Some(HighlightClass::Variable)
                } else {
                    class
                },
                len,
            );
        }
    }

    fn rest(&self) -> &'c str {
        &self.code[self.at..]
    }

    fn word(&self, is_part: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())
    }

    fn take(&mut self, class: impl Into<Option<HighlightClass>>, len: usize) {
        let text = &self.code[self.at..self.at + len];
        self.spans.push(class, text);
        base::steps::count(len + 1);
        self.at += len;
    }
}

fn first_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    line.strip_suffix('\r').unwrap_or(line)
}

fn newline(text: &str) -> usize {
    match text.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn is_constant(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "true", "false", "null", "~", "True", "False", "Null", "yes", "no", "on", "off",
    ];
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    WORDS.contains(&text)
        || (digits.starts_with(|c: char| c.is_ascii_digit())
            && digits
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'_' | b'x' | b'o'))
            && digits.bytes().filter(|byte| *byte == b'.').count() < 2
            && (digits.starts_with("0x") || digits.bytes().all(|b| !b.is_ascii_alphabetic())))
}
