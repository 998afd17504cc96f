//! Timestamps: plain scalars such as `2024-01-31` have a type of their own. kustomize converts objects through JSON,
//! which normalises them.

/// The JSON form of a timestamp; `None` for any other text.
pub fn normal_form(text: &str) -> Option<String> {
    // Reject cheaply first: almost no scalar begins with a year.
    let bytes = text.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (year, rest) = (text[..4].parse::<u32>().ok()?, &text[5..]);
    let (month, rest) = number(rest)?;
    let (day, rest) = number(rest.strip_prefix('-')?)?;
    if !(1..=12).contains(&month) || !(1..=days(year, month)).contains(&day) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if rest.is_empty() {
        return Some(format!("{date}T00:00:00Z"));
    }
    let (hour, rest) = number(rest.strip_prefix(['T', 't', ' '])?)?;
    let (minute, rest) = number(rest.strip_prefix(':')?)?;
    let (second, rest) = number(rest.strip_prefix(':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            rest.split_at(end.unwrap_or(rest.len()))
        }
    };
    let fraction = match fraction.trim_end_matches('0') {
        "" => String::new(),
        digits => format!(".{}", &digits[..digits.len().min(9)]),
    };
    // After a blank between date and time, no offset may follow; otherwise one must.
    let spaced = text.contains(' ');
    let offset = match rest {
        "" if spaced => "Z",
        "Z" if !spaced => "Z",
        _ if !spaced && is_offset(rest) => rest,
        _ => return None,
    };
    Some(format!(
        "{date}T{hour:02}:{minute:02}:{second:02}{fraction}{offset}"
    ))
}

/// One or two digits.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len())
        .min(2);
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_offset(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 6
        && matches!(bytes[0], b'+' | b'-')
        && bytes[3] == b':'
        && [1, 2, 4, 5].iter().all(|&i| bytes[i].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_take_one_form_and_other_texts_none() {
        for (text, form) in [
            ("2024-01-31", Some("2024-01-31T00:00:00Z")),
            ("2024-1-2", Some("2024-01-02T00:00:00Z")),
            ("2024-01-31 10:00:00", Some("2024-01-31T10:00:00Z")),
            (
                "2024-01-31T10:00:00.500+02:00",
                Some("2024-01-31T10:00:00.5+02:00"),
            ),
            ("2024-02-30", None),
            ("2024-01-31T10:00:00", None),
            ("2024-01-31-suffix", None),
            ("2024-é1-31", None),
        ] {
            assert_eq!(normal_form(text).as_deref(), form, "{text}");
        }
    }
}
