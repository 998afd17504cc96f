//! Functions over text.

use smol_str::SmolStr;

use super::Parameter::{Any, Int, Text};
use super::{Function, at, int_at, text_at};
use crate::engine::value::{Entries, MapKind};
use crate::engine::{Fail, Run, Val, print};

pub const FUNCTIONS: &[Function] = &[
    Function::many("print", &[], Any, |run, all| {
        joined(run, all, Spacing::BetweenOthers)
    }),
    Function::many("println", &[], Any, |run, all| {
        joined(run, all, Spacing::Always)
    }),
    Function::many("printf", &[Text], Any, |run, all| {
        print::printf(&mut run.spent, text_at(all, 0), &all[1..]).map(Val::text)
    }),
    Function::many("html", &[], Any, |run, all| {
        let text = argument_text(run, all)?;
        let text = text.replace('&', "&amp;").replace('\'', "&#39;");
        let text = text.replace('<', "&lt;").replace('>', "&gt;");
        Ok(Val::text(text.replace('"', "&#34;")))
    }),
    Function::many("js", &[], Any, |run, all| {
        let text = argument_text(run, all)?;
        let text = text
            .replace('\\', "\\\\")
            .replace('\'', "\\'")
            .replace('"', "\\\"");
        let text = text.replace('<', "\\u003C").replace('>', "\\u003E");
        let text = text.replace('&', "\\u0026").replace('=', "\\u003D");
        Ok(Val::text(text.replace('\n', "\\u000A")))
    }),
    Function::many("urlquery", &[], Any, |run, all| {
        let text = argument_text(run, all)?;
        Ok(Val::text(super::url::escape_query(&text)))
    }),
    Function::fixed("hello", &[], |_, _| Ok(Val::text("Hello!"))),
    Function::text("trim", |text| text.trim().into()),
    Function::text("upper", |text| text.to_uppercase().into()),
    Function::text("lower", |text| text.to_lowercase().into()),
    Function::text("title", |text| title(text).into()),
    Function::text("untitle", |text| untitle(text).into()),
    Function::text("nospace", |text| {
        text.replace(char::is_whitespace, "").into()
    }),
    Function::text("initials", |text| {
        let words = text.split_whitespace();
        words
            .filter_map(|word| word.chars().next())
            .collect::<String>()
            .into()
    }),
    Function::text("swapcase", |text| swapcase(text).into()),
    Function::fixed("substr", &[Int, Int, Text], substr),
    Function::fixed("trunc", &[Int, Text], trunc),
    Function::fixed("repeat", &[Int, Text], |run, all| {
        let (count, text) = (int_at(all, 0), text_at(all, 1));
        let Ok(count) = usize::try_from(count) else {
            return Err(Fail::new("strings: negative Repeat count"));
        };
        run.spent.charge_text(text.len().saturating_mul(count))?;
        Ok(Val::text(text.repeat(count)))
    }),
    Function::texts("trimall", |set, text| {
        text.trim_matches(|c| set.contains(c)).into()
    }),
    Function::texts("trimAll", |set, text| {
        text.trim_matches(|c| set.contains(c)).into()
    }),
    Function::texts("trimSuffix", |end, text| {
        text.strip_suffix(end).unwrap_or(text).into()
    }),
    Function::texts("trimPrefix", |start, text| {
        text.strip_prefix(start).unwrap_or(text).into()
    }),
    Function::fixed("contains", &[Text, Text], |_, all| {
        Ok(Val::Bool(text_at(all, 1).contains(text_at(all, 0))))
    }),
    Function::fixed("hasPrefix", &[Text, Text], |_, all| {
        Ok(Val::Bool(text_at(all, 1).starts_with(text_at(all, 0))))
    }),
    Function::fixed("hasSuffix", &[Text, Text], |_, all| {
        Ok(Val::Bool(text_at(all, 1).ends_with(text_at(all, 0))))
    }),
    Function::many("quote", &[], Any, |run, all| {
        quoted(run, all, |run, value| {
            Ok(print::quoted(&print::strval(&mut run.spent, value)?))
        })
    }),
    Function::many("squote", &[], Any, |run, all| {
        quoted(run, all, |run, value| {
            Ok(format!("'{}'", print::to_text(&mut run.spent, value)?))
        })
    }),
    Function::many("cat", &[], Any, |run, all| {
        quoted(run, all, |run, value| print::to_text(&mut run.spent, value))
    }),
    Function::fixed("indent", &[Int, Text], |run, all| indent(run, all, "")),
    Function::fixed("nindent", &[Int, Text], |run, all| indent(run, all, "\n")),
    Function::fixed("replace", &[Text, Text, Text], |run, all| {
        let (old, new, text) = (text_at(all, 0), text_at(all, 1), text_at(all, 2));
        let count = text.len() / old.len().max(1) + 1;
        run.spent
            .charge((new.len().saturating_mul(count) / 64) as u64)?;
        Ok(Val::text(text.replace(old, new)))
    }),
    Function::fixed("plural", &[Text, Text, Int], |_, all| {
        let nth = if int_at(all, 2) == 1 { 0 } else { 1 };
        Ok(at(all, nth).clone())
    }),
    Function::fixed("toString", &[Any], |run, all| {
        print::strval(&mut run.spent, at(all, 0)).map(Val::text)
    }),
    Function::fixed("toStrings", &[Any], |run, all| {
        Ok(Val::texts(strings(run, at(all, 0))?))
    }),
    Function::fixed("join", &[Text, Any], |run, all| {
        let items = strings(run, at(all, 1))?;
        run.spent
            .charge_text(items.len().saturating_mul(text_at(all, 0).len()))?;
        Ok(Val::text(items.join(text_at(all, 0))))
    }),
    Function::fixed("sortAlpha", &[Any], |run, all| {
        let mut items = strings(run, at(all, 0))?;
        items.sort_unstable();
        Ok(Val::texts(items))
    }),
    Function::fixed("splitList", &[Text, Text], |run, all| {
        split(run, text_at(all, 0), text_at(all, 1), usize::MAX).map(Val::texts)
    }),
    Function::fixed("split", &[Text, Text], |run, all| {
        split(run, text_at(all, 0), text_at(all, 1), usize::MAX).map(numbered)
    }),
    Function::fixed("splitn", &[Text, Int, Text], |run, all| {
        let most = usize::try_from(int_at(all, 1)).unwrap_or(usize::MAX);
        let parts = match most {
            0 => Vec::new(),
            most => split(run, text_at(all, 0), text_at(all, 2), most)?,
        };
        Ok(numbered(parts))
    }),
    Function::fixed("abbrev", &[Int, Text], |_, all| {
        Ok(Val::text(abbreviate(text_at(all, 1), 0, int_at(all, 0))))
    }),
    Function::fixed("abbrevboth", &[Int, Int, Text], |_, all| {
        let (left, right, text) = (int_at(all, 0), int_at(all, 1), text_at(all, 2));
        Ok(Val::text(abbreviate(text, left, right)))
    }),
    Function::fixed("wrap", &[Int, Text], |run, all| {
        let (width, text) = (int_at(all, 0), text_at(all, 1));
        wrap(run, text, width, "\n", Words::Whole).map(Val::text)
    }),
    Function::fixed("wrapWith", &[Int, Text, Text], |run, all| {
        let (width, line, text) = (int_at(all, 0), text_at(all, 1), text_at(all, 2));
        wrap(run, text, width, line, Words::Cut).map(Val::text)
    }),
];

