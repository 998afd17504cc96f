//! The front matter of a page, for generators that know it and for mdBook, which does not: to that one its lines are the
//! page's heading (a comment in YAML) and an HTML comment (two keys in YAML), between two rules.

use markdown::portable;

/// Whether lists of pages and searches show a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Shown,
    Hidden,
}

/// Length of a description that search engines show.
const LONGEST: usize = 160;

pub fn matter(title: &str, description: Option<&str>, slug: &str, listing: Visibility) -> String {
    let mut lines = vec!["---".to_owned()];
    // In the list of its chapters, mdBook would take a heading for one of the list's own.
    if listing == Visibility::Shown {
        lines.push(format!("# {}", portable::words(title)));
    }
    lines.push("<!-- begin: front matter".to_owned());
    lines.push(format!("title: {}", quoted(title)));
    if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
        lines.push(format!("description: {}", quoted(&short(description))));
    }
    // The address that Starlight would make of a name with dots or capitals is another one.
    if !slug.is_empty() {
        lines.push(format!("slug: {}", quoted(slug)));
    }
    // Braces in code are the code's, also where MkDocs runs pages as templates.
    lines.push("render_macros: false".to_owned());
    if listing == Visibility::Hidden {
        lines.push("sidebar: { hidden: true }".to_owned());
        lines.push("pagefind: false".to_owned());
        lines.push("search: { exclude: true }".to_owned());
    }
    lines.push("end: -->".to_owned());
    lines.push("---".to_owned());
    lines.join("\n") + "\n"
}

/// A string in YAML that neither ends an HTML comment nor begins a directive. Themes of MkDocs put it into tags and
/// attributes as it is, so that characters which have a meaning there become others that look like them.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push('”'),
            '\'' => quoted.push('’'),
            '<' => quoted.push('‹'),
            '>' => quoted.push('›'),
            '\\' => quoted.push_str("\\\\"),
            '{' | '}' | '&' => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted.push(' ');
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(cut, _)| cut);
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_text_in_yaml_and_in_markdown() {
        let matter = matter(
            "a\" --> {{#include x}} <b>\n# c",
            Some("-->"),
            "",
            Visibility::Shown,
        );
        let lines: Vec<&str> = matter.lines().collect();
        assert_eq!(
            lines,
            [
                "---",
                "# a\" --&gt; &#123;&#123;#include x&#125;&#125; &lt;b&gt; # c",
                "<!-- begin: front matter",
                "title: \"a” --› \\u007b\\u007b#include x\\u007d\\u007d ‹b› # c\"",
                "description: \"--›\"",
                "render_macros: false",
                "end: -->",
                "---",
            ]
        );
    }
}
