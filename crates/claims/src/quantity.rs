//! Amounts of memory, processors and storage as manifests and people write them.

/// `512Mi`, `1.5 GiB`, `250m` or `2` in thousandths.
pub fn quantity(said: &str) -> Option<u128> {
    let said = said.trim().trim_matches(['`', '*', '"']);
    let end = said
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(said.len());
    let (whole, part) = said[..end].split_once('.').unwrap_or((&said[..end], ""));
    if part.len() > 3 || whole.len() > 18 {
        return None;
    }
    let thousandths =
        whole.parse::<u128>().ok()? * 1_000 + format!("{part:0<3}").parse::<u128>().ok()?;
    let unit = said[end..].trim();
    let unit = unit.strip_suffix('B').unwrap_or(unit);
    let (factor, divisor): (u128, u128) = match unit {
        "" | "CPU" | "CPUs" | "core" | "cores" | "vCPU" => (1, 1),
        "m" => (1, 1_000),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "K" | "k" => (1_000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        _ => return None,
    };
    Some(thousandths.checked_mul(factor)? / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_equal_however_they_are_written() {
        assert_eq!(quantity("512Mi"), quantity("512 MiB"));
        assert_eq!(quantity("1Gi"), quantity("1024Mi"));
        assert_eq!(quantity("0.5 GiB"), quantity("512Mi"));
        assert_eq!(quantity("250m"), quantity("0.25"));
        assert_eq!(quantity("much"), None);
        assert_eq!(quantity("99999999999999999999Gi"), None);
    }
}
