//! Escapes text and code for CommonMark, for Python-Markdown with common extensions, and for preprocessors that search
//! for directives before parsing, even in code.

use std::borrow::Cow;

use base::uri;

/// Escapes text. Python-Markdown knows backslash escapes of some characters only; the others become entities.
pub fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let after = characters.peek().copied().unwrap_or(' ');
        match c {
            // Inside a word it has no meaning, and names have many.
            '_' if before.is_alphanumeric() && after.is_alphanumeric() => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // Before a link it would make it an image.
            '!' if characters.peek().is_none() => escaped.push_str("\\!"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '{' | '}' | '|' | '~' => escaped.push_str(&entity(c)),
            // Syntax of extensions: highlights, insertions, directives, formulas.
            '=' | '^' | ':' | '+' if before == c || after == c => escaped.push_str(&entity(c)),
            '$' => escaped.push_str(&entity(c)),
            '\n' | '\t' => escaped.push(' '),
            c if is_control(c) => {}
            c => escaped.push(c),
        }
        before = c;
    }
    escaped
}

/// Escapes the text between HTML tags; entities stay as they are.
pub fn html_text(html: &str) -> String {
    let mut escaped = String::with_capacity(html.len() + 8);
    for (at, part) in html.split('&').enumerate() {
        let end = part.find(';').filter(|end| {
            let name = part[..*end].trim_start_matches('#');
            !name.is_empty() && name.len() <= 31 && name.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        match end {
            Some(end) if at > 0 => {
                escaped.push('&');
                escaped.push_str(&part[..=end]);
                escaped.push_str(&text(&part[end + 1..]));
            }
            _ => {
                if at > 0 {
                    escaped.push_str("&amp;");
                }
                escaped.push_str(&text(part));
            }
        }
    }
    escaped
}

/// Escapes the first character of a line if it could start anything but a paragraph.
pub fn beginning(line: &str) -> Cow<'_, str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && line[digits..].starts_with(['.', ')']) {
        let (number, rest) = line.split_at(digits);
        return Cow::Owned(match rest.strip_prefix(')') {
            Some(rest) => format!("{number}&#41;{rest}"),
            None => format!("{number}\\{rest}"),
        });
    }
    let first = line.chars().next().unwrap_or(' ');
    let is_live = match first {
        '#' | '-' | '+' => true,
        // Fences, tabs, admonitions and blocks of extensions.
        ':' | '=' | '/' | ';' | '%' | '@' => true,
        // An image may begin a line; an admonition may not.
        '!' | '?' => !line.starts_with("!["),
        _ => false,
    };
    if is_live {
        Cow::Owned(format!("{}{}", entity(first), &line[first.len_utf8()..]))
    } else {
        Cow::Borrowed(line)
    }
}

/// Writes inline code.
pub fn code(code: &str) -> String {
    let code = one_line(code);
    if code.is_empty() {
        return String::new();
    }
    if is_live(&code) {
        return format!("<code>{}</code>", entities(&code));
    }
    let longest = longest_run(&code);
    match longest {
        0 => format!("`{code}`"),
        _ => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {code} {fence}")
        }
    }
}

/// Writes inline code in a table cell: parsers disagree about bars in it.
pub fn code_in_table(text: &str) -> String {
    if text.contains(['|', '`', '\\']) {
        format!("<code>{}</code>", entities(&one_line(text)))
    } else {
        code(text)
    }
}

/// Writes a code block.
pub fn block(language: &str, code: &str) -> String {
    let code: String = code
        .chars()
        .filter(|c| *c == '\n' || *c == '\t' || !is_control(*c))
        .collect();
    let code = code.trim_end_matches('\n');
    let code = match language {
        "mermaid" => without_links(code),
        _ => code.to_owned(),
    };
    if is_live(&code) {
        // On one line, so that it stays whole everywhere.
        let class = match language {
            "" => String::new(),
            language => format!(" class=\"language-{language}\""),
        };
        return format!("<pre><code{class}>{}</code></pre>", entities(&code));
    }
    let fence = "`".repeat(longest_run(&code).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// The language of a fence: one plain word, or none.
pub fn language(info: &str) -> String {
    let word = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
    let is_plain = word
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+-_#".contains(&b));
    if is_plain && word.len() <= 32 {
        word.to_ascii_lowercase()
    } else {
        String::new()
    }
}

/// Escapes an address so that it ends where it should.
pub fn address(href: &str) -> String {
    let mut address = String::with_capacity(href.len());
    href.split(is_control)
        .for_each(|piece| uri::push_link(&mut address, piece));
    address
}

/// Whether a preprocessor would see a directive: `{{#include}}` of mdBook, `--8<--` of PyMdown.
fn is_live(code: &str) -> bool {
    let includes = code
        .split("{{")
        .skip(1)
        .any(|rest| rest.trim_start().starts_with('#'));
    includes || code.contains("8<-")
}

/// Writes every character with a meaning as an entity.
fn entities(text: &str) -> String {
    let mut all = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || c == ' ' || c == '.' || c == ',' => all.push(c),
            c => all.push_str(&entity(c)),
        }
    }
    all
}

fn entity(c: char) -> String {
    format!("&#{};", u32::from(c))
}

fn one_line(code: &str) -> String {
    code.chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .filter(|c| !is_control(*c))
        .collect()
}

fn is_control(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A diagram without links, which are addresses of another site.
fn without_links(code: &str) -> String {
    let is_link = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        matches!(first, "click" | "link" | "links" | "href")
    };
    let lines: Vec<&str> = code.lines().filter(|line| !is_link(line)).collect();
    lines.join("\n")
}