/// The text that `html` and the like escape: one text as it is, or everything printed.
fn argument_text(run: &mut Run, all: &[Val]) -> Result<String, Fail> {
    if let [Val::Text(text)] = all {
        // Each of some signs is replaced apart.
        run.spent.charge(text.len() as u64 / 8)?;
        return Ok(text.to_string());
    }
    let mut out = String::new();
    for value in all {
        print::write(&mut run.spent, value, &mut out, 0)?;
    }
    Ok(out)
}

/// Where `print` puts spaces.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Spacing {
    /// Between operands of which neither is text.
    BetweenOthers,
    /// Between all; a line break follows.
    Always,
}

fn joined(run: &mut Run, all: &[Val], spacing: Spacing) -> Result<Val, Fail> {
    let mut out = String::new();
    let mut was_text = true;
    for (nth, value) in all.iter().enumerate() {
        let is_text = matches!(value, Val::Text(_));
        if nth > 0 && (spacing == Spacing::Always || !is_text && !was_text) {
            out.push(' ');
        }
        was_text = is_text;
        print::write(&mut run.spent, value, &mut out, 0)?;
    }
    if spacing == Spacing::Always {
        out.push('\n');
    }
    Ok(Val::text(out))
}

/// All values that are not null, each written by a function, with spaces between.
fn quoted(
    run: &mut Run,
    all: &[Val],
    write: fn(&mut Run, &Val) -> Result<String, Fail>,
) -> Result<Val, Fail> {
    let mut parts = Vec::with_capacity(all.len());
    for value in all.iter().filter(|value| !value.is_null()) {
        parts.push(write(run, value)?);
    }
    Ok(Val::text(parts.join(" ")))
}

fn indent(run: &mut Run, all: &[Val], start: &str) -> Result<Val, Fail> {
    let (spaces, text) = (int_at(all, 0), text_at(all, 1));
    let Ok(spaces) = usize::try_from(spaces) else {
        return Err(Fail::new("strings: negative Repeat count"));
    };
    let lines = text.matches('\n').count() + 1;
    run.spent.charge_text(lines.saturating_mul(spaces))?;
    let pad = " ".repeat(spaces);
    let mut out = String::with_capacity(text.len() + lines * spaces + 1);
    out.push_str(start);
    out.push_str(&pad);
    for (nth, line) in text.split('\n').enumerate() {
        if nth > 0 {
            out.push('\n');
            out.push_str(&pad);
        }
        out.push_str(line);
    }
    Ok(Val::text(out))
}

