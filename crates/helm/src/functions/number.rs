//! Functions over numbers.

use std::rc::Rc;

use super::Parameter::{Any, Float, Int};
use super::cast::{to_float, to_int};
use super::{Function, at, int_at};
use crate::engine::value::{GoList, ListKind};
use crate::engine::{Fail, Run, Val, print};

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("int", &[Any], |_, all| Ok(Val::Int(to_int(at(all, 0))))),
    Function::fixed("int64", &[Any], |_, all| Ok(Val::Int64(to_int(at(all, 0))))),
    Function::fixed("float64", &[Any], |_, all| {
        Ok(Val::Float(to_float(at(all, 0))))
    }),
    Function::fixed("atoi", &[super::Parameter::Text], |_, all| {
        Ok(Val::Int(super::text_at(all, 0).parse().unwrap_or(0)))
    }),
    Function::fixed("toDecimal", &[Any], |run, all| {
        let text = print::to_text(&mut run.spent, at(all, 0))?;
        Ok(Val::Int64(i64::from_str_radix(&text, 8).unwrap_or(0)))
    }),
    Function::fixed("add1", &[Any], |_, all| {
        Ok(Val::Int64(to_int(at(all, 0)).wrapping_add(1)))
    }),
    Function::many("add", &[], Any, |_, all| {
        let sum = all.iter().map(to_int).fold(0i64, i64::wrapping_add);
        Ok(Val::Int64(sum))
    }),
    Function::fixed("sub", &[Any, Any], |_, all| {
        Ok(Val::Int64(
            to_int(at(all, 0)).wrapping_sub(to_int(at(all, 1))),
        ))
    }),
    Function::fixed("div", &[Any, Any], |_, all| divided(all, i64::wrapping_div)),
    Function::fixed("mod", &[Any, Any], |_, all| divided(all, i64::wrapping_rem)),
    Function::many("mul", &[Any], Any, |_, all| {
        let product = all.iter().map(to_int).fold(1i64, i64::wrapping_mul);
        Ok(Val::Int64(product))
    }),
    Function::many("max", &[Any], Any, |_, all| integer(all, i64::max)),
    Function::many("biggest", &[Any], Any, |_, all| integer(all, i64::max)),
    Function::many("min", &[Any], Any, |_, all| integer(all, i64::min)),
    Function::many("maxf", &[Any], Any, |_, all| float(all, f64::max)),
    Function::many("minf", &[Any], Any, |_, all| float(all, f64::min)),
    Function::fixed("add1f", &[Any], |_, all| {
        decimal(to_float(at(all, 0)), &[Val::Int(1)], |a, b| a + b)
    }),
    Function::many("addf", &[], Any, |_, all| decimal(0.0, all, |a, b| a + b)),
    Function::many("subf", &[Any], Any, |_, all| {
        decimal(to_float(at(all, 0)), &all[1..], |a, b| a - b)
    }),
    Function::many("divf", &[Any], Any, |_, all| {
        if all[1..].iter().any(|value| to_float(value) == 0.0) {
            return Err(Fail::new("decimal division by 0"));
        }
        decimal(to_float(at(all, 0)), &all[1..], |a, b| {
            // The library divides to 16 decimal places.
            let quotient = a / b;
            format!("{quotient:.16}").parse().unwrap_or(quotient)
        })
    }),
    Function::many("mulf", &[Any], Any, |_, all| {
        decimal(to_float(at(all, 0)), &all[1..], |a, b| a * b)
    }),
    Function::fixed("ceil", &[Any], |_, all| {
        Ok(Val::Float(to_float(at(all, 0)).ceil()))
    }),
    Function::fixed("floor", &[Any], |_, all| {
        Ok(Val::Float(to_float(at(all, 0)).floor()))
    }),
    Function::many("round", &[Any, Int], Float, round),
    Function::fixed("until", &[Int], |run, all| {
        let end = int_at(all, 0);
        let numbers = steps(run, 0, end, if end < 0 { -1 } else { 1 })?;
        Ok(integers(numbers))
    }),
    Function::fixed("untilStep", &[Int, Int, Int], |run, all| {
        let numbers = steps(run, int_at(all, 0), int_at(all, 1), int_at(all, 2))?;
        Ok(integers(numbers))
    }),
    Function::many("seq", &[], Int, seq),
];

