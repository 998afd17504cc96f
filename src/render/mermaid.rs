//! Pictures of the Mermaid diagrams that authors write, as SVG that a page may hold under a strict policy for content:
//! no style, no script, nothing from elsewhere; colours come from classes in `theme/static/diagram.css`.
//! Pure: text in, markup out. The only importer of `merman` and of the XML reader.

#[cfg(feature = "mermaid")]
mod colour;
#[cfg(feature = "mermaid")]
mod engine;
#[cfg(feature = "mermaid")]
mod geometry;
#[cfg(feature = "mermaid")]
mod guard;
#[cfg(feature = "mermaid")]
mod label;
#[cfg(feature = "mermaid")]
mod limit;
#[cfg(feature = "mermaid")]
mod look;
#[cfg(feature = "mermaid")]
mod paint;
#[cfg(feature = "mermaid")]
mod redraw;
#[cfg(feature = "mermaid")]
mod sheet;
#[cfg(feature = "mermaid")]
mod style;
#[cfg(test)]
#[cfg(feature = "mermaid")]
mod tests;

/// A picture of authored Mermaid source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// An `<svg class="diagram authored" …>` that stands by itself, to be put into HTML.
    pub svg: String,
    /// `accTitle`, or else the title that the diagram shows.
    pub title: Option<String>,
    /// `accDescr`.
    pub description: Option<String>,
}

/// Why there is no picture. Every message is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("this build of catalog draws no Mermaid diagrams; build it with the feature `mermaid`")]
    Absent,
    #[error(
        "the diagram's source is {bytes} bytes long, and {MOST_BYTES} is the most; split it into several diagrams"
    )]
    Long { bytes: usize },
    #[error(
        "the diagram has more parts than can be read or drawn in a moment ({what}: {count}, and {most} is the most); split it into several diagrams"
    )]
    Large {
        what: &'static str,
        count: u64,
        most: u64,
    },
    #[error(
        "no kind of Mermaid diagram is named in the first line, such as `flowchart TD` or `sequenceDiagram`"
    )]
    Nameless,
    #[error("catalog does not draw the kind of diagram `{kind}`")]
    Unknown { kind: String },
    #[error("{}", at(*.line, .message))]
    Source {
        /// Counted from 1 in the diagram's source, where it is known.
        line: Option<u32>,
        message: String,
    },
    #[error("the diagram came out as no picture: {reason}")]
    Broken { reason: String },
}

/// A longer source is not read.
pub const MOST_BYTES: usize = 50 * 1024;

/// Draws `source`. `id` is unique in the page: it keeps the ids within this drawing apart from all others.
#[cfg(feature = "mermaid")]
pub fn draw(source: &str, id: &str) -> Result<Drawing, Error> {
    if source.len() > MOST_BYTES {
        return Err(Error::Long {
            bytes: source.len(),
        });
    }
    let picture = guard::guarded(|| engine::render(source))?;
    let svg = redraw::redraw(&picture, source, id)?;
    Ok(Drawing {
        svg,
        title: picture.title,
        description: picture.description,
    })
}

/// Without the feature `mermaid` a page shows the source.
#[cfg(not(feature = "mermaid"))]
pub fn draw(_source: &str, _id: &str) -> Result<Drawing, Error> {
    Err(Error::Absent)
}

fn at(line: Option<u32>, message: &str) -> String {
    match line {
        Some(line) => format!("line {line} of the diagram: {message}"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
#[cfg(not(feature = "mermaid"))]
mod tests {
    #[test]
    fn without_the_feature_the_error_says_how_to_get_it() {
        let error = super::draw("flowchart TD\nA-->B", "x").unwrap_err();
        assert!(error.to_string().contains("feature `mermaid`"));
    }
}
