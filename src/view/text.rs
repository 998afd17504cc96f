//! Markdown as it is written: the plain twin of a page. What comes from outside is escaped, so that a name cannot
//! become a heading, a link or markup.

/// A Markdown text that grows.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    pub fn heading(&mut self, level: usize, title: &str) {
        self.gap();
        self.0.push_str(&"#".repeat(level));
        self.0.push(' ');
        self.0.push_str(&escaped(title));
        self.0.push('\n');
    }

    /// `line` is Markdown already.
    pub fn paragraph(&mut self, line: &str) {
        self.gap();
        self.0.push_str(line.trim());
        self.0.push('\n');
    }

    /// `line` is Markdown already.
    pub fn item(&mut self, line: &str) {
        if !self.0.ends_with('\n') || !self.last_line().starts_with("- ") {
            self.gap();
        }
        self.0.push_str("- ");
        self.0.push_str(line);
        self.0.push('\n');
    }

    pub fn code(&mut self, language: &str, code: &str) {
        self.gap();
        let fence = fence(code);
        self.0.push_str(&format!("{fence}{language}\n"));
        self.0.push_str(code.trim_end_matches('\n'));
        self.0.push_str(&format!("\n{fence}\n"));
    }

    /// A table; its cells are Markdown already.
    pub fn table<R: AsRef<[String]>>(
        &mut self,
        columns: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.gap();
        self.row(columns.iter().copied());
        self.row(columns.iter().map(|_| "---"));
        for row in rows {
            self.row(row.as_ref().iter().map(String::as_str));
        }
    }

    /// Prose that its author wrote, as it is.
    pub fn prose(&mut self, markdown: &str) {
        if !markdown.trim().is_empty() {
            self.gap();
            self.0.push_str(markdown.trim());
            self.0.push('\n');
        }
    }

    pub fn append(&mut self, other: &Text) {
        if !other.0.is_empty() {
            self.gap();
            self.0.push_str(other.0.trim_start_matches('\n'));
        }
    }

    pub fn into_string(self) -> String {
        self.0
    }

    fn row<'c>(&mut self, cells: impl Iterator<Item = &'c str>) {
        self.0.push('|');
        for cell in cells {
            self.0.push(' ');
            match cell.contains('\n') {
                true => self.0.push_str(&cell.replace('\n', " ")),
                false => self.0.push_str(cell),
            }
            self.0.push_str(" |");
        }
        self.0.push('\n');
    }

    fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn last_line(&self) -> &str {
        self.0
            .trim_end_matches('\n')
            .rsplit('\n')
            .next()
            .unwrap_or_default()
    }
}

/// A name or a sentence from elsewhere, as text and nothing else.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    push_escaped(&mut escaped, text);
    escaped
}

/// A value as code in a line, also where it holds backticks or bars.
pub fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len() + 6);
    let (open, close) = match text.contains('`') {
        false if text.is_empty() => ("", ""),
        false => ("`", "`"),
        true => ("`` ", " ``"),
    };
    code.push_str(open);
    push_replaced(&mut code, text, |byte| match byte {
        b'\n' | b'\r' => Some(" "),
        b'|' => Some("\\|"),
        _ => None,
    });
    code.push_str(close);
    code
}

/// A link; without an address, its text. Within the site, twins link to twins.
pub fn link(title: &str, href: Option<&str>) -> String {
    let Some(href) = href else {
        return escaped(title);
    };
    let mut link = String::with_capacity(title.len() + href.len() + 4);
    link.push('[');
    push_escaped(&mut link, title);
    link.push_str("](");
    match href.split_once(".html").filter(|_| !href.contains("://")) {
        Some((before, after)) => {
            push_address(&mut link, before);
            link.push_str(".md");
            push_address(&mut link, after);
        }
        None => push_address(&mut link, href),
    }
    link.push(')');
    link
}

fn push_escaped(to: &mut String, text: &str) {
    push_replaced(to, text, |byte| match byte {
        b'\\' => Some("\\\\"),
        b'`' => Some("\\`"),
        b'*' => Some("\\*"),
        b'_' => Some("\\_"),
        b'[' => Some("\\["),
        b']' => Some("\\]"),
        b'<' => Some("\\<"),
        b'>' => Some("\\>"),
        b'|' => Some("\\|"),
        b'#' => Some("\\#"),
        b'~' => Some("\\~"),
        b'\n' | b'\r' => Some(" "),
        _ => None,
    });
}

fn push_address(to: &mut String, href: &str) {
    push_replaced(to, href, |byte| match byte {
        b'(' => Some("%28"),
        b')' => Some("%29"),
        b' ' => Some("%20"),
        _ => None,
    });
}

/// Appends `text` with something else in place of some bytes, all of them ASCII.
fn push_replaced(to: &mut String, text: &str, replace: impl Fn(u8) -> Option<&'static str>) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(other) = replace(byte) {
            to.push_str(&text[copied..at]);
            to.push_str(other);
            copied = at + 1;
        }
    }
    to.push_str(&text[copied..]);
}

/// A fence longer than any in the code.
fn fence(code: &str) -> String {
    if !code.contains('`') {
        return "```".to_owned();
    }
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_put_in_becomes_markup() {
        let mut text = Text::default();
        text.heading(2, "a *b* <script>");
        text.table(&["x"], [[code("a|`b`")]]);
        text.code("bash", "echo ```` x");
        let text = text.into_string();
        assert_eq!(
            text,
            "## a \\*b\\* \\<script\\>\n\n| x |\n| --- |\n| `` a\\|`b` `` |\n\n`````bash\necho ```` x\n`````\n"
        );
    }
}
