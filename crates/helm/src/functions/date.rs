//! Dates. The present is unknown here: what is computed from it becomes a placeholder.

use smol_str::SmolStr;

use super::Parameter::{Any, Text, Time as TimeType};
use super::{Function, at, text_at};
use crate::engine::{Fail, Run, Val};
use std::rc::Rc;

/// A moment in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// So many nanoseconds after the present, which nobody asks for.
    Now(i128),
    /// Seconds since 1970.
    At(i64),
}

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("now", &[], |_, _| Ok(Val::Time(Rc::new(Time::Now(0))))),
    Function::fixed("date", &[Text, Any], |run, all| {
        in_zone(run, text_at(all, 0), at(all, 1))
    }),
    Function::fixed("dateInZone", &[Text, Any, Text], |run, all| {
        in_zone(run, text_at(all, 0), at(all, 1))
    }),
    Function::fixed("date_in_zone", &[Text, Any, Text], |run, all| {
        in_zone(run, text_at(all, 0), at(all, 1))
    }),
    Function::fixed("htmlDate", &[Any], |run, all| {
        in_zone(run, "2006-01-02", at(all, 0))
    }),
    Function::fixed("htmlDateInZone", &[Any, Text], |run, all| {
        in_zone(run, "2006-01-02", at(all, 0))
    }),
    Function::fixed("dateModify", &[Text, TimeType], |_, all| {
        Ok(modified(all).unwrap_or_else(|| at(all, 1).clone()))
    }),
    Function::fixed("date_modify", &[Text, TimeType], |_, all| {
        Ok(modified(all).unwrap_or_else(|| at(all, 1).clone()))
    }),
    Function::fixed("mustDateModify", &[Text, TimeType], |_, all| {
        modified(all).ok_or_else(|| invalid_duration(text_at(all, 0)))
    }),
    Function::fixed("must_date_modify", &[Text, TimeType], |_, all| {
        modified(all).ok_or_else(|| invalid_duration(text_at(all, 0)))
    }),
    Function::fixed("toDate", &[Text, Text], |run, all| {
        charge_layout(run, text_at(all, 0))?;
        let read = parse(text_at(all, 0), text_at(all, 1));
        // The year 1, as Go has it.
        Ok(time(read.unwrap_or(-62_135_596_800)))
    }),
    Function::fixed("mustToDate", &[Text, Text], |run, all| {
        let (layout, text) = (text_at(all, 0), text_at(all, 1));
        charge_layout(run, layout)?;
        let read = parse(layout, text);
        read.map(time)
            .ok_or_else(|| Fail::new(format!("parsing time {text:?} as {layout:?}: cannot parse")))
    }),
    Function::fixed("unixEpoch", &[TimeType], |run, all| {
        Ok(match at(all, 0) {
            Val::Time(moment) => match **moment {
                Time::At(seconds) => Val::text(seconds.to_string()),
                Time::Now(_) => Val::text(run.state.placeholder()),
            },
            _ => Val::Nil,
        })
    }),
    Function::fixed("ago", &[Any], |run, _| {
        Ok(Val::text(run.state.placeholder()))
    }),
    Function::fixed("duration", &[Any], |_, all| {
        let seconds = match at(all, 0) {
            Val::Text(text) => text.parse().unwrap_or(0),
            Val::Int64(seconds) => *seconds,
            _ => 0,
        };
        Ok(Val::text(duration_text(seconds)))
    }),
    Function::fixed("durationRound", &[Any], |run, all| {
        let nanoseconds = match at(all, 0) {
            Val::Text(text) => duration(text).unwrap_or(0),
            Val::Int64(nanoseconds) => i128::from(*nanoseconds),
            Val::Time(_) => return Ok(Val::text(run.state.placeholder())),
            _ => 0,
        };
        Ok(Val::text(rounded(nanoseconds)))
    }),
];

fn time(seconds: i64) -> Val {
    Val::Time(Rc::new(Time::At(seconds)))
}

