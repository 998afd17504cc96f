//! A table of `catalog.toml` with the place of every key and value; the only user of the TOML parser.
//! Reading a value of the wrong type adds a mistake and goes on without it.

use base::text::nearest;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::Mistakes;

/// A table, and the place of its header or braces.
pub(super) struct TomlSection<'t> {
    table: &'t DeTable<'t>,
    header: Range<usize>,
}

/// A string, and where it was written.
#[derive(Clone)]
pub(super) struct TomlText {
    pub value: String,
    pub span: Range<usize>,
}

/// The entries of a list that is compiled in, read like those of a user.
pub(super) fn built_in<T>(
    file: &str,
    text: &str,
    table: &str,
    read: impl Fn(&[TomlSection], &mut Mistakes) -> Vec<T>,
) -> Vec<T> {
    let mut mistakes = Mistakes::new(text);
    let parsed = document(text, &mut mistakes);
    let sections = TomlSection::top(&parsed).sections(table, &mut mistakes);
    let entries = read(&sections, &mut mistakes);
    mistakes
        .into_result(file, entries)
        .expect("a test reads this file, which is part of the program")
}

/// The values of a list.
pub(super) fn texts(list: Vec<TomlText>) -> Vec<String> {
    list.into_iter().map(|text| text.value).collect()
}

/// Parses as much of the document as there is, and adds the errors of syntax to `mistakes`.
pub(super) fn document<'s>(text: &'s str, mistakes: &mut Mistakes) -> DeTable<'s> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        mistakes.add_syntax(span, format!("invalid TOML: {}", error.message()));
    }
    table.into_inner()
}

