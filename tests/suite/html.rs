//! Just enough of HTML to look at pages that this program wrote: tags with their attributes.

/// An opening tag.
#[derive(Debug)]
pub struct Tag {
    pub name: String,
    text: String,
}

impl Tag {
    pub fn attribute(&self, name: &str) -> Option<String> {
        let mut all = self.attributes();
        all.find_map(|(own, value)| (own == name).then_some(value))
    }

    /// Names and values, with entities resolved.
    pub fn attributes(&self) -> impl Iterator<Item = (String, String)> {
        let mut rest = self.text[self.name.len()..].trim_start();
        std::iter::from_fn(move || {
            if rest.is_empty() || rest == "/" {
                return None;
            }
            let end = rest
                .find(|c: char| c == '=' || c.is_whitespace())
                .unwrap_or(rest.len());
            let name = rest[..end].to_ascii_lowercase();
            rest = rest[end..].trim_start();
            let mut value = String::new();
            if let Some(after) = rest.strip_prefix('=') {
                let (inside, after) = match after.strip_prefix('"') {
                    Some(quoted) => quoted.split_once('"').unwrap(),
                    None => after.split_once(' ').unwrap_or((after, "")),
                };
                value = decoded(inside);
                rest = after.trim_start();
            }
            Some((name, value))
        })
    }
}

/// The opening tags of a page, in order.
pub fn tags(page: &str) -> impl Iterator<Item = Tag> {
    page.split('<').skip(1).filter_map(|piece| {
        let first = piece.chars().next()?;
        if !first.is_ascii_alphabetic() {
            return None;
        }
        let end = close(piece);
        let text = &piece[..end];
        let name = text.split(|c: char| c.is_whitespace() || c == '/').next()?;
        Some(Tag {
            name: name.to_ascii_lowercase(),
            text: text.trim_end_matches('/').to_owned(),
        })
    })
}

/// Where a tag ends: a `>` outside quotes.
fn close(tag: &str) -> usize {
    let mut quoted = false;
    for (at, c) in tag.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return at,
            _ => {}
        }
    }
    panic!(
        "a tag has no end: {}",
        tag.chars().take(80).collect::<String>()
    )
}

pub fn ids(page: &str) -> Vec<String> {
    tags(page).filter_map(|tag| tag.attribute("id")).collect()
}

/// The words that a reader sees.
pub fn words(html: &str) -> String {
    let mut text = String::new();
    for piece in html.split('<').skip(1) {
        let end = if piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
            close(piece)
        } else {
            piece.find('>').unwrap()
        };
        text.push(' ');
        text.push_str(&piece[end + 1..]);
    }
    decoded(&text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn decoded(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&#x2F;", "/")
        .replace("&amp;", "&")
}