fn moment(value: &Val) -> Time {
    match value {
        Val::Time(time) => **time,
        Val::Int(seconds) | Val::Int64(seconds) => Time::At(*seconds),
        _ => Time::Now(0),
    }
}

/// Every letter of a layout may begin a part.
fn charge_layout(run: &mut Run, layout: &str) -> Result<(), Fail> {
    run.spent.charge(layout.len() as u64)
}

fn in_zone(run: &mut Run, layout: &str, value: &Val) -> Result<Val, Fail> {
    charge_layout(run, layout)?;
    Ok(Val::text(match moment(value) {
        Time::At(seconds) => format(layout, seconds),
        Time::Now(_) => run.state.placeholder(),
    }))
}

/// The time so much later; none if the duration is invalid.
fn modified(all: &[Val]) -> Option<Val> {
    let later = duration(text_at(all, 0))?;
    Some(match moment(at(all, 1)) {
        Time::At(seconds) => {
            let change = i64::try_from(later / 1_000_000_000).unwrap_or(0);
            time(seconds.saturating_add(change))
        }
        Time::Now(before) => Val::Time(Rc::new(Time::Now(before.saturating_add(later)))),
    })
}

fn invalid_duration(text: &str) -> Fail {
    Fail::new(format!("time: invalid duration {text:?}"))
}

/// A method of a time.
pub fn method(run: &mut Run, time: &Time, name: &SmolStr, arguments: &[Val]) -> Result<Val, Fail> {
    let Time::At(seconds) = *time else {
        return Ok(match name.as_str() {
            "Unix" | "UnixNano" | "UnixMilli" => Val::Int64(0),
            "Year" | "Day" | "Hour" | "Minute" | "Second" | "YearDay" => Val::Int(0),
            "UTC" | "Local" | "Add" | "AddDate" | "Truncate" | "Round" => Val::Time(Rc::new(*time)),
            _ => Val::text(run.state.placeholder()),
        });
    };
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let clock = seconds.rem_euclid(DAY);
    Ok(match (name.as_str(), arguments) {
        ("Unix", []) => Val::Int64(seconds),
        ("UnixMilli", []) => Val::Int64(seconds.saturating_mul(1_000)),
        ("UnixNano", []) => Val::Int64(seconds.saturating_mul(1_000_000_000)),
        ("Year", []) => Val::Int(year),
        ("Month", []) => Val::text(MONTHS[month as usize - 1]),
        ("Day", []) => Val::Int(day),
        ("Hour", []) => Val::Int(clock / 3600),
        ("Minute", []) => Val::Int(clock / 60 % 60),
        ("Second", []) => Val::Int(clock % 60),
        ("Weekday", []) => Val::text(WEEKDAYS[weekday(seconds)]),
        ("UTC" | "Local", []) => Val::Time(Rc::new(*time)),
        ("Format", [Val::Text(layout)]) => Val::text(format(layout, seconds)),
        ("String", []) => Val::text(time.to_text()),
        _ => {
            return Err(Fail::new(format!(
                "can't evaluate field {name} in type time.Time"
            )));
        }
    })
}

impl Time {
    pub fn to_text(self) -> String {
        match self {
            Time::Now(_) => super::random::MARK.to_owned() + "now",
            Time::At(seconds) => format("2006-01-02 15:04:05 -0700 MST", seconds),
        }
    }

    pub fn to_rfc3339(self) -> String {
        match self {
            Time::Now(_) => super::random::MARK.to_owned() + "now",
            Time::At(seconds) => format("2006-01-02T15:04:05Z07:00", seconds),
        }
    }
}

/// Year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Days since 1970.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn weekday(seconds: i64) -> usize {
    (seconds.div_euclid(DAY) + 4).rem_euclid(7) as usize
}