impl<'t> TomlSection<'t> {
    pub(super) fn top(table: &'t DeTable<'t>) -> TomlSection<'t> {
        TomlSection {
            table,
            header: 0..0,
        }
    }

    /// Adds a mistake for every key that is not among `keys`.
    pub(super) fn allow_only(&self, keys: &[&str], mistakes: &mut Mistakes) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if keys.contains(&name) {
                continue;
            }
            let help = match nearest(name, keys) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("valid keys are {}", listed(keys)),
            };
            let message = format!("unknown key `{name}`");
            mistakes.add(key.span(), message).help(help);
        }
    }

    pub(super) fn optional(&self, key: &str, mistakes: &mut Mistakes) -> Option<TomlText> {
        let value = self.table.get(key)?;
        text(key, value, mistakes)
    }

    pub(super) fn required(&self, key: &str, mistakes: &mut Mistakes) -> Option<TomlText> {
        self.require(key, mistakes);
        self.optional(key, mistakes)
    }

    /// A number that is not negative, and where it was written.
    pub(super) fn integer(
        &self,
        key: &str,
        mistakes: &mut Mistakes,
    ) -> Option<(u32, Range<usize>)> {
        let value = self.table.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(integer) => {
                u32::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
            _ => {
                let message = format!("`{key}` must be an integer, not {}", article(value));
                mistakes
                    .add(value.span(), message)
                    .help("write the number without quotes");
                return None;
            }
        };
        if number.is_none() {
            mistakes
                .add(value.span(), format!("`{key}` is out of range"))
                .help("use a small number that is not negative");
        }
        Some((number?, value.span()))
    }

    /// Byte range of its header in the file.
    pub(super) fn header(&self) -> Range<usize> {
        self.header.clone()
    }

    /// The strings of a list; none when there is no such key.
    pub(super) fn list(&self, key: &str, mistakes: &mut Mistakes) -> Vec<TomlText> {
        let Some(value) = self.table.get(key) else {
            return Vec::new();
        };
        let Some(items) = value.get_ref().as_array() else {
            let message = format!("`{key}` must be a list of strings, not {}", article(value));
            mistakes
                .add(value.span(), message)
                .help(format!("write `{key} = [\"…\"]`"));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            texts.extend(text(key, item, mistakes));
        }
        texts
    }

    pub(super) fn required_list(&self, key: &str, mistakes: &mut Mistakes) -> Vec<TomlText> {
        self.require(key, mistakes);
        self.list(key, mistakes)
    }

    /// The tables of an array of tables; none when there is no such key.
    pub(super) fn sections(&self, key: &str, mistakes: &mut Mistakes) -> Vec<TomlSection<'t>> {
        let Some(value) = self.table.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            let message = format!("`{key}` must be a list of tables, not {}", article(value));
            let help = match value.get_ref() {
                DeValue::Table(_) => format!("write `[[{key}]]`, with two brackets"),
                _ => format!("write `[[{key}]]` on a line of its own, and its keys below"),
            };
            mistakes.add(value.span(), message).help(help);
            return Vec::new();
        };
        let mut sections = Vec::new();
        for item in items {
            if let DeValue::Table(table) = item.get_ref() {
                let header = item.span();
                sections.push(TomlSection { table, header });
            } else {
                let message = format!("each `{key}` must be a table, not {}", article(item));
                mistakes.add(item.span(), message).help(format!(
                    "write `[[{key}]]` on a line of its own, and its keys below"
                ));
            }
        }
        sections
    }

    /// The table under a key; none when there is no such key.
    pub(super) fn section(&self, key: &str, mistakes: &mut Mistakes) -> Option<TomlSection<'t>> {
        let value = self.table.get(key)?;
        if let DeValue::Table(table) = value.get_ref() {
            let header = value.span();
            return Some(TomlSection { table, header });
        }
        let message = format!("`{key}` must be a table, not {}", article(value));
        let help = format!("write `[{key}]` on a line of its own, and its keys below");
        mistakes.add(value.span(), message).help(help);
        None
    }

    /// All keys with their values, each a string.
    pub(super) fn strings(&self, mistakes: &mut Mistakes) -> Vec<(TomlText, TomlText)> {
        let mut strings = Vec::new();
        for (key, value) in self.table.iter() {
            let name = TomlText {
                value: key.get_ref().to_string(),
                span: key.span(),
            };
            let value = text(&name.value, value, mistakes);
            strings.extend(value.map(|value| (name, value)));
        }
        strings.sort_by_key(|(name, _)| name.span.start);
        strings
    }

    /// Adds a mistake where none of these keys is there.
    pub(super) fn require_one_of(&self, keys: &[&str], mistakes: &mut Mistakes) {
        if !keys.iter().any(|key| self.table.contains_key(*key)) {
            let message = format!("one of the keys {} is required", listed(keys));
            mistakes
                .add_missing(self.header.clone(), message)
                .help("add the rule, path or component that the entry applies to");
        }
    }

    fn require(&self, key: &str, mistakes: &mut Mistakes) {
        if !self.table.contains_key(key) {
            mistakes
                .add_missing(self.header.clone(), format!("the key `{key}` is missing"))
                .help(format!("add `{key} = …` to this table"));
        }
    }
}

fn text(key: &str, value: &Spanned<DeValue>, mistakes: &mut Mistakes) -> Option<TomlText> {
    if let DeValue::String(string) = value.get_ref() {
        return Some(TomlText {
            value: string.to_string(),
            span: value.span(),
        });
    }
    let message = format!("`{key}` must be a string, not {}", article(value));
    mistakes.add(value.span(), message).help("quote the value");
    None
}

fn article(value: &Spanned<DeValue>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn listed(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_suggested_only_when_it_is_near() {
        let keys = ["title", "external_crds", "cluster"];
        assert_eq!(nearest("tilte", &keys), Some("title"));
        assert_eq!(nearest("Clusters", &keys), Some("cluster"));
        assert_eq!(nearest("external-crd", &keys), Some("external_crds"));
        assert_eq!(nearest("crds", &keys), Some("external_crds"));
        assert_eq!(nearest("environments", &keys), None);
        assert_eq!(nearest("", &keys), None);
    }
}
