//! Templates of a ResourceSet as text, with the place of each line. A tree is written as YAML, as the operator does before
//! it fills it in; actions between `<<` and `>>` become the ones that templates here know. Pure text.

use base::Place;
use yaml::{Node, Scalar, ScalarKind, Value};

/// A template, and where each of its lines comes from.
#[derive(Debug)]
pub struct TemplateText {
    pub text: String,
    pub place: Place,
    /// None where lines follow each other as they do in the file.
    places: Option<Vec<Place>>,
}

impl TemplateText {
    /// Source place of a line of the text, counted from 1.
    pub fn place_of(&self, line: u32) -> Place {
        let before = line.saturating_sub(1);
        match &self.places {
            Some(places) => places.get(before as usize).copied().unwrap_or(self.place),
            None => Place {
                line: self.place.line + before,
                ..self.place
            },
        }
    }
}

/// A text that holds documents.
pub fn of_scalar(node: &Node) -> Option<TemplateText> {
    Some(TemplateText {
        text: translated(node.text()?),
        place: node.place,
        places: None,
    })
}

/// An object as YAML.
pub fn of_tree(node: &Node) -> TemplateText {
    let mut writer = TemplateWriter::default();
    writer.node(node, 0);
    writer.text.push('\n');
    TemplateText {
        text: translated(&writer.text),
        place: node.place,
        places: Some(writer.places),
    }
}

#[derive(Default)]
struct TemplateWriter {
    text: String,
    places: Vec<Place>,
}

impl TemplateWriter {
    /// Begins a line that comes from somewhere.
    fn begin(&mut self, place: Place) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.places.push(place);
    }

    /// Appends a node to the current line, and leaves the line open.
    fn node(&mut self, node: &Node, indent: usize) {
        match &node.value {
            Value::Scalar(scalar) => self.scalar(scalar, node.place, indent),
            Value::Seq(items) if items.is_empty() => self.text.push_str("[]"),
            Value::Map(map) if map.is_empty() => self.text.push_str("{}"),
            Value::Seq(items) => {
                for item in items {
                    self.start(item.place, indent);
                    self.text.push_str("- ");
                    self.node(item, indent + 2);
                }
            }
            Value::Map(map) => {
                for entry in &map.0 {
                    self.start(entry.key_place, indent);
                    self.scalar(&Scalar::string(entry.key.clone()), entry.key_place, indent);
                    self.text.push_str(": ");
                    self.node(&entry.value, indent + 2);
                }
            }
        }
    }

    /// Begins a line, unless a list began it.
    fn start(&mut self, place: Place, indent: usize) {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        let is_begun = line.len() == indent && line.trim_matches([' ', '-']).is_empty();
        if self.text.is_empty() || !is_begun {
            self.begin(place);
            self.text.push_str(&" ".repeat(indent));
        }
    }

    fn scalar(&mut self, scalar: &Scalar, place: Place, indent: usize) {
        let text = scalar.text.as_str();
        if !matches!(scalar.kind(), ScalarKind::Str(_)) {
            self.text.push_str(text);
        } else if text.contains('\n') {
            let body = text.trim_end_matches('\n');
            let keep = match text.len() - body.len() {
                0 => "-",
                1 => "",
                _ => "+",
            };
            self.text.push_str(&format!("|2{keep}"));
            let lines = text.strip_suffix('\n').unwrap_or(text);
            for line in lines.split('\n') {
                self.begin(place);
                // Content is indented two deeper than its parent.
                self.text.push_str(&" ".repeat(indent));
                self.text.push_str(line);
            }
        } else if is_plain(text) {
            self.text.push_str(text);
        } else {
            self.text
                .push_str(&format!("'{}'", text.replace('\'', "''")));
        }
    }
}

/// Whether a string can be written without quotes.
fn is_plain(text: &str) -> bool {
    let starts = |c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c);
    let is_string = matches!(Scalar::plain(text).kind(), ScalarKind::Str(_));
    is_string
        && text != "<<"
        && text.trim() == text
        && !text.starts_with(starts)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(char::is_control)
}

