//! Syntax highlighting: HTML with classes, never inline styles; the theme's stylesheet has the colours. YAML and shell
//! have fast scanners of their own, since pages have thousands of such blocks; grammars do the rest.

mod grammar;
mod shell;
mod spans;
mod yaml;

use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::Html;
use base::hash::HashMap;
use grammar::Grammars;
use spans::Spans;

/// Longer code is not highlighted.
const MAX_CODE_BYTES: usize = 200 * 1024;

/// Code with a longer line is not highlighted: grammars take more than linear time per line.
const MAX_LINE_BYTES: usize = 10 * 1024;

/// Highlights code, and caches the results of grammars.
#[derive(Default)]
pub struct Highlighter {
    grammars: Grammars,
    known: Mutex<HashMap<[u8; 32], Html>>,
}

impl Highlighter {
    pub fn new() -> Highlighter {
        Highlighter::default()
    }

    /// The contents of a `<code>` element. An unknown language is plain text.
    pub fn highlight(&self, code: &str, language: &str) -> Html {
        if code.len() > MAX_CODE_BYTES || code.split('\n').any(|line| line.len() > MAX_LINE_BYTES) {
            return plain(code);
        }
        match language.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => with_spans(code, yaml::scan),
            "bash" | "sh" | "shell" | "zsh" | "console" | "shell-session" | "shellsession" => {
                with_spans(code, shell::scan)
            }
            "" | "text" | "txt" | "plain" | "plaintext" | "none" => plain(code),
            other => self.by_grammar(code, other),
        }
    }

    /// A whole block: a caption (the language if empty), a copy button, which a script shows, and the code.
    pub fn figure(&self, code: &str, language: &str, caption: &str) -> Html {
        let caption = if caption.is_empty() {
            label(language)
        } else {
            caption
        };
        let code = self.highlight(code.trim_end_matches(['\n', '\r']), language);
        let mut markup = String::with_capacity(code.0.len() + 192);
        markup.push_str("<figure class=\"code\"><figcaption><span>");
        base::markup::push_text(&mut markup, caption);
        markup.push_str(
            "</span><button class=\"copy\" type=\"button\" hidden>Copy</button></figcaption>",
        );
        markup.push_str("<pre tabindex=\"0\"><code>");
        markup.push_str(&code.0);
        markup.push_str("</code></pre></figure>\n");
        Html(markup)
    }

    fn by_grammar(&self, code: &str, language: &str) -> Html {
        let mut hash = Sha256::new();
        // With its length, a language cannot run into the code.
        hash.update(language.len().to_le_bytes());
        hash.update(language.as_bytes());
        hash.update(code.as_bytes());
        let key: [u8; 32] = hash.finalize().into();
        // Each entry is inserted whole, so a poisoned map is still good.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(html) = known().get(&key) {
            return html.clone();
        }
        let html = self
            .grammars
            .highlight(code, language)
            .unwrap_or_else(|| plain(code));
        known().insert(key, html.clone());
        html
    }
}

/// The display name of a language.
pub fn label(language: &str) -> &str {
    const LABELS: &[(&str, &str)] = &[
        ("bash", "Shell"),
        ("console", "Console"),
        ("diff", "Diff"),
        ("docker", "Dockerfile"),
        ("dockerfile", "Dockerfile"),
        ("env", "Environment"),
        ("dotenv", "Environment"),
        ("go", "Go"),
        ("hcl", "HCL"),
        ("html", "HTML"),
        ("ini", "INI"),
        ("javascript", "JavaScript"),
        ("js", "JavaScript"),
        ("json", "JSON"),
        ("markdown", "Markdown"),
        ("md", "Markdown"),
        ("mermaid", "Mermaid"),
        ("promql", "PromQL"),
        ("py", "Python"),
        ("python", "Python"),
        ("rs", "Rust"),
        ("rust", "Rust"),
        ("sh", "Shell"),
        ("shell", "Shell"),
        ("sql", "SQL"),
        ("terraform", "Terraform"),
        ("text", "Text"),
        ("tf", "Terraform"),
        ("toml", "TOML"),
        ("ts", "TypeScript"),
        ("tsx", "TypeScript"),
        ("typescript", "TypeScript"),
        ("xml", "XML"),
        ("yaml", "YAML"),
        ("yml", "YAML"),
        ("zsh", "Shell"),
    ];
    let known = LABELS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(language));
    known.map_or(language, |(_, label)| label)
}

/// The class of a piece of code, one letter each. Punctuation has none: it would double the output, and looks best in
/// the text colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HighlightClass {
    Attribute,
    Comment,
    Deleted,
    Function,
    Prompt,
    Heading,
    Inserted,
    Keyword,
    Number,
    String,
    Type,
    Variable,
}

impl HighlightClass {
    fn letter(self) -> char {
        match self {
            HighlightClass::Attribute => 'a',
            HighlightClass::Comment => 'c',
            HighlightClass::Deleted => 'd',
            HighlightClass::Function => 'f',
            HighlightClass::Prompt => 'g',
            HighlightClass::Heading => 'h',
            HighlightClass::Inserted => 'i',
            HighlightClass::Keyword => 'k',
            HighlightClass::Number => 'n',
            HighlightClass::String => 's',
            HighlightClass::Type => 't',
            HighlightClass::Variable => 'v',
        }
    }
}

fn plain(code: &str) -> Html {
    let mut markup = String::with_capacity(code.len() + code.len() / 16);
    base::markup::push_text(&mut markup, code);
    Html(markup)
}

fn with_spans(code: &str, scan: impl Fn(&str, &mut Spans)) -> Html {
    let mut spans = Spans::with_capacity(code.len() * 2);
    scan(code, &mut spans);
    spans.finish()
}

#[cfg(test)]
mod tests;
