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

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_string(self) -> String {
        self.0
    }

    fn row<'c>(&mut self, cells: impl Iterator<Item = &'c str>) {
        self.0.push('|');
        for cell in cells {
            self.0.push(' ');
            self.0.push_str(&cell.replace('\n', " "));
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
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A value as code in a line, also where it holds backticks or bars.
pub fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    match text.contains('`') {
        false if text.is_empty() => String::new(),
        false => format!("`{text}`"),
        true => format!("`` {text} ``"),
    }
}

/// A link; without an address, its text. Within the site, twins link to twins.
pub fn link(title: &str, href: Option<&str>) -> String {
    let Some(href) = href else {
        return escaped(title);
    };
    let href = match href.contains("://") {
        true => href.to_owned(),
        false => href.replacen(".html", ".md", 1),
    };
    let href = href
        .replace('(', "%28")
        .replace(')', "%29")
        .replace(' ', "%20");
    format!("[{}]({href})", escaped(title))
}

/// A fence longer than any in the code.
fn fence(code: &str) -> String {
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