fn divided(all: &[Val], divide: fn(i64, i64) -> i64) -> Result<Val, Fail> {
    match to_int(at(all, 1)) {
        0 => Err(Fail::new("runtime error: integer divide by zero")),
        by => Ok(Val::Int64(divide(to_int(at(all, 0)), by))),
    }
}

fn integer(all: &[Val], choose: fn(i64, i64) -> i64) -> Result<Val, Fail> {
    let chosen = all.iter().map(to_int).reduce(choose);
    Ok(Val::Int64(chosen.unwrap_or_default()))
}

fn float(all: &[Val], choose: fn(f64, f64) -> f64) -> Result<Val, Fail> {
    let chosen = all.iter().map(to_float).reduce(choose);
    Ok(Val::Float(chosen.unwrap_or_default()))
}

/// Decimal arithmetic: the result has no more digits than the exact one, up to 16 decimal places.
fn decimal(start: f64, all: &[Val], operate: fn(f64, f64) -> f64) -> Result<Val, Fail> {
    let mut value = start;
    for next in all {
        value = operate(value, to_float(next));
        // Digits beyond the fifteenth may be errors of binary arithmetic: then the shorter number is the exact one.
        let short: f64 = format!("{value:.14e}").parse().unwrap_or(value);
        if (value - short).abs() <= value.abs() * f64::EPSILON * 2.0 && value.fract() != 0.0 {
            let digits = |value: f64| format!("{value:e}").len();
            value = if digits(short) + 3 < digits(value) {
                short
            } else {
                value
            };
        }
    }
    Ok(Val::Float(value))
}

fn round(_: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let (value, places) = (to_float(at(all, 0)), int_at(all, 1));
    let limit = all.get(2).map_or(0.5, to_float);
    let power = 10f64.powi(i32::try_from(places).unwrap_or(0));
    let digit = power * value;
    let rounded = if digit.fract() >= limit {
        digit.ceil()
    } else {
        digit.floor()
    };
    Ok(Val::Float(rounded / power))
}

fn steps(run: &mut Run, start: i64, end: i64, step: i64) -> Result<Vec<i64>, Fail> {
    let is_forward = end >= start;
    if step == 0 || is_forward != (step > 0) {
        return Ok(Vec::new());
    }
    let count = (end.abs_diff(start)).div_ceil(step.unsigned_abs());
    run.spent.charge(count)?;
    let count = i64::try_from(count).unwrap_or_default();
    Ok((0..count).map(|nth| start + nth * step).collect())
}

fn integers(numbers: Vec<i64>) -> Val {
    Val::List(Rc::new(GoList {
        items: numbers.into_iter().map(Val::Int).collect(),
        kind: ListKind::Ints,
    }))
}

/// `seq 3`, `seq 2 5` and `seq 1 2 9`, like the program of that name.
fn seq(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let numbers = match all {
        [_] => {
            let end = int_at(all, 0);
            let step = if end < 1 { -1 } else { 1 };
            steps(run, 1, end.saturating_add(step), step)?
        }
        [_, _] => {
            let (start, end) = (int_at(all, 0), int_at(all, 1));
            let step = if end < start { -1 } else { 1 };
            steps(run, start, end.saturating_add(step), step)?
        }
        [_, _, _] => {
            let (start, step, end) = (int_at(all, 0), int_at(all, 1), int_at(all, 2));
            let beyond = if end < start { -1 } else { 1 };
            if end < start && step > 0 {
                Vec::new()
            } else {
                steps(run, start, end.saturating_add(beyond), step)?
            }
        }
        _ => Vec::new(),
    };
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    Ok(Val::text(texts.join(" ")))
}