/// Actions between `<<` and `>>` as actions in braces, in which the inputs are what the template is run on.
fn translated(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<<") {
        written.push_str(&before.replace("{{", "{{ \"{{\" }}"));
        let end = end_of(after);
        written.push_str("{{");
        written.push_str(&with_root(&after[..end]));
        match after[end..].strip_prefix(">>") {
            Some(after) => {
                written.push_str("}}");
                rest = after;
            }
            // The action is not closed. Parsing the actions reports that.
            None => return written,
        }
    }
    written.push_str(&rest.replace("{{", "{{ \"{{\" }}"));
    written
}

/// End of an action, ignoring delimiters inside strings and comments.
fn end_of(text: &str) -> usize {
    let inside = text.strip_prefix('-').unwrap_or(text).trim_start();
    let first = match inside.starts_with("/*").then(|| text.find("*/")) {
        Some(Some(end)) => end,
        Some(None) => return text.len(),
        None => 0,
    };
    let mut quote = Quote::default();
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < first) {
        if quote.take(c) == Within::Action && text[at..].starts_with(">>") {
            return at;
        }
    }
    text.len()
}

/// Goes through an action and knows which of it is text.
#[derive(Default)]
struct Quote {
    open: Option<char>,
    skips: bool,
}

#[derive(PartialEq)]
enum Within {
    Action,
    Text,
}

impl Quote {
    /// Context of the next character. Quotes are part of their string.
    fn take(&mut self, c: char) -> Within {
        match (self.open, c) {
            _ if self.skips => self.skips = false,
            (Some('"'), '\\') => self.skips = true,
            (Some(open), c) if c == open => self.open = None,
            (Some(_), _) => {}
            (None, '"' | '`') => self.open = Some(c),
            (None, _) => return Within::Action,
        }
        Within::Text
    }
}

/// `inputs` as a word of its own is the root, wherever it is named, and functions are those of the operator.
fn with_root(action: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut written = String::with_capacity(action.len());
    let mut quote = Quote::default();
    let mut before = ' ';
    let mut rest = action;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if quote.take(c) == Within::Action && is_of_word(c) {
            taken = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            let is_apart = !matches!(before, '.' | '$');
            written.push_str(match &rest[..taken] {
                "inputs" if is_apart => "$",
                // Others have a function of this name that cuts elsewhere.
                "slugify" if is_apart => "slugifyLabel",
                word => word,
            });
        } else {
            written.push(c);
        }
        before = c;
        rest = &rest[taken..];
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn actions_are_those_of_templates_and_braces_stay_text() {
        let cases = [
            ("<< inputs.name >>", "{{ $.name }}"),
            ("a-<<- inputs.a | quote ->>-b", "a-{{- $.a | quote -}}-b"),
            ("{{ x }}", "{{ \"{{\" }} x }}"),
            (
                "<< index inputs \"inputs >>\" >>",
                "{{ index $ \"inputs >>\" }}",
            ),
            (
                "<< .inputs $inputs my_inputs >>",
                "{{ .inputs $inputs my_inputs }}",
            ),
            (
                "<< inputs.slugify | slugify >>",
                "{{ $.slugify | slugifyLabel }}",
            ),
            ("<< open", "{{ open"),
            (
                r#"<< "a\\" inputs `b\` inputs >>"#,
                r#"{{ "a\\" $ `b\` $ }}"#,
            ),
            ("<</* it's \"so >> */>>x", "{{/* it's \"so >> */}}x"),
        ];
        for (text, expected) in cases {
            assert_eq!(translated(text), expected);
        }
    }

    #[test]
    fn long_texts_and_words_are_gone_through_once() {
        for text in [
            format!("<< \"{0}\" {0} >>", "a".repeat(1 << 20)),
            "<< \"".repeat(1 << 18),
        ] {
            assert!(translated(&text).len() >= text.len());
        }
    }

    #[test]
    fn a_tree_is_written_so_that_it_reads_the_same() {
        let text = "kind: Config\nspec:\n  list:\n    - a: 1\n      b: 'true'\n    - - x\n      - {}\n    - text: |\n        one\n          two\n  'a: b': \"it's: so\"\n  empty: []\n  none:\n  tail: |+\n    x\n\n";
        let tree = |text: &str| yaml::parse(text, FileId(0)).documents.remove(0).root;
        let read = tree(text);
        let written = of_tree(&read);
        assert!(tree(&written.text).same(&read), "{}", written.text);
        let at = written
            .text
            .lines()
            .position(|line| line.contains("b: 'true'"));
        assert_eq!(written.place_of(at.unwrap() as u32 + 1).line, 5);
    }
}
