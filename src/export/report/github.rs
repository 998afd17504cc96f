//! Findings as GitHub workflow commands, which become annotations on the lines of a pull request.

use std::fmt::Write;

use super::Report;
use base::Severity;
use system::terminal::plain;

pub fn github(report: &Report<'_>) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(path) = report.path(finding.place.file) {
            let (line, column) = (finding.place.line, finding.place.column);
            properties.push(format!("file={}", property(&plain(&path))));
            properties.push(format!("line={line}"));
            properties.push(format!("endLine={line}"));
            properties.push(format!("col={column}"));
            let end = column.saturating_add(finding.place.len.max(1));
            properties.push(format!("endColumn={end}"));
        }
        properties.push(format!("title={}", property(finding.rule)));
        let mut message = plain(&finding.message);
        if let Some(help) = &finding.help {
            let _ = write!(message, "\nhelp: {}", plain(help));
        }
        let more = report.address(finding.rule);
        let more = more.unwrap_or_else(|| format!("catalog explain {}", finding.rule));
        let _ = write!(message, "\nmore: {more}");
        let _ = writeln!(
            text,
            "::{command} {}::{}",
            properties.join(","),
            data(&message)
        );
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_would_end_a_command_are_escaped() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
