//! Labels: quotes, Markdown, HTML tags and entities become plain text, with `\n` between lines.

/// The text of a label.
pub(super) fn label(raw: &str) -> String {
    let trimmed = raw.trim();
    let unquoted = between(trimmed, '"').unwrap_or(trimmed).trim();
    if let Some(markdown) = between(unquoted, '`') {
        return html_text(&without_emphasis(markdown));
    }
    html_text(unquoted)
}

/// A label in one line. None if it is empty.
pub(super) fn plain(raw: &str) -> Option<String> {
    let line = html_text(raw).replace('\n', " ");
    (!line.is_empty()).then_some(line)
}

/// The text without a mark at both ends.
pub(super) fn between(text: &str, mark: char) -> Option<&str> {
    text.strip_prefix(mark)?.strip_suffix(mark)
}

/// The text of some HTML, with its lines trimmed.
fn html_text(html: &str) -> String {
    tidy(&decode(&without_tags(html)))
}

/// Without the marks of bold and italic text.
fn without_emphasis(markdown: &str) -> String {
    let chars: Vec<char> = markdown.chars().collect();
    let mut plain = String::with_capacity(markdown.len());
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|index| chars.get(index));
        let after = chars.get(at + 1);
        let touches_word = |side: Option<&char>| side.is_some_and(|c| c.is_alphanumeric());
        let touches_text = |side: Option<&char>| side.is_some_and(|c| !c.is_whitespace());
        let is_mark = match c {
            '*' => touches_text(before) || touches_text(after),
            // In `snake_case` it is a letter like any other.
            '_' => {
                (touches_text(before) || touches_text(after))
                    && !(touches_word(before) && touches_word(after))
            }
            '`' => true,
            _ => false,
        };
        if !is_mark {
            plain.push(*c);
        }
    }
    plain
}

/// Breaks lines at `<br>`, `\n` and the ends of blocks, and drops all other tags of HTML. What is no tag of HTML stays: `<env>`.
fn without_tags(html: &str) -> String {
    let has_formula = html.contains("$$");
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['<', '\\']) {
        base::steps::count(at + 1);
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        // A formula has commands such as `\nabla`.
        if !has_formula && rest.starts_with("\\n") {
            text.push('\n');
            rest = &rest[2..];
        } else if let Some(tag) = read_tag(rest) {
            if tag.breaks_line {
                text.push('\n');
            }
            rest = &rest[tag.length..];
        } else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    text.push_str(rest);
    text
}

struct HtmlTag {
    length: usize,
    breaks_line: bool,
}

