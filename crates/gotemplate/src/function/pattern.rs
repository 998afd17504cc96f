//! Functions with regular expressions. Large expressions are not supported.

use super::super::run::Runner;
use super::super::{Fault, MAX_TEXT, Value};
use base::pattern;

/// Cost of each call besides the text it searches.
const CALL: u64 = 1000;

/// Calls a function with a regular expression; `None` if it is not one, or not supported.
pub fn call(runner: &mut Runner, name: &str, arguments: &[Value]) -> Result<Option<Value>, Fault> {
    let (expression, text, rest) = match (name, arguments) {
        ("regexMatch" | "regexFind", [Value::Text(expression), Value::Text(text)]) => {
            (expression, text, None)
        }
        (
            "regexReplaceAll" | "regexReplaceAllLiteral" | "regexSplit" | "regexFindAll",
            [Value::Text(expression), Value::Text(text), rest],
        ) => (expression, text, Some(rest)),
        _ => return Ok(None),
    };
    runner.charge(CALL + expression.len() as u64)?;
    let Some((found, states)) = pattern::measured(expression) else {
        return Ok(None);
    };
    // Each search may visit the rest of the text once per state of the expression.
    let search = |runner: &mut Runner, from: usize| {
        let left = (text.len() - from + 1) as u64;
        runner.charge(left.saturating_mul(states))
    };
    search(runner, 0)?;
    if rest.is_some() {
        let with = match rest {
            Some(Value::Text(with)) => with.len(),
            _ => 0,
        };
        let mut made = 0usize;
        for one in found.find_iter(text) {
            search(runner, one.start())?;
            made = made.saturating_add(with.saturating_mul(1 + one.len()));
            if made > MAX_TEXT {
                return Err(runner.too_much());
            }
        }
    }
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
        _ => return Ok(None),
    };
    Ok(Some(value))
}
