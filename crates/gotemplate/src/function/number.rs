//! Functions over integers, and sequences of them. Overflow is a fault.

use super::super::Value;

pub fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    const NAMES: &[&str] = &[
        "int", "int64", "toInt", "atoi", "add", "add1", "sub", "mul", "div", "mod", "max", "min",
    ];
    if !NAMES.contains(&name) {
        return None;
    }
    let integers: Option<Vec<i64>> = arguments.iter().map(integer).collect();
    let value = match (name, integers?.as_slice()) {
        ("int" | "int64" | "toInt", [one]) => *one,
        ("atoi", [one]) => *one,
        ("add", many) => many
            .iter()
            .try_fold(0i64, |sum, one| sum.checked_add(*one))?,
        ("add1", [one]) => one.checked_add(1)?,
        ("sub", [a, b]) => a.checked_sub(*b)?,
        ("mul", many) => many
            .iter()
            .try_fold(1i64, |sum, one| sum.checked_mul(*one))?,
        ("div", [a, b]) => a.checked_div(*b)?,
        ("mod", [a, b]) => a.checked_rem(*b)?,
        ("max", many) => *many.iter().max()?,
        ("min", many) => *many.iter().min()?,
        _ => return None,
    };
    Some(Value::Int(value))
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) => Some(*value as i64),
        Value::Text(text) => Some(text.parse().unwrap_or(0)),
        Value::Nil => Some(0),
        _ => None,
    }
}

/// `seq 3`, `seq 2 5` and `seq 1 2 9`, like the program of that name.
pub fn sequence(arguments: &[Value]) -> Option<Vec<i64>> {
    match arguments {
        [Value::Int(end)] => steps(1, *end, if *end < 1 { -1 } else { 1 }, RangeEnd::Inclusive),
        [Value::Int(start), Value::Int(end)] => steps(
            *start,
            *end,
            if end < start { -1 } else { 1 },
            RangeEnd::Inclusive,
        ),
        [Value::Int(start), Value::Int(step), Value::Int(end)] => {
            steps(*start, *end, *step, RangeEnd::Inclusive)
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RangeEnd {
    Inclusive,
    Exclusive,
}

pub fn steps(start: i64, end: i64, step: i64, last: RangeEnd) -> Option<Vec<i64>> {
    const MAX: usize = 100_000;
    let mut numbers = Vec::new();
    let mut at = start;
    while step != 0
        && ((at < end) == (step > 0) && at != end || at == end && last == RangeEnd::Inclusive)
    {
        if numbers.len() >= MAX {
            return None;
        }
        numbers.push(at);
        at = at.checked_add(step)?;
    }
    Some(numbers)
}
