//! Pictures in the repo that a site publishes. An SVG is a program when a browser opens it by itself.

/// Whether a picture runs nothing when it is opened by itself.
pub fn runs_nothing(name: &str, bytes: &[u8]) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if !extension.eq_ignore_ascii_case("svg") {
        return true;
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let text = unescaped(&text.to_ascii_lowercase());
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let runs = ["javascript:", "vbscript:", "data:text", "data:application"];
    let declares = ["<!entity", "<!attlist", "<?xml-stylesheet"];
    !has_handler(&text)
        && !elements(&text).any(|name| ACTIVE.contains(&name))
        && !runs.iter().chain(&declares).any(|bad| bare.contains(bad))
}

/// Elements that run or hold what is no drawing.
const ACTIVE: &[&str] = &[
    "embed",
    "foreignobject",
    "handler",
    "iframe",
    "listener",
    "object",
    "script",
];

/// The names of elements, without their prefixes.
fn elements(text: &str) -> impl Iterator<Item = &str> {
    text.split('<').skip(1).map(|tag| {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '>');
        let name = tag.split(is_end).next().unwrap_or_default();
        name.rsplit(':').next().unwrap_or(name)
    })
}

/// A text with its numeric references resolved, in which a scheme could hide.
fn unescaped(text: &str) -> String {
    let mut parts = text.split("&#");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, radix) = match part.strip_prefix('x') {
            Some(digits) => (digits, 16),
            None => (part, 10),
        };
        let end = digits.find(|c: char| !c.is_digit(radix));
        let (number, rest) = digits.split_at(end.unwrap_or(digits.len()));
        let letter = u32::from_str_radix(number, radix).ok();
        plain.extend(letter.and_then(char::from_u32));
        plain.push_str(rest.strip_prefix(';').unwrap_or(rest));
    }
    plain.to_ascii_lowercase()
}

/// Whether some attribute begins with `on`, as handlers do.
fn has_handler(text: &str) -> bool {
    text.match_indices("on").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let name_end = text[at..].find(|c: char| !c.is_ascii_alphabetic());
        let after = name_end.map(|end| text[at + end..].trim_start());
        before.is_some_and(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '/'))
            && after.is_some_and(|after| after.starts_with('='))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_run_nothing_and_programs_do() {
        let is_still = |inside: &str| {
            let text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
            runs_nothing("a.SVG", text.as_bytes())
        };
        for drawing in [
            "<path d=\"M0 0\"/>",
            "<a href=\"https://example.com\"><text>on the way</text></a>",
            "<image href=\"data:image/png;base64,iVBORw0KGgo=\"/>",
            "<text>a &#169; b &lt;script&gt;</text>",
        ] {
            assert!(is_still(drawing), "{drawing}");
        }
        for program in [
            "<script>alert(1)</script>",
            "<x:script xmlns:x=\"http://www.w3.org/2000/svg\">alert(1)</x:script>",
            "<g onload=\"alert(1)\"/>",
            "<a href=\"java&#115;cript:alert(1)\"/>",
            "<a href=\"java&#x0A;script:alert(1)\"/>",
            "<foreignObject><p/></foreignObject>",
            "<use href=\"data:application/xml,x\"/>",
        ] {
            assert!(!is_still(program), "{program}");
        }
        assert!(!runs_nothing("a.svg", b"\xff"));
        assert!(runs_nothing("a.png", b"\xff"));
    }
}
