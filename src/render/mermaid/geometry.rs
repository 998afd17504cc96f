//! Numbers, paths and transformations as attributes: checked sign by sign, and rounded to what can be seen.

/// `value` for an attribute that holds numbers and the letters of paths and transformations; nothing if there is more in it.
pub fn tidy(value: &str, digits: usize) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ,.+-()%\t\n\r".contains(&byte);
    if !value.bytes().all(plain) || value.contains("NaN") || value.contains("inf") {
        return None;
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value.trim();
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '.') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = number_end(rest);
        out.push_str(&rounded(&rest[..end], digits));
        rest = &rest[end..];
    }
    out.push_str(rest);
    Some(out)
}

/// A number of our own, rounded likewise.
pub fn number(value: f64) -> String {
    ((value * 100.0).round() / 100.0).to_string()
}

/// Where a number without sign ends, fraction and exponent included.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let count = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        from + count
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    // `e` also begins `em`.
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end.max(1)
}

fn rounded(number: &str, digits: usize) -> String {
    let short = match number.split_once('.') {
        Some((_, fraction)) => fraction.len() <= digits && !number.contains(['e', 'E']),
        None => !number.contains(['e', 'E']),
    };
    match number.parse::<f64>() {
        Ok(value) if !short && value.is_finite() => {
            let text = format!("{value:.digits$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => number.to_owned(),
    }
}

/// The four numbers of a `viewBox`, if they make an area.
pub fn view_box(value: &str) -> Option<[f64; 4]> {
    let parts = value.split([' ', ',']).filter(|part| !part.is_empty());
    let numbers: Vec<f64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let area: [f64; 4] = numbers.try_into().ok()?;
    let [_, _, width, height] = area;
    let sane = area.iter().all(|number| number.abs() < 1e6) && width > 0.0 && height > 0.0;
    sane.then_some(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_wherever_they_stand() {
        let tidied = |value| tidy(value, 2).unwrap();
        assert_eq!(tidied("M503.4,42L-48.083.5 1e-7Z"), "M503.4,42L-48.08.5 0Z");
        assert_eq!(
            tidied("translate(204.17000000000002,479.9)"),
            "translate(204.17,479.9)"
        );
        assert_eq!(tidied("1.1em"), "1.1em");
        assert_eq!(tidied("100.0001%"), "100%");
        assert_eq!(tidied("A7.5,7.5,0,1,1,7.5,0"), "A7.5,7.5,0,1,1,7.5,0");
    }

    #[test]
    fn what_is_no_geometry_is_refused() {
        for bad in [
            "url(#a)",
            "\"",
            "1;2",
            "<",
            "javascript:x",
            "NaN",
            "é",
            "M0&10",
        ] {
            assert_eq!(tidy(bad, 2), None, "{bad}");
        }
        assert_eq!(tidy("", 2).as_deref(), Some(""));
        assert_eq!(tidy("...e", 2).as_deref(), Some("...e"));
    }

    #[test]
    fn a_view_is_an_area() {
        assert_eq!(view_box("-8 0,10.5 20"), Some([-8.0, 0.0, 10.5, 20.0]));
        for bad in [
            "0 0 0 10",
            "0 0 10",
            "0 0 10 NaN",
            "0 0 1e9 1",
            "a b c d",
            "0 0 -1 5",
            "0 0 1 inf",
        ] {
            assert_eq!(view_box(bad), None, "{bad}");
        }
    }
}
