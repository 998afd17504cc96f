//! Writes Markdown. Outside text is escaped, so that a name cannot become a heading, a link or markup.

use base::replace::{Replacements, push_replaced};
use base::uri;

/// Markdown under construction.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Empty, with capacity for this many bytes.
    pub fn with_capacity(bytes: usize) -> Text {
        Text(String::with_capacity(bytes))
    }

    /// All of it below a title.
    pub fn titled(&self, title: &str) -> Text {
        let mut whole = Text::with_capacity(self.0.len() + title.len() + 16);
        whole.heading(1, title);
        whole.append(self);
        whole
    }

    pub fn heading(&mut self, level: usize, title: &str) {
        self.gap();
        self.0.push_str(&"#".repeat(level));
        self.0.push(' ');
        self.0.push_str(&escaped(title));
        self.0.push('\n');
    }

    /// Appends a paragraph; `line` is Markdown.
    pub fn paragraph(&mut self, line: &str) {
        self.gap();
        self.0.push_str(line.trim());
        self.0.push('\n');
    }

    /// Appends a list item; `line` is Markdown.
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

    /// Appends a table; its cells are Markdown.
    pub fn table<R: AsRef<[String]>>(
        &mut self,
        columns: &[&str],
        rows: impl IntoIterator<Item = R>,
    ) {
        self.rows(columns, rows, |row, cells| {
            for cell in row.as_ref() {
                cells.markdown(cell);
            }
        });
    }

    /// Appends a table whose cells are written one by one, for large ones.
    pub fn rows<R>(
        &mut self,
        columns: &[&str],
        rows: impl IntoIterator<Item = R>,
        mut write: impl FnMut(R, &mut Cells<'_>),
    ) {
        self.gap();
        let mut cells = Cells(&mut self.0);
        cells.row(|cells| columns.iter().for_each(|column| cells.markdown(column)));
        cells.row(|cells| columns.iter().for_each(|_| cells.markdown("---")));
        for row in rows {
            cells.row(|cells| write(row, cells));
        }
    }

    /// Appends an author's Markdown unchanged.
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

/// A table row under construction.
pub struct Cells<'t>(&'t mut String);

impl Cells<'_> {
    /// Appends a cell; it is Markdown.
    pub fn markdown(&mut self, cell: &str) {
        self.0.push(' ');
        push_replaced::<Line>(self.0, cell);
        self.0.push_str(" |");
    }

    /// Appends a cell with a value as code.
    pub fn code(&mut self, text: &str) {
        self.0.push(' ');
        push_code(self.0, text);
        self.0.push_str(" |");
    }

    fn row(&mut self, write: impl FnOnce(&mut Self)) {
        self.0.push('|');
        write(self);
        self.0.push('\n');
    }
}

/// Escapes a name or sentence.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    push_escaped(&mut escaped, text);
    escaped
}

/// Writes a value as inline code, even if it has backticks or bars.
pub fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len() + 6);
    push_code(&mut code, text);
    code
}

fn push_code(to: &mut String, text: &str) {
    let (open, close) = match text.contains('`') {
        false if text.is_empty() => ("", ""),
        false => ("`", "`"),
        true => ("`` ", " ``"),
    };
    to.push_str(open);
    push_replaced::<Code>(to, text);
    to.push_str(close);
}

/// Writes a link, or only its text without an address. Within the site, Markdown pages link to each other.
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
            uri::push_link(&mut link, before);
            link.push_str(".md");
            uri::push_link(&mut link, after);
        }
        None => uri::push_link(&mut link, href),
    }
    link.push(')');
    link
}

fn push_escaped(to: &mut String, text: &str) {
    // Escaped, a token has other characters, and the last look at an output would not know it.
    push_replaced::<Name>(to, &secret::outgoing::text(text));
}

/// A table cell is a single line.
struct Line;

impl Replacements for Line {
    const PAIRS: &'static [(u8, &'static str)] = &[(b'\n', " "), (b'\r', " ")];
}

struct Code;

impl Replacements for Code {
    const PAIRS: &'static [(u8, &'static str)] = &[(b'\n', " "), (b'\r', " "), (b'|', "\\|")];
}

struct Name;

impl Replacements for Name {
    const PAIRS: &'static [(u8, &'static str)] = &[
        (b'\\', "\\\\"),
        (b'`', "\\`"),
        (b'*', "\\*"),
        (b'_', "\\_"),
        (b'[', "\\["),
        (b']', "\\]"),
        (b'<', "\\<"),
        (b'>', "\\>"),
        (b'|', "\\|"),
        (b'#', "\\#"),
        (b'~', "\\~"),
        (b'\n', " "),
        (b'\r', " "),
    ];
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