/// The HTML tag that `text` starts with.
fn read_tag(text: &str) -> Option<HtmlTag> {
    const INLINE: [&str; 41] = [
        "a", "abbr", "b", "bdi", "bdo", "big", "button", "cite", "code", "del", "dfn", "em",
        "font", "i", "iframe", "img", "input", "ins", "kbd", "label", "mark", "object", "pre", "q",
        "s", "samp", "script", "small", "span", "strike", "strong", "style", "sub", "sup", "svg",
        "time", "tt", "u", "var", "video", "wbr",
    ];
    const BLOCK: [&str; 22] = [
        "blockquote",
        "br",
        "center",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "section",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    /// Longer tags are none: this bounds the search for the end.
    const MOST_BYTES: usize = 1_000;
    let inner = text.strip_prefix('<')?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let name_length = inner
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(inner.len());
    if name_length == 0 || name_length > 10 {
        return None;
    }
    let name = inner[..name_length].to_ascii_lowercase();
    let breaks_line = BLOCK.contains(&name.as_str());
    if !breaks_line && !INLINE.contains(&name.as_str()) {
        return None;
    }
    let length = text.bytes().take(MOST_BYTES).position(|b| b == b'>')? + 1;
    Some(HtmlTag {
        length,
        breaks_line,
    })
}

/// Replaces `#quot;`, `#35;`, `&amp;`, `&#35;` and `&#x23;`.
fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['#', '&']) {
        base::steps::count(at + 1);
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = entity_length(rest).and_then(|length| {
            let name = rest[..length - 1].trim_start_matches(['&', '#']);
            Some((length, entity_char(name)?))
        });
        match found {
            Some((length, c)) => {
                decoded.push(c);
                rest = &rest[length..];
            }
            None => {
                decoded.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// The length of the entity that `text` starts with, from `#` or `&` to `;`.
pub(super) fn entity_length(text: &str) -> Option<usize> {
    let name = text
        .strip_prefix("&#")
        .or_else(|| text.strip_prefix('#'))
        .or_else(|| text.strip_prefix('&'))?;
    let length = name.bytes().take(12).position(|b| b == b';')?;
    let is_name = length > 0
        && name.as_bytes()[..length]
            .iter()
            .all(u8::is_ascii_alphanumeric);
    is_name.then_some(text.len() - name.len() + length + 1)
}

fn entity_char(name: &str) -> Option<char> {
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return char::from_u32(name.parse().ok()?);
    }
    let hex = name.strip_prefix(['x', 'X']);
    if let Some(code) = hex.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        return char::from_u32(code);
    }
    let found = ENTITIES.iter().find(|(known, _)| *known == name);
    found.map(|(_, c)| *c)
}

/// The entities of HTML that labels use.
const ENTITIES: [(&str, char); 72] = [
    ("amp", '&'),
    ("apos", '\''),
    ("asymp", '≈'),
    ("ast", '*'),
    ("bsol", '\\'),
    ("bull", '•'),
    ("cent", '¢'),
    ("check", '✓'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("copy", '©'),
    ("cross", '✗'),
    ("darr", '↓'),
    ("deg", '°'),
    ("divide", '÷'),
    ("dollar", '$'),
    ("emsp", ' '),
    ("ensp", ' '),
    ("equals", '='),
    ("euro", '€'),
    ("excl", '!'),
    ("ge", '≥'),
    ("grave", '`'),
    ("gt", '>'),
    ("harr", '↔'),
    ("hearts", '♥'),
    ("hellip", '…'),
    ("infin", '∞'),
    ("iquest", '¿'),
    ("laquo", '«'),
    ("larr", '←'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("ldquo", '“'),
    ("le", '≤'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lsquo", '‘'),
    ("lt", '<'),
    ("mdash", '—'),
    ("micro", 'µ'),
    ("middot", '·'),
    ("minus", '−'),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("ne", '≠'),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("plusmn", '±'),
    ("quest", '?'),
    ("quot", '"'),
    ("raquo", '»'),
    ("rarr", '→'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rdquo", '”'),
    ("reg", '®'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("rsquo", '’'),
    ("sect", '§'),
    ("semi", ';'),
    ("sol", '/'),
    ("times", '×'),
    ("uarr", '↑'),
    ("vert", '|'),
];

/// Single blanks, no blank lines at the ends, no icons, and nothing that changes how text runs.
fn tidy(text: &str) -> String {
    let is_unseen = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let visible = text.replace(is_unseen, " ");
    let mut lines: Vec<String> = Vec::new();
    for line in visible.split('\n') {
        let words: Vec<&str> = line
            .split_whitespace()
            .filter(|word| !is_icon(word))
            .collect();
        if !(words.is_empty() && lines.is_empty()) {
            lines.push(words.join(" "));
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

/// Whether a word asks for an icon, such as `fa:fa-user`.
fn is_icon(word: &str) -> bool {
    const SETS: [&str; 8] = ["fa", "fab", "fad", "fak", "fal", "far", "fas", "fass"];
    word.split_once(':')
        .is_some_and(|(set, icon)| SETS.contains(&set) && icon.starts_with("fa-"))
}

/// `List~int~` as `List<int>`. A `~` that is no bracket stays, such as the visibility in `~name`.
pub(super) fn with_generics(text: &str) -> String {
    let tildes = text.matches('~').count();
    if tildes < 2 {
        return text.to_owned();
    }
    let mut typed = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    let mut previous = ' ';
    while let Some(c) = chars.next() {
        let follows_name = previous.is_alphanumeric() || previous == '_';
        let precedes_name = chars
            .peek()
            .is_some_and(|next| next.is_alphanumeric() || *next == '_');
        previous = c;
        typed.push(match c {
            '~' if follows_name && precedes_name && (depth == 0 || tildes > 2) => {
                depth += 1;
                '<'
            }
            '~' if depth > 0 => {
                depth -= 1;
                '>'
            }
            other => other,
        });
    }
    typed
}
