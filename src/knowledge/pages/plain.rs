//! Markup as one line of text: for descriptions, summaries and search.

use base::markup::unescaped;

/// Inline elements; all others are separated by a space.
const INLINE: &[&str] = &[
    "a", "b", "code", "del", "em", "i", "kbd", "mark", "q", "s", "small", "span", "strong", "sub",
    "sup", "u", "var",
];
/// Elements whose text is not what the author wrote.
const LEFT_OUT: &[&str] = &["button", "figcaption", "svg", "summary"];

/// `html` is markup that this program wrote: its tags are whole and its elements end.
pub fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        let Some(end) = rest[open..].find('>') else {
            rest = "";
            break;
        };
        let tag = &rest[open + 1..open + end];
        rest = &rest[open + end + 1..];
        let name = tag.trim_start_matches('/');
        let name = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        if !INLINE.contains(&name) {
            text.push(' ');
        }
        let is_anchor = name == "a" && tag.contains("class=\"anchor\"");
        if LEFT_OUT.contains(&name) && !tag.starts_with('/') || is_anchor {
            let close = format!("</{name}");
            rest = rest.find(&close).map_or("", |at| &rest[at..]);
        }
    }
    text.push_str(rest);
    let text = unescaped(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_apart_and_what_is_not_prose_is_left_out() {
        let html = "<h2 id=\"a\">One<a class=\"anchor\" href=\"#a\">#</a></h2><p>two <b>th</b>ree &lt;4&gt;</p><ul><li>five</li><li>six</li></ul><figure class=\"code\"><figcaption><span>Shell</span><button>Copy</button></figcaption><pre><code>ls</code></pre></figure>";
        assert_eq!(plain(html), "One two three <4> five six ls");
        assert_eq!(plain("a <"), "a");
    }
}
