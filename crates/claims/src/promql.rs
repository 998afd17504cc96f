//! PromQL, as far as it names things: metrics, and the values of labels.

/// A longer expression is not read to its end.
const LONGEST: usize = 20_000;

/// Words that a list of labels in parentheses may follow.
const GROUPING: &[&str] = &[
    "by",
    "without",
    "on",
    "ignoring",
    "group_left",
    "group_right",
];

/// The metrics of an expression, and the values that its labels must have.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expression<'e> {
    pub metrics: Vec<&'e str>,
    pub labels: Vec<(&'e str, String)>,
}

impl<'e> Expression<'e> {
    /// Reads an expression as far as names and labels go; the rest of the language is passed over.
    pub fn read(text: &'e str) -> Expression<'e> {
        let end = (0..=text.len().min(LONGEST))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        let text = &text[..end.unwrap_or(0)];
        let mut read = Expression::default();
        let mut rest = text;
        let mut depth = 0usize;
        while let Some(first) = rest.chars().next() {
            base::steps::count(1);
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
            match first {
                '{' => {
                    depth += 1;
                    rest = &rest[1..];
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    rest = &rest[1..];
                }
                '"' | '\'' | '`' => {
                    let (_, after) = quoted(rest);
                    rest = after;
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                    let (name, after) = rest.split_at(length);
                    rest = after;
                    let next = after.trim_start();
                    if depth == 0 && GROUPING.contains(&name) {
                        if let Some(labels) = next.strip_prefix('(') {
                            rest = labels.split_once(')').map_or("", |(_, after)| after);
                        }
                        continue;
                    }
                    if depth == 0 {
                        // A word before a parenthesis is a function, one without an underscore an operator.
                        if name.contains('_') && !next.starts_with('(') {
                            read.metrics.push(name);
                        }
                        continue;
                    }
                    let value = next
                        .strip_prefix("=~")
                        .map(|value| (value, true))
                        .or_else(|| next.strip_prefix('=').map(|value| (value, false)));
                    if let Some((value, is_pattern)) = value {
                        let (value, after) = quoted(value.trim_start());
                        rest = after;
                        read.label(name, value, is_pattern);
                    }
                }
                c => rest = &rest[c.len_utf8()..],
            }
        }
        read
    }

    fn label(&mut self, name: &'e str, value: &str, is_pattern: bool) {
        if name == "__name__" || value.contains('$') {
            return;
        }
        if !is_pattern {
            return self.labels.push((name, value.to_owned()));
        }
        // `(a|b)-.*`, `.*loki.*`: only alternatives that are literal but for their ends.
        for one in value.trim_matches(['(', ')', '^', '$']).split('|') {
            let ends = [
                ".*",
                ".+",
                "(",
                ")",
                "-[0-9]+",
                "-[a-z0-9]+",
                "-\\\\d+",
                "\\\\d+",
            ];
            let mut literal = one;
            for _ in 0..4 {
                for end in ends {
                    literal = literal.strip_suffix(end).unwrap_or(literal);
                    literal = literal.strip_prefix(end).unwrap_or(literal);
                }
            }
            let literal = literal.trim_matches(['(', ')', '-']);
            let is_literal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/';
            if !literal.is_empty() && literal.chars().all(is_literal) {
                self.labels.push((name, literal.to_owned()));
            }
        }
    }

    /// The values that a label must have.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter();
        labels
            .filter(move |(own, _)| *own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A string at the start of a text, and what follows it.
fn quoted(text: &str) -> (&str, &str) {
    let Some(mark) = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))
    else {
        return ("", text);
    };
    let inside = &text[1..];
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if mark != '`' => escaped = true,
            c if c == mark => return (&inside[..at], &inside[at + 1..]),
            _ => {}
        }
    }
    (inside, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_and_labels_are_told_apart_from_functions_and_strings() {
        let read = Expression::read(
            "sum by (job_label) (rate(longhorn_volume_size{job=\"longhorn/manager\", pod=~\"(web|api)-.*\", \
             x!=\"kube_y\"}[5m])) > on(node_name) group_left kube_node_labels{a='b'}",
        );
        assert_eq!(read.metrics, ["longhorn_volume_size", "kube_node_labels"]);
        let labels: Vec<(&str, &str)> = read.labels.iter().map(|(a, b)| (*a, b.as_str())).collect();
        assert_eq!(
            labels,
            [
                ("job", "longhorn/manager"),
                ("pod", "web"),
                ("pod", "api"),
                ("a", "b")
            ]
        );
    }

    #[test]
    fn an_expression_that_breaks_off_is_read_to_its_end() {
        for text in [
            "{",
            "a_b{c=\"",
            "a_b{c=~'",
            "'\\",
            "\"\u{1f600}",
            "}}}}",
            "a_b{c=",
            "sum by (a_b",
            "",
        ] {
            let _ = Expression::read(text);
        }
        let long = "a_b{c=\"d\"} + ".repeat(100_000);
        assert!(Expression::read(&long).metrics.len() < LONGEST);
    }
}