/// The texts of a list without its nulls, as `join` sees them; anything else is one text.
pub fn strings(run: &mut Run, value: &Val) -> Result<Vec<String>, Fail> {
    let items = match value.items() {
        Some(items) => items,
        None if value.is_null() => return Ok(Vec::new()),
        None => vec![value.clone()],
    };
    let mut texts = Vec::with_capacity(items.len());
    for item in items.iter().filter(|item| !item.is_null()) {
        let text = print::strval(&mut run.spent, item)?;
        run.spent.charge_text(text.len())?;
        texts.push(text);
    }
    Ok(texts)
}

/// Go's `strings.SplitN`: an empty separator splits into characters.
fn split(run: &mut Run, separator: &str, text: &str, most: usize) -> Result<Vec<String>, Fail> {
    let count = match separator {
        "" => text.len(),
        _ => text.matches(separator).count() + 1,
    };
    run.spent.charge(count.min(most) as u64 * 2)?;
    if !separator.is_empty() {
        return Ok(text.splitn(most, separator).map(str::to_owned).collect());
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if parts.len() + 1 >= most {
            parts.push(rest.to_owned());
            break;
        }
        parts.push(c.to_string());
        rest = &rest[c.len_utf8()..];
    }
    Ok(parts)
}

/// Parts as `_0`, `_1` and so on.
fn numbered(parts: Vec<String>) -> Val {
    let parts = parts.into_iter().enumerate();
    let entries: Entries = parts
        .map(|(nth, part)| (format!("_{nth}").into(), Val::text(part)))
        .collect();
    Val::of_kind(entries, MapKind::Texts)
}

/// A range of bytes as text; Go would cut characters, which yields no valid manifest.
fn cut(text: &str, from: usize, to: usize) -> SmolStr {
    String::from_utf8_lossy(&text.as_bytes()[from..to]).into()
}

fn trunc(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let (count, text) = (int_at(all, 0), text_at(all, 1));
    let length = text.len();
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    Ok(Val::Text(if size >= length {
        text.into()
    } else if count < 0 {
        cut(text, length - size, length)
    } else {
        cut(text, 0, size)
    }))
}

fn substr(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let (start, end, text) = (int_at(all, 0), int_at(all, 1), text_at(all, 2));
    let length = text.len() as i64;
    let (from, to) = if start < 0 {
        (0, end)
    } else if end < 0 || end > length {
        (start, length)
    } else {
        (start, end)
    };
    if from < 0 || to < from || to > length {
        return Err(Fail::new(format!(
            "runtime error: slice bounds out of range [{from}:{to}]"
        )));
    }
    Ok(Val::Text(cut(text, from as usize, to as usize)))
}

/// Go's `strings.Title`: upper case after anything that is not a letter, digit, underscore or apostrophe.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        if is_separator(previous) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
        previous = c;
    }
    out
}

fn is_separator(c: char) -> bool {
    if c.is_ascii() {
        !(c.is_ascii_alphanumeric() || c == '_')
    } else {
        !c.is_alphanumeric() && c.is_whitespace()
    }
}

fn untitle(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_start = true;
    for c in text.chars() {
        if is_start && !c.is_whitespace() {
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
        is_start = c.is_whitespace();
    }
    out
}

fn swapcase(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
}

/// `abbrev` and `abbrevboth`.
fn abbreviate(text: &str, offset: i64, width: i64) -> String {
    let length = text.len() as i64;
    if width < 4 || offset > 0 && width < 7 || length <= width {
        return text.to_owned();
    }
    let offset = if offset > length { length } else { offset };
    let offset = if length - offset < width - 3 {
        length - (width - 3)
    } else {
        offset
    };
    let slice = |from: i64, to: i64| cut(text, from.max(0) as usize, to.clamp(0, length) as usize);
    if offset <= 4 {
        return format!("{}...", slice(0, width - 3));
    }
    if offset + width - 3 < length {
        return format!("...{}", abbreviate(&slice(offset, length), 0, width - 3));
    }
    format!("...{}", slice(length - (width - 3), length))
}

/// Treatment of words that are longer than a line.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Words {
    Whole,
    Cut,
}

fn wrap(run: &mut Run, text: &str, width: i64, line: &str, words: Words) -> Result<String, Fail> {
    let width = usize::try_from(width.max(1)).unwrap_or(1);
    let most = (text.len() / width).saturating_mul(line.len());
    run.spent
        .charge_text(most.saturating_add(text.len().saturating_mul(4)))?;
    let all: Vec<char> = text.chars().collect();
    let mut rest = all.as_slice();
    let mut out = String::new();
    while rest.len() > width {
        if rest[0] == ' ' {
            rest = &rest[1..];
            continue;
        }
        let before = (0..=width).rev().find(|at| rest[*at] == ' ');
        let (end, skipped) = match before {
            Some(at) => (at, 1),
            None if words == Words::Cut => (width, 0),
            None => match (width..rest.len()).find(|at| rest[*at] == ' ') {
                Some(at) => (at, 1),
                None => break,
            },
        };
        // Lines may be shorter than the width.
        run.spent.charge(1 + line.len() as u64 / 64)?;
        out.extend(&rest[..end]);
        out.push_str(line);
        rest = &rest[end + skipped..];
    }
    out.extend(rest);
    Ok(out)
}