/// The elements of Go's layouts, longer ones first.
const ELEMENTS: &[&str] = &[
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "002",
    "06",
    "01",
    "02",
    "03",
    "04",
    "05",
    "-07:00:00",
    "-070000",
    "-07:00",
    "-0700",
    "-07",
    "Z07:00:00",
    "Z070000",
    "Z07:00",
    "Z0700",
    "Z07",
    "15",
    "_2",
    "PM",
    "pm",
    "1",
    "2",
    "3",
    "4",
    "5",
];

/// Splits a layout into its elements and the text between them.
fn elements(layout: &str) -> Vec<(&str, &'static str)> {
    let mut parts = Vec::new();
    let mut rest = layout;
    let mut start = 0;
    while start < rest.len() {
        let tail = &rest[start..];
        match ELEMENTS.iter().find(|element| tail.starts_with(**element)) {
            Some(element) => {
                parts.push((&rest[..start], *element));
                rest = &tail[element.len()..];
                start = 0;
            }
            None => start += tail.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push((rest, ""));
    parts
}

fn format(layout: &str, seconds: i64) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let clock = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let mut out = String::new();
    for (before, element) in elements(layout) {
        out.push_str(before);
        out.push_str(&match element {
            "" => String::new(),
            "January" => MONTHS[month as usize - 1].to_owned(),
            "Jan" => MONTHS[month as usize - 1][..3].to_owned(),
            "Monday" => WEEKDAYS[weekday(seconds)].to_owned(),
            "Mon" => WEEKDAYS[weekday(seconds)][..3].to_owned(),
            "MST" => "UTC".to_owned(),
            "2006" => format!("{year:04}"),
            "06" => format!("{:02}", year.rem_euclid(100)),
            "002" => format!("{:03}", seconds.div_euclid(DAY) - days(year, 1, 1) + 1),
            "01" => format!("{month:02}"),
            "1" => month.to_string(),
            "02" => format!("{day:02}"),
            "_2" => format!("{day:2}"),
            "2" => day.to_string(),
            "15" => format!("{hour:02}"),
            "03" => format!("{twelve:02}"),
            "3" => twelve.to_string(),
            "04" => format!("{minute:02}"),
            "4" => minute.to_string(),
            "05" => format!("{second:02}"),
            "5" => second.to_string(),
            "PM" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            "pm" => if hour < 12 { "am" } else { "pm" }.to_owned(),
            zone if zone.starts_with('Z') => "Z".to_owned(),
            zone => zone.replace('7', "0").replace('-', "+"),
        });
    }
    out
}

/// Seconds since 1970 of a text in a layout.
fn parse(layout: &str, text: &str) -> Option<i64> {
    let (mut year, mut month, mut day, mut clock, mut offset) = (0, 1, 1, 0, 0);
    let mut is_afternoon = None;
    let mut rest = text;
    for (before, element) in elements(layout) {
        rest = rest.strip_prefix(before)?;
        match element {
            "" => {}
            "January" | "Jan" | "Monday" | "Mon" => {
                let names: &[&str] = if element.starts_with('J') {
                    &MONTHS
                } else {
                    &WEEKDAYS
                };
                let cut = if element.len() == 3 { 3 } else { usize::MAX };
                let found = names
                    .iter()
                    .position(|name| rest.starts_with(&name[..name.len().min(cut)]))?;
                rest = &rest[names[found].len().min(cut)..];
                if element.starts_with('J') {
                    month = found as i64 + 1;
                }
            }
            "PM" | "pm" => {
                is_afternoon = Some(rest.get(..2)?.eq_ignore_ascii_case("pm"));
                rest = &rest[2..];
            }
            "MST" => rest = rest.trim_start_matches(|c: char| c.is_ascii_uppercase()),
            zone if zone.starts_with(['-', 'Z']) => (offset, rest) = zone_offset(rest)?,
            element => {
                rest = rest.trim_start_matches(if element == "_2" { " " } else { "\0" });
                let most = if element == "2006" { 4 } else { 2 };
                let digits = rest
                    .bytes()
                    .take(most)
                    .take_while(u8::is_ascii_digit)
                    .count();
                let value: i64 = rest.get(..digits)?.parse().ok()?;
                rest = &rest[digits..];
                match element {
                    "2006" => year = value,
                    "06" => {
                        year = if value >= 69 {
                            1900 + value
                        } else {
                            2000 + value
                        }
                    }
                    "01" | "1" => month = value,
                    "02" | "2" | "_2" => day = value,
                    "15" | "03" | "3" => clock += value * 3600,
                    "04" | "4" => clock += value * 60,
                    "05" | "5" => {
                        clock += value;
                        if let Some(fraction) = rest.strip_prefix('.') {
                            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
                        }
                    }
                    _ => return None,
                }
            }
        }
    }
    let is_date = rest.is_empty() && (1..=12).contains(&month) && (1..=31).contains(&day);
    let clock = match is_afternoon {
        Some(true) if clock < 12 * 3600 => clock + 12 * 3600,
        Some(false) if clock >= 12 * 3600 => clock - 12 * 3600,
        _ => clock,
    };
    is_date.then(|| days(year, month, day) * DAY + clock - offset)
}

fn zone_offset(text: &str) -> Option<(i64, &str)> {
    if let Some(rest) = text.strip_prefix('Z') {
        return Some((0, rest));
    }
    let sign = match text.as_bytes().first()? {
        b'-' => -1,
        b'+' => 1,
        _ => return None,
    };
    let end = text[1..].find(|c: char| !c.is_ascii_digit() && c != ':');
    let (zone, rest) = text.split_at(end.map_or(text.len(), |end| end + 1));
    let digits = zone[1..].replace(':', "");
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4).map_or(Some(0), |text| text.parse().ok())?;
    Some((sign * (hours * 3600 + minutes * 60), rest))
}

