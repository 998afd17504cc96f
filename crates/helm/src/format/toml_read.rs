//! Reads TOML, as far as charts need it: everything but dates, which stay text.

use smol_str::SmolStr;

use crate::data::Data;
use crate::engine::unquoted;
use crate::values::coalesce::Table;

/// Maximum nesting of values.
const MAX_DEPTH: usize = 60;

/// A document, or why it cannot be read.
pub fn read(text: &str) -> Result<Data, String> {
    let mut root = Table::new();
    let mut path: Vec<SmolStr> = Vec::new();
    let mut reader = TomlReader { rest: text };
    loop {
        reader.skip(" \t\r\n");
        if reader.rest.is_empty() {
            return Ok(Data::Map(root));
        }
        if let Some(rest) = reader.rest.strip_prefix("[[") {
            reader.rest = rest;
            path = reader.key()?;
            reader.expect("]]")?;
            let (last, leading) = path.split_last().ok_or("a table has no name")?;
            let table = table_at(&mut root, leading)?;
            let list = table.entry(last.clone()).or_insert(Data::List(Vec::new()));
            match list {
                Data::List(items) => items.push(Data::map()),
                _ => return Err(format!("the key `{last}` is set twice")),
            }
        } else if let Some(rest) = reader.rest.strip_prefix('[') {
            reader.rest = rest;
            path = reader.key()?;
            reader.expect("]")?;
            table_at(&mut root, &path)?;
        } else {
            let key = reader.key()?;
            reader.expect("=")?;
            let value = reader.value(0)?;
            let table = table_at(&mut root, &path)?;
            put(table, &key, value)?;
            reader.skip(" \t\r");
            if !reader.rest.is_empty() && !reader.rest.starts_with('\n') {
                return Err("a line goes on after its value".to_owned());
            }
        }
    }
}

/// The table at a path; the last one of a list of tables.
fn table_at<'t>(root: &'t mut Table, path: &[SmolStr]) -> Result<&'t mut Table, String> {
    let mut table = root;
    for key in path {
        let inner = table.entry(key.clone()).or_insert_with(Data::map);
        let inner = match inner {
            Data::List(items) => items.last_mut().ok_or("a list of tables is empty")?,
            other => other,
        };
        table = match inner {
            Data::Map(map) => map,
            _ => return Err(format!("the key `{key}` is set twice")),
        };
    }
    Ok(table)
}

fn put(table: &mut Table, key: &[SmolStr], value: Data) -> Result<(), String> {
    let (last, leading) = key.split_last().ok_or("a value has no key")?;
    let table = table_at(table, leading)?;
    if table.insert(last.clone(), value).is_some() {
        return Err(format!("the key `{last}` is set twice"));
    }
    Ok(())
}

struct TomlReader<'t> {
    rest: &'t str,
}

