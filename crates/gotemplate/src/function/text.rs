//! Functions that return texts, or search and split them. Arguments are converted to the text that an action would
//! print.

use sha2::{Digest, Sha256};

use super::super::Value;
use super::format::printf;
use super::name::{self, normal};
use super::number::sequence;
use base::MARKER;
use base::slash;

pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let texts: Vec<String> = arguments.iter().map(Value::written).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let text = match (name, texts.as_slice()) {
        ("print" | "toString", [one]) => (*one).to_owned(),
        ("cat", _) => {
            let stated = arguments.iter().filter(|one| **one != Value::Nil);
            stated.map(Value::written).collect::<Vec<_>>().join(" ")
        }
        ("print", many) => many.concat(),
        ("printf", [format, ..]) => printf(format, arguments.get(1..)?)?,
        ("quote", many) => {
            let quoted = many
                .iter()
                .map(|one| serde_json::Value::from(*one).to_string());
            quoted.collect::<Vec<_>>().join(" ")
        }
        ("squote", [one]) => format!("'{one}'"),
        ("upper", [one]) => one.to_uppercase(),
        ("lower", [one]) => one.to_lowercase(),
        ("title", [one]) => title(one),
        ("trim", [one]) => one.trim().to_owned(),
        ("trimAll", [set, one]) => one.trim_matches(|c| set.contains(c)).to_owned(),
        ("trimPrefix", [prefix, one]) => one.strip_prefix(prefix).unwrap_or(one).to_owned(),
        ("trimSuffix", [suffix, one]) => one.strip_suffix(suffix).unwrap_or(one).to_owned(),
        ("replace", [from, to, one]) => one.replace(from, to),
        ("trunc", [_, one]) => truncated(arguments.first()?, one)?,
        ("substr", [_, _, one]) => substring(arguments, one)?,
        ("nospace", [one]) => one.split_whitespace().collect(),
        ("indent", [_, one]) => indented(arguments.first()?, one)?,
        ("nindent", [_, one]) => format!("\n{}", indented(arguments.first()?, one)?),
        ("repeat", [_, one]) => match arguments.first()? {
            Value::Int(count @ 0..=1000) => one.repeat(*count as usize),
            _ => return None,
        },
        ("join", [separator, _]) => match arguments.get(1)? {
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Value::written).collect();
                items.join(separator)
            }
            other => other.written(),
        },
        ("kebabcase", [one]) => one.to_lowercase().replace([' ', '_'], "-"),
        ("snakecase", [one]) => one.to_lowercase().replace([' ', '-'], "_"),
        ("camelcase", [one]) => name::camel(one)?,
        ("normalize", [one]) => normal(one),
        ("slugify", _) => name::slug(arguments)?,
        ("slugifyLabel", [one]) => name::label(one)?,
        ("base", [one]) => slash::last(one).to_owned(),
        ("dir", [one]) => slash::directory(one),
        ("clean", [one]) => slash::clean(one),
        // A secret must stay recognisable, so it is not encoded.
        ("b64enc" | "sha256sum", [one]) if one.contains(MARKER) => MARKER.to_owned(),
        ("b64enc", [one]) => yaml::encode_base64(one.as_bytes()).replace('\n', ""),
        ("sha256sum", [one]) => format!("{:x}", Sha256::digest(one.as_bytes())),
        ("seq", _) => {
            let numbers = sequence(arguments)?.into_iter();
            numbers
                .map(|it| it.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        }
        ("toPrettyJson", [_]) => serde_json::to_string_pretty(&arguments.first()?.json()).ok()?,
        ("toYaml" | "toYamlPretty", [_]) => arguments.first()?.yaml(),
        ("toJson" | "toRawJson", [_]) => arguments.first()?.json().to_string(),
        ("contains", [part, one]) => return Some(Value::Bool(one.contains(part))),
        ("hasPrefix", [prefix, one]) => return Some(Value::Bool(one.starts_with(prefix))),
        ("hasSuffix", [suffix, one]) => return Some(Value::Bool(one.ends_with(suffix))),
        ("splitList", [separator, one]) if !separator.is_empty() => {
            return Some(Value::list(one.split(separator).map(Value::text)));
        }
        ("split", [separator, one]) if !separator.is_empty() => {
            let parts = one.split(separator).enumerate();
            let named = parts.map(|(at, part)| (format!("_{at}").into(), Value::text(part)));
            return Some(Value::map(named));
        }
        ("splitn", [separator, _, one]) if !separator.is_empty() => {
            let Value::Int(most @ 1..) = arguments.get(1)? else {
                return None;
            };
            let parts = one.splitn(*most as usize, separator).enumerate();
            let named = parts.map(|(at, part)| (format!("_{at}").into(), Value::text(part)));
            return Some(Value::map(named));
        }
        _ => return None,
    };
    Some(Value::text(text))
}

fn title(text: &str) -> String {
    let mut start = true;
    let letters = text.chars().flat_map(|c| {
        let first = std::mem::replace(&mut start, c.is_whitespace());
        let upper = first.then(|| c.to_uppercase());
        let same = (!first).then_some(c);
        upper.into_iter().flatten().chain(same)
    });
    letters.collect()
}

fn truncated(length: &Value, text: &str) -> Option<String> {
    let count = text.chars().count();
    match length {
        Value::Int(length @ 0..) => Some(text.chars().take(*length as usize).collect()),
        Value::Int(length) => {
            let kept = length.unsigned_abs() as usize;
            Some(text.chars().skip(count.saturating_sub(kept)).collect())
        }
        _ => None,
    }
}

fn substring(arguments: &[Value], text: &str) -> Option<String> {
    match arguments {
        [Value::Int(from), Value::Int(to), _] => {
            let from = (*from).max(0) as usize;
            let to = usize::try_from(*to).unwrap_or(text.chars().count());
            let kept = text.chars().skip(from).take(to.saturating_sub(from));
            Some(kept.collect())
        }
        _ => None,
    }
}

fn indented(count: &Value, text: &str) -> Option<String> {
    let Value::Int(count @ 0..=200) = count else {
        return None;
    };
    let pad = " ".repeat(*count as usize);
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| format!("{pad}{line}"))
        .collect();
    Some(lines.join("\n"))
}
