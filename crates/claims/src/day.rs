//! Days as people write them, in several languages.

/// The day in a text, as `yyyy-mm-dd`; a date that is written otherwise stays as it is.
pub fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let is_date = text.chars().any(|c| c.is_ascii_digit()) && text.chars().count() <= 40;
    day(text).or_else(|| is_date.then(|| text.to_owned()))
}

/// The day in a text, as `yyyy-mm-dd`: `2024-05-06`, `06.05.2024`, `2024年5月6日` or `6 May 2024`.
pub fn day(text: &str) -> Option<String> {
    // Numbers with what follows each.
    let mut numbers: Vec<(u32, &str)> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[at..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - at);
        let after = &rest[at + length..];
        // A longer number is none of a date.
        let number = rest[at..at + length].parse().unwrap_or(u32::MAX);
        numbers.push((number, after));
        if numbers.len() > MOST_NUMBERS {
            break;
        }
        rest = after;
    }
    let is_joined = |a: &str, b: &str, joints: &[&str]| {
        joints
            .iter()
            .any(|joint| a.starts_with(joint) && a.len() >= b.len() + joint.len())
    };
    let numeric = numbers.windows(3).find_map(|three| {
        let [(a, after_a), (b, after_b), (c, after_c)] = three else {
            return None;
        };
        let gap = |from: &str, to: &str| from.len() - to.len();
        let is_near = gap(after_a, after_b) <= 6 && gap(after_b, after_c) <= 7;
        let year_first = is_joined(after_a, after_b, &["-", "/", ".", "年"])
            && is_joined(after_b, after_c, &["-", "/", ".", "月"]);
        let day_first =
            after_a.trim_start_matches(' ').starts_with('.') && after_b.starts_with('.');
        if is_near && year_first && *a >= 1000 {
            return written(*a, *b, *c);
        }
        (is_near && day_first && *c >= 1000).then(|| written(*c, *b, *a))?
    });
    numeric.or_else(|| {
        // `6 May 2024`, `May 6, 2024`
        numbers.windows(2).find_map(|two| {
            let [(a, after_a), (year, _)] = two else {
                return None;
            };
            let month = |text: &str| {
                let lower = text.to_lowercase();
                let mut words = lower.split(|c: char| !c.is_alphabetic());
                words.find_map(|word| {
                    let mut months = MONTHS.iter();
                    let at = months.position(|names| names.contains(&word))?;
                    Some(at as u32 + 1)
                })
            };
            let before = &text[..text.len() - after_a.len()];
            let near: String = after_a.chars().take(14).collect();
            let found = month(&near).or_else(|| month(before))?;
            written(*year, found, *a)
        })
    })
}

/// A line with more numbers is no date.
const MOST_NUMBERS: usize = 12;

/// The months in English, German, French, Spanish, Portuguese and Italian.
const MONTHS: [&[&str]; 12] = [
    &[
        "january", "jan", "januar", "janvier", "enero", "janeiro", "gennaio",
    ],
    &[
        "february",
        "feb",
        "februar",
        "février",
        "febrero",
        "fevereiro",
        "febbraio",
    ],
    &["march", "mar", "märz", "mars", "marzo", "março"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maio", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "junho", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "julho", "luglio"],
    &["august", "aug", "août", "agosto"],
    &[
        "september",
        "sep",
        "sept",
        "septembre",
        "septiembre",
        "setembro",
        "settembre",
    ],
    &[
        "october", "oct", "oktober", "octobre", "octubre", "outubro", "ottobre",
    ],
    &["november", "nov", "novembre", "noviembre", "novembro"],
    &[
        "december",
        "dec",
        "dezember",
        "décembre",
        "diciembre",
        "dezembro",
        "dicembre",
    ],
];

fn written(year: u32, month: u32, day: u32) -> Option<String> {
    let is_day =
        (1900..=2199).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_in_the_ways_that_people_write_it() {
        for (text, expected) in [
            ("Accepted (2024-05-06)", Some("2024-05-06")),
            ("Angenommen am 6.5.2024", Some("2024-05-06")),
            ("2024年5月6日", Some("2024-05-06")),
            ("accepted on 6 May 2024", Some("2024-05-06")),
            ("May 6th, 2024", Some("2024-05-06")),
            ("adoptée le 6 août 2024", Some("2024-08-06")),
            ("2024/5/6", Some("2024-05-06")),
            ("version 1.2.3", None),
            ("Superseded by ADR-0012", None),
            ("2024-13-40", None),
            ("99999999999999", None),
        ] {
            assert_eq!(day(text).as_deref(), expected, "{text}");
        }
    }
}
