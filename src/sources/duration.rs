//! Durations as manifests write them. Pure text.

/// A duration as Go writes it: `1h30m`, `90s`, `500ms`.
pub fn seconds(text: &str) -> Option<u64> {
    let mut total = 0.0;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let units = [
            ("ms", 0.001),
            ("us", 0.0),
            ("µs", 0.0),
            ("ns", 0.0),
            ("h", 3600.0),
            ("m", 60.0),
            ("s", 1.0),
        ];
        let (unit, factor) = units.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
        total += number * factor;
        rest = &rest[unit.len()..];
    }
    Some(total as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        let cases = [
            ("10m0s", Some(600)),
            ("1h", Some(3600)),
            ("1h30m", Some(5400)),
            ("1.5m", Some(90)),
            ("500ms", Some(0)),
            ("${INTERVAL}", None),
            ("10", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