impl TomlReader<'_> {
    /// Skips white space and comments.
    fn skip(&mut self, spaces: &str) {
        loop {
            self.rest = self.rest.trim_start_matches(|c| spaces.contains(c));
            let Some(comment) = self.rest.strip_prefix('#') else {
                return;
            };
            self.rest = &comment[comment.find('\n').unwrap_or(comment.len())..];
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        self.skip(" \t");
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.ok_or_else(|| format!("expected `{sign}`"))?;
        Ok(())
    }

    /// A key with dots.
    fn key(&mut self) -> Result<Vec<SmolStr>, String> {
        let mut parts = Vec::new();
        loop {
            self.skip(" \t");
            let part = if self.rest.starts_with(['"', '\'']) {
                self.text()?
            } else {
                let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                let end = self.rest.find(|c| !is_bare(c)).unwrap_or(self.rest.len());
                let (part, rest) = self.rest.split_at(end);
                self.rest = rest;
                part.into()
            };
            if part.is_empty() {
                return Err("a key is empty".to_owned());
            }
            parts.push(part);
            self.skip(" \t");
            match self.rest.strip_prefix('.') {
                Some(rest) => self.rest = rest,
                None => return Ok(parts),
            }
        }
    }

    fn text(&mut self) -> Result<SmolStr, String> {
        for quote in ["\"\"\"", "'''", "\"", "'"] {
            let Some(inside) = self.rest.strip_prefix(quote) else {
                continue;
            };
            let mut from = 0;
            let end = loop {
                let found = inside[from..].find(quote).ok_or("a text is not closed")?;
                let before = &inside[..from + found];
                let escapes = before.len() - before.trim_end_matches('\\').len();
                if quote.starts_with('\'') || escapes % 2 == 0 {
                    break from + found;
                }
                from += found + 1;
            };
            let content = &inside[..end];
            self.rest = &inside[end + quote.len()..];
            let content = if quote.len() == 3 {
                content.strip_prefix('\n').unwrap_or(content)
            } else {
                content
            };
            if quote.starts_with('\'') {
                return Ok(content.into());
            }
            let read = unquoted(&content.replace("\\\n", ""));
            return Ok(read.ok_or("a text has an unknown escape")?.into());
        }
        Err("expected a text".to_owned())
    }

    fn value(&mut self, depth: usize) -> Result<Data, String> {
        if depth > MAX_DEPTH {
            return Err("values are nested too deeply".to_owned());
        }
        self.skip(" \t");
        if self.rest.starts_with(['"', '\'']) {
            return self.text().map(Data::Text);
        }
        if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            let mut items = Vec::new();
            loop {
                self.skip(" \t\r\n");
                if let Some(rest) = self.rest.strip_prefix(']') {
                    self.rest = rest;
                    return Ok(Data::List(items));
                }
                items.push(self.value(depth + 1)?);
                self.skip(" \t\r\n");
                match self.rest.strip_prefix(',') {
                    Some(rest) => self.rest = rest,
                    None if self.rest.starts_with(']') => {}
                    None => return Err("expected `,` or `]`".to_owned()),
                }
            }
        }
        if let Some(rest) = self.rest.strip_prefix('{') {
            self.rest = rest;
            let mut table = Table::new();
            loop {
                self.skip(" \t\r\n");
                if let Some(rest) = self.rest.strip_prefix('}') {
                    self.rest = rest;
                    return Ok(Data::Map(table));
                }
                let key = self.key()?;
                self.expect("=")?;
                let value = self.value(depth + 1)?;
                put(&mut table, &key, value)?;
                self.skip(" \t\r\n");
                if let Some(rest) = self.rest.strip_prefix(',') {
                    self.rest = rest;
                }
            }
        }
        self.bare()
    }

    /// A number, a truth value or a date.
    fn bare(&mut self) -> Result<Data, String> {
        let end = self.rest.find([',', ']', '}', '\n', '#']);
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let text = text.trim();
        let plain = text.replace('_', "");
        let radix = |prefix: &str, radix: u32| {
            let digits = plain.strip_prefix(prefix)?;
            i64::from_str_radix(digits, radix).ok()
        };
        let prefixed = radix("0x", 16).or(radix("0o", 8)).or(radix("0b", 2));
        if let Some(number) = prefixed.or_else(|| plain.parse().ok()) {
            return Ok(Data::Int(number));
        }
        match text {
            "true" => Ok(Data::Bool(true)),
            "false" => Ok(Data::Bool(false)),
            // A date or time.
            _ if text.starts_with(|c: char| c.is_ascii_digit())
                && text[1..].contains(['-', ':']) =>
            {
                Ok(plain
                    .parse()
                    .map_or_else(|_| Data::Text(text.into()), Data::Float))
            }
            _ if plain.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c)) => {
                let number = plain.parse().map(Data::Float);
                number.map_err(|_| format!("`{text}` is not a value"))
            }
            _ => Err(format!("`{text}` is not a value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        let text = "# c\na = 1\nb.c = [1.5, 'x', { d = true }]\n[t.u]\nv = \"\\u00e9\\n\"\n[[l]]\nk = 0x1F\n[[l]]\nk = 2\nm = '''\nraw\\'''\n";
        let read = read(text).unwrap();
        assert_eq!(read.get("a"), Some(&Data::Int(1)));
        let inner = read.get("t").and_then(|t| t.get("u")?.get("v"));
        assert_eq!(inner, Some(&Data::Text("é\n".into())));
        let Some(Data::List(items)) = read.get("l") else {
            panic!("{read:?}");
        };
        assert_eq!(items[0].get("k"), Some(&Data::Int(31)));
        assert_eq!(items[1].get("m"), Some(&Data::Text("raw\\".into())));
        for bad in [
            "a",
            "a = ",
            "a = 1\na = 2",
            "[a",
            "a = \"x",
            "a = {b = 1",
            "a = 1 2",
        ] {
            assert!(super::read(bad).is_err(), "{bad}");
        }
    }
}
