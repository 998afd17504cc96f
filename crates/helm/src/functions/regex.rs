//! Regular expressions, with the meaning that Go gives them.

use regex::{NoExpand, Regex, RegexBuilder};

use super::Parameter::{Int, Text};
use super::{Function, int_at, text_at};
use crate::engine::{Fail, Run, Val};

/// Sizes of compiled expressions, and the number of bytes of a text that are one unit of work for them: at worst, each
/// state of an expression is tried at each byte.
const SIZES: &[(usize, usize)] = &[(64 << 10, 4), (512 << 10, 1)];

/// An expression, and the number of bytes that are one unit of work.
#[derive(Debug, Clone)]
pub struct WeighedRegex {
    regex: Regex,
    bytes: usize,
}

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("regexMatch", &[Text, Text], |run, all| {
        Ok(Val::Bool(match compiled(run, all) {
            Ok(regex) => regex.is_match(text_at(all, 1)),
            Err(_) => false,
        }))
    }),
    Function::fixed("mustRegexMatch", &[Text, Text], |run, all| {
        Ok(Val::Bool(compiled(run, all)?.is_match(text_at(all, 1))))
    }),
    Function::fixed("regexFind", &[Text, Text], find),
    Function::fixed("mustRegexFind", &[Text, Text], find),
    Function::fixed("regexFindAll", &[Text, Text, Int], find_all),
    Function::fixed("mustRegexFindAll", &[Text, Text, Int], find_all),
    Function::fixed("regexReplaceAll", &[Text, Text, Text], replace_all),
    Function::fixed("mustRegexReplaceAll", &[Text, Text, Text], replace_all),
    Function::fixed(
        "regexReplaceAllLiteral",
        &[Text, Text, Text],
        replace_literally,
    ),
    Function::fixed(
        "mustRegexReplaceAllLiteral",
        &[Text, Text, Text],
        replace_literally,
    ),
    Function::fixed("regexSplit", &[Text, Text, Int], split),
    Function::fixed("mustRegexSplit", &[Text, Text, Int], split),
    Function::text("regexQuoteMeta", |text| {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if r"\.+*?()|[]{}^$".contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
        out.into()
    }),
];

/// The expression in the first argument. Expressions are kept for the run.
fn compiled(run: &mut Run, all: &[Val]) -> Result<Regex, Fail> {
    let (pattern, text) = (text_at(all, 0), text_at(all, 1));
    let known = run.state.regexes.get(pattern).cloned();
    let read = match known {
        Some(known) => known,
        None => {
            run.spent.charge(pattern.len() as u64 * 8)?;
            let read = weighed(pattern);
            let read = read.ok_or_else(|| format!("error parsing regexp: {pattern}"));
            run.state.regexes.insert(pattern.into(), read.clone());
            read
        }
    };
    let WeighedRegex { regex, bytes } = read.map_err(Fail::new)?;
    run.spent.charge((text.len() / bytes) as u64)?;
    Ok(regex)
}

fn weighed(pattern: &str) -> Option<WeighedRegex> {
    let translated = translated(pattern);
    SIZES.iter().find_map(|(size, bytes)| {
        let regex = RegexBuilder::new(&translated).size_limit(*size).build();
        let bytes = *bytes;
        regex.ok().map(|regex| WeighedRegex { regex, bytes })
    })
}

/// An expression of Go as one of the `regex` crate: classes are of ASCII, `\Q…\E` quotes, and brackets in classes
/// are literal.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                let Some(next) = characters.next() else {
                    out.push('\\');
                    break;
                };
                let class = match next {
                    'd' => "0-9",
                    'w' => "0-9A-Za-z_",
                    's' => r"\t\n\x0C\r ",
                    'D' => "^0-9",
                    'W' => "^0-9A-Za-z_",
                    'S' => r"^\t\n\x0C\r ",
                    'b' if !in_class => {
                        out.push_str(r"(?-u:\b)");
                        continue;
                    }
                    'Q' => {
                        let rest: String = characters.clone().collect();
                        let quoted = rest.find(r"\E").map_or(rest.as_str(), |end| &rest[..end]);
                        out.push_str(&regex::escape(quoted));
                        let skipped = quoted.chars().count() + 2;
                        characters.by_ref().take(skipped).for_each(drop);
                        continue;
                    }
                    // Go allows any punctuation to be escaped, and so does the crate.
                    other => {
                        out.push('\\');
                        out.push(other);
                        continue;
                    }
                };
                if in_class && !class.starts_with('^') {
                    out.push_str(class);
                } else {
                    out.push_str(&format!("[{class}]"));
                }
            }
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // A bracket that comes first is literal.
                if characters.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
            }
            '[' if characters.peek() == Some(&':') => {
                // `[:alpha:]` means the same in both.
                out.push('[');
                for c in characters.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str("\\["),
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
            }
            '-' if in_class && characters.peek() == Some(&'-') => out.push_str("\\-"),
            c => out.push(c),
        }
    }
    out
}

fn find(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let regex = compiled(run, all)?;
    let found = regex.find(text_at(all, 1));
    Ok(Val::text(found.map_or("", |found| found.as_str())))
}

fn find_all(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let regex = compiled(run, all)?;
    let most = usize::try_from(int_at(all, 2)).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for one in regex.find_iter(text_at(all, 1)).take(most) {
        run.spent.charge(1)?;
        found.push(one.as_str());
    }
    Ok(Val::texts(found))
}

fn replace_all(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let regex = compiled(run, all)?;
    let text = text_at(all, 1);
    let replacement = text_at(all, 2);
    charge_replacing(run, text, replacement)?;
    Ok(Val::text(regex.replace_all(text, replacement).into_owned()))
}

/// Charges as much as if every eighth byte were replaced.
fn charge_replacing(run: &mut Run, text: &str, replacement: &str) -> Result<(), Fail> {
    let most = text.len().saturating_mul(replacement.len().max(1));
    run.spent.charge_text(most / 8)
}

fn replace_literally(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let regex = compiled(run, all)?;
    let (text, replacement) = (text_at(all, 1), text_at(all, 2));
    charge_replacing(run, text, replacement)?;
    let replaced = regex.replace_all(text, NoExpand(replacement));
    Ok(Val::text(replaced.into_owned()))
}

fn split(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let regex = compiled(run, all)?;
    let text = text_at(all, 1);
    let most = int_at(all, 2);
    let mut parts: Vec<&str> = Vec::new();
    if most == 0 {
        return Ok(Val::texts(parts));
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut start = 0;
    let mut end = 0;
    for found in regex.find_iter(text) {
        if parts.len() + 1 >= most {
            break;
        }
        run.spent.charge(1)?;
        end = found.start();
        // An empty match at the start splits nothing off.
        if found.end() != 0 {
            parts.push(&text[start..end]);
        }
        start = found.end();
    }
    if end != text.len() {
        parts.push(&text[start..]);
    }
    Ok(Val::texts(parts))
}
