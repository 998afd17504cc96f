//! Mirrors: other addresses for what is behind an address. The lock file keeps the first.

/// Requests below `from` go to `to` instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartMirror {
    pub from: String,
    pub to: String,
}

/// The address to request instead of `url`, by the mirror of the longest matching part.
pub fn mirrored(mirrors: &[ChartMirror], url: &str) -> String {
    let fitting = mirrors.iter().filter_map(|mirror| {
        let from = mirror.from.trim_end_matches('/');
        let rest = url.strip_prefix(from)?;
        let is_whole = rest.is_empty() || rest.starts_with(['/', '?']);
        is_whole.then_some((from.len(), mirror, rest))
    });
    match fitting.max_by_key(|(length, ..)| *length) {
        Some((_, mirror, rest)) => format!("{}{rest}", mirror.to.trim_end_matches('/')),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_part_of_an_address_counts() {
        let mirror = |from: &str, to: &str| ChartMirror {
            from: from.to_owned(),
            to: to.to_owned(),
        };
        let mirrors = [
            mirror("oci://ghcr.io", "oci://mirror.example.com/ghcr/"),
            mirror("oci://ghcr.io/acme/", "oci://acme.example.com"),
            mirror(
                "https://charts.example.com",
                "https://mirror.example.com/charts",
            ),
        ];
        for (url, expected) in [
            (
                "oci://ghcr.io/other/web",
                "oci://mirror.example.com/ghcr/other/web",
            ),
            ("oci://ghcr.io/acme/web", "oci://acme.example.com/web"),
            (
                "oci://ghcr.io/acmes/web",
                "oci://mirror.example.com/ghcr/acmes/web",
            ),
            (
                "oci://ghcr.io.example.com/web",
                "oci://ghcr.io.example.com/web",
            ),
            (
                "https://charts.example.com/index.yaml",
                "https://mirror.example.com/charts/index.yaml",
            ),
        ] {
            assert_eq!(mirrored(&mirrors, url), expected);
        }
    }
}
