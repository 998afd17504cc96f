//! Estimates the nesting depth of a program from its characters. The parser is recursive, so a file that nests too
//! deeply is rejected before it is parsed.

/// Maximum nesting; people do not write deeper.
const MAX_DEPTH: usize = 1_000;

/// Whether a file is safe to parse.
pub fn is_shallow(text: &str) -> bool {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        levels: vec![Level::default()],
        depth: 0,
        most_depth: super::thread::depth_here(MAX_DEPTH),
        last: b';',
    };
    scan.run().is_some()
}

/// An open bracket, or the template literal around an expression.
#[derive(Default)]
struct Level {
    /// Tokens since the last end of a statement that make the parser recurse.
    nested: usize,
    is_template: bool,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// Sum over all open levels.
    depth: usize,
    most_depth: usize,
    /// The last character that is not white space.
    last: u8,
}

impl Scan<'_> {
    /// Scans the text; `None` if it nests too deeply, or if only a parser could tell.
    fn run(&mut self) -> Option<()> {
        let mut progress = base::steps::ScanProgress::default();
        while let Some(byte) = self.bytes.get(self.at).copied() {
            progress.turn(self.at);
            self.at += 1;
            match byte {
                b'\'' | b'"' => self.skip_string(byte)?,
                b'`' => self.skip_template()?,
                b'/' if self.next_is(b'/') => self.skip_line(),
                b'/' if self.next_is(b'*') => self.skip_comment(),
                b'/' => self.slash()?,
                b'(' | b'[' | b'{' => self.open()?,
                b')' | b']' => self.close(),
                b'}' => {
                    let was_template = self.levels.last().is_some_and(|level| level.is_template);
                    self.close();
                    if was_template {
                        self.skip_template()?;
                    }
                }
                b';' | b',' => self.reset(),
                b'!' | b'~' | b'+' | b'-' | b'?' | b'=' | b'<' | b':' | b'*' | b'@' | b'|'
                | b'&' => self.nest()?,
                _ if byte.is_ascii_alphabetic() => self.word()?,
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = self.bytes[self.at - 1];
            }
        }
        Some(())
    }

    fn next_is(&self, byte: u8) -> bool {
        self.bytes.get(self.at) == Some(&byte)
    }

    fn open(&mut self) -> Option<()> {
        self.levels.push(Level::default());
        self.deepen()
    }

    fn close(&mut self) {
        // A superfluous closing bracket is a syntax error, which the parser reports better.
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.depth -= level.nested + 1;
        }
    }

    fn nest(&mut self) -> Option<()> {
        if let Some(level) = self.levels.last_mut() {
            level.nested += 1;
        }
        self.deepen()
    }

    fn deepen(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= self.most_depth).then_some(())
    }

    fn reset(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.depth -= level.nested;
            level.nested = 0;
        }
    }

    fn word(&mut self) -> Option<()> {
        let start = self.at - 1;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        {
            self.at += 1;
        }
        // Not a keyword if part of a longer word or after a dot.
        let before = start.checked_sub(1).map(|at| self.bytes[at]);
        if before.is_some_and(|byte| matches!(byte, b'_' | b'$' | b'.') || byte >= 0x80) {
            return Some(());
        }
        match &self.bytes[start..self.at] {
            // These only begin statements.
            b"const" | b"var" | b"return" | b"export" => {
                self.reset();
                Some(())
            }
            b"if" | b"else" | b"for" | b"while" | b"do" | b"with" | b"new" | b"typeof"
            | b"void" | b"delete" | b"await" | b"yield" | b"async" | b"class" | b"extends"
            | b"keyof" | b"infer" | b"readonly" | b"unique" | b"asserts" | b"function" | b"in"
            | b"of" | b"as" | b"is" | b"try" | b"switch" => self.nest(),
            _ => Some(()),
        }
    }

    /// Skips the rest of a string, which ends with its line at the latest.
    fn skip_string(&mut self, quote: u8) -> Option<()> {
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match *byte {
                b'\\' => self.at += 1,
                // It is not a string after all, so what was skipped may be anything.
                b'\n' => return None,
                byte if byte == quote => return Some(()),
                _ => {}
            }
        }
        None
    }

    /// Skips the text of a template literal, to its end or its next expression.
    fn skip_template(&mut self) -> Option<()> {
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match *byte {
                b'\\' => self.at += 1,
                b'`' => return Some(()),
                b'$' if self.next_is(b'{') => {
                    self.at += 1;
                    self.levels.push(Level {
                        nested: 0,
                        is_template: true,
                    });
                    return self.deepen();
                }
                _ => {}
            }
        }
        None
    }

    fn skip_line(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
            self.at += 1;
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let end = rest.windows(2).position(|pair| pair == b"*/");
        self.at = end.map_or(self.bytes.len(), |end| self.at + 1 + end + 2);
    }

    /// A division, or the start of a regular expression. The character before it mostly decides; if not, and if it
    /// matters, the file is rejected.
    fn slash(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
        let is_operand =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
        let is_pattern = match self.last {
            b')' | b'}' | b']' | b'\'' | b'"' | b'`' => None,
            byte if is_operand(byte) => None,
            _ => Some(()),
        };
        let Some(end) = pattern_end(line) else {
            return Some(());
        };
        if is_pattern.is_some() {
            self.at += end;
            return Some(());
        }
        let is_comment = matches!(line.get(end), Some(b'/' | b'*'));
        let is_telling = |byte: &u8| matches!(byte, b'\'' | b'"' | b'`');
        let between = &line[..end.saturating_sub(1)];
        (is_comment || !between.iter().any(is_telling)).then_some(())
    }
}

/// The end of a regular expression, after its closing slash.
fn pattern_end(line: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut in_class = false;
    while let Some(byte) = line.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_shallow() {
        let long = "const a = [1, -2, !b];\n".repeat(5_000);
        let array = format!("const a = [{}];", "-1, ".repeat(100_000));
        for text in [
            "const a = `x-${b ? `${c}` : \"d\"}`; // it's",
            "const r = /['\"`({[]/.test(a) ? (1 + 2) / 2 : b / c; // half of it's",
            "/* (((( */ f('((((', \"[[[[\", `{{{{`)",
            long.as_str(),
            array.as_str(),
        ] {
            assert!(is_shallow(text), "{}", &text[..text.len().min(60)]);
        }
    }

    #[test]
    fn nesting_is_seen_however_it_is_hidden() {
        let times = |text: &str| text.repeat(10_000);
        for text in [
            times("("),
            times("["),
            times("{a:"),
            times("!"),
            times("a=>"),
            times("a?b:"),
            times("if(a)"),
            times("new "),
            times("typeof "),
            times("`${"),
            times("a="),
            times("<a>"),
            format!("/`/;{}", times("(")),
            format!("a/'/;{}'", times("(")),
            format!("}}/\"/;{}\"", times("[")),
            format!("let a = ')' + {}", times("(')'+")),
        ] {
            assert!(!is_shallow(&text), "{}", &text[..20]);
        }
    }
}
