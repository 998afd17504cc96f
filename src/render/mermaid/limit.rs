//! How much of a diagram is drawn. The engine counts parts and steps by itself; what it does not count, and would take
//! for ever with, is counted here first. No clock decides, so that a diagram is drawn everywhere or nowhere.

use std::collections::BTreeMap;

use merman::svg::{RenderResourcePolicy, ResourceLimitId};
use serde_json::Value;

use super::engine::{Labels, parse};
use super::{Error, MOST_BYTES};

/// Nodes and edges and whatever else a kind of diagram is made of.
pub const MOST_PARTS: usize = 2_000;
/// Steps of the layout, as the engine counts them: a second or two at the worst.
const MOST_STEPS: usize = 8_000_000;
/// A Gantt chart that leaves out weekends is worked out day by day.
const MOST_DAYS: u64 = 36_500;
const MOST_ELEMENTS: usize = 20_000;
const MOST_SVG_BYTES: usize = 8 * 1024 * 1024;
/// Every level is a few frames of the stack, here and in a browser.
const MOST_DEPTH: usize = 64;

/// The engine's own limits.
pub fn limits() -> RenderResourcePolicy {
    let mut policy = RenderResourcePolicy::constrained();
    for (limit, most) in [
        (ResourceLimitId::MaxSourceBytes, MOST_BYTES),
        (ResourceLimitId::MaxModelItems, MOST_PARTS),
        (ResourceLimitId::MaxModelNestingDepth, MOST_DEPTH),
        (ResourceLimitId::MaxLayoutWorkUnits, MOST_STEPS),
        (ResourceLimitId::MaxSvgElements, MOST_ELEMENTS),
        (ResourceLimitId::MaxSvgBytes, MOST_SVG_BYTES),
    ] {
        policy
            .apply_limit(limit, most)
            .expect("these limits may be set, and none is zero");
    }
    policy
}

/// Where not every day counts, the engine goes through all days of all tasks, and through those from the first to the last.
pub fn count_days(source: &str) -> Result<(), Error> {
    const WORD: &str = "excludes";
    const DAY: f64 = 86_400_000.0;
    let small = source.to_ascii_lowercase();
    if !small.contains(WORD) {
        return Ok(());
    }
    // The same chart with every day in it, as long as this one.
    let mut every_day = source.to_owned();
    for (at, _) in small.match_indices(WORD) {
        let before = small[..at].trim_end_matches([' ', '\t', '\r']);
        if before.is_empty() || before.ends_with(['\n', ';']) {
            every_day.replace_range(at..at + WORD.len(), "%%cludes");
        }
    }
    let chart = parse(&every_day, Labels::Text)?;
    let Ok(model) = chart.compatibility_json() else {
        return Ok(());
    };
    let tasks = model.as_value().get("tasks").and_then(Value::as_array);
    let (mut first, mut last, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for task in tasks.into_iter().flatten() {
        let time = |key: &str| task.get(key).and_then(Value::as_f64);
        if let (Some(start), Some(end)) = (time("startTime"), time("endTime")) {
            first = start.min(first);
            last = end.max(last);
            sum += (end - start).max(0.0);
        }
    }
    let days = (sum + (last - first).max(0.0)) / DAY;
    within("days", days as u64, MOST_DAYS)
}

/// The engine makes a part of every column that is left free, before it counts them.
pub fn count_spaces(source: &str) -> Result<(), Error> {
    let counts = source.to_ascii_lowercase();
    let counts = counts.split("space").skip(1).map(|after| {
        let digits = after.trim_start_matches([' ', '\t', ':']);
        let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
        digits
            .parse()
            .unwrap_or(if digits.is_empty() { 1 } else { u64::MAX })
    });
    let spaces = counts.fold(0, u64::saturating_add);
    within("spaces", spaces, MOST_PARTS as u64)
}

/// A boundary without a name is taken for what is around everything, and the engine never comes to an end.
pub fn check_boundaries(model: &Value) -> Result<(), Error> {
    let boundaries = model.get("boundaries").and_then(Value::as_array);
    let mut parents = BTreeMap::new();
    for boundary in boundaries.into_iter().flatten() {
        let text = |key: &str| {
            boundary
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        parents.insert(text("alias"), text("parentBoundary"));
    }
    for start in parents.keys() {
        let outwards = std::iter::successors(Some(start), |inner| parents.get(*inner));
        if outwards.take(parents.len() + 2).count() > parents.len() + 1 {
            return Err(Error::Source {
                line: None,
                message: "a boundary has no name of its own".to_owned(),
            });
        }
    }
    Ok(())
}

fn within(what: &'static str, count: u64, most: u64) -> Result<(), Error> {
    match count > most {
        true => Err(Error::Large { what, count, most }),
        false => Ok(()),
    }
}