/// Go's `time.ParseDuration`, in nanoseconds.
fn duration(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let value: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.');
        let (unit, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        total += value
            * match unit {
                "ns" => 1.0,
                "us" | "µs" | "μs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 6e10,
                "h" => 3.6e12,
                _ => return None,
            };
    }
    Some(sign * total as i128)
}

/// Seconds as Go prints a duration: `1h2m3s`.
fn duration_text(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let size = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (size / 3600, size / 60 % 60, size % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

/// A duration in its largest unit.
fn rounded(nanoseconds: i128) -> String {
    let size = nanoseconds.unsigned_abs();
    const SECOND: u128 = 1_000_000_000;
    let units = [
        (SECOND * 3600 * 24 * 365, "y"),
        (SECOND * 3600 * 24 * 30, "mo"),
        (SECOND * 3600 * 24, "d"),
        (SECOND * 3600, "h"),
        (SECOND * 60, "m"),
        (SECOND, "s"),
    ];
    let found = units.iter().find(|(unit, _)| size > *unit);
    found.map_or("0s".to_owned(), |(unit, name)| {
        format!("{}{name}", size / unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_and_read_in_go_s_layouts() {
        let moment = 1_136_239_445;
        let cases = [
            ("2006-01-02T15:04:05Z07:00", "2006-01-02T22:04:05Z"),
            ("Mon Jan _2 3:04PM 06", "Mon Jan  2 10:04PM 06"),
            ("02.1.2006", "02.1.2006"),
        ];
        for (layout, text) in cases {
            assert_eq!(format(layout, moment), text);
        }
        assert_eq!(
            parse("2006-01-02T15:04:05Z07:00", "2006-01-03T00:04:05+02:00"),
            Some(moment)
        );
        assert_eq!(parse("2006-01-02", "2024-13-01"), None);
        assert_eq!(duration("1h30m"), Some(5_400_000_000_000));
        assert_eq!(duration_text(3_723), "1h2m3s");
        assert_eq!(rounded(duration("2h10m5s").unwrap()), "2h");
    }
}
