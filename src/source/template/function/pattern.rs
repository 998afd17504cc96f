//! Regular expressions in templates. One that is too large is not followed.

use super::super::super::pattern;
use super::super::Value;

/// What each call counts as work, apart from the text that it looks at.
const CALL: usize = 1000;
/// Looking at a character costs more than writing it.
const CHARACTER: usize = 16;

/// What a function of this kind gives, and what that costs.
pub fn call(name: &str, arguments: &[Value]) -> Option<(Value, usize)> {
    let (expression, text, rest) = match (name, arguments) {
        ("regexMatch" | "regexFind", [Value::Text(expression), Value::Text(text)]) => {
            (expression, text, None)
        }
        (
            "regexReplaceAll" | "regexReplaceAllLiteral" | "regexSplit" | "regexFindAll",
            [Value::Text(expression), Value::Text(text), rest],
        ) => (expression, text, Some(rest)),
        _ => return None,
    };
    let found = pattern::small(expression)?;
    let value = match (name, rest) {
        ("regexMatch", _) => Value::Bool(found.is_match(text)),
        ("regexFind", _) => Value::text(found.find(text).map_or("", |it| it.as_str())),
        ("regexReplaceAll", Some(Value::Text(with))) => {
            Value::text(found.replace_all(text, with.as_str()))
        }
        ("regexReplaceAllLiteral", Some(Value::Text(with))) => {
            Value::text(found.replace_all(text, pattern::Literal(with)))
        }
        ("regexSplit", Some(Value::Int(-1))) => Value::list(found.split(text).map(Value::text)),
        ("regexSplit", Some(Value::Int(most @ 1..))) => {
            Value::list(found.splitn(text, *most as usize).map(Value::text))
        }
        ("regexFindAll", Some(Value::Int(-1))) => {
            Value::list(found.find_iter(text).map(|it| Value::text(it.as_str())))
        }
        ("regexFindAll", Some(Value::Int(most @ 0..))) => {
            let first = found.find_iter(text).take(*most as usize);
            Value::list(first.map(|it| Value::text(it.as_str())))
        }
        _ => return None,
    };
    Some((value, CALL + text.len() * CHARACTER))
}
