//! Components of the theme that pages contain hundreds of: names, places and statuses in lists and tables. They are
//! defined in `theme/components.html` and nowhere else.
//!
//! The template engine is too slow to render each of them. The markup of a built-in component depends only on its shape,
//! so each shape is rendered once, with marks in place of its texts, and filled in from then on. A repo's own
//! `theme/components.html` may do anything with a text, so its components are rendered one by one.

use std::sync::OnceLock;

use markdown::Html;
use serde::Serialize;

use super::{Theme, ThemeError, View};

/// A component with its argument.
pub trait Snippet: Serialize + Sized {
    const KIND: ComponentKind;

    /// The shape that selects the built-in markup, apart from texts: a number below [`SHAPES`].
    fn shape(&self) -> usize;

    /// The same shape with marks in place of texts.
    fn marked(&self) -> Self;

    /// The texts that the marks stand for, in the order of [`MARKS`].
    fn texts(&self) -> [&str; MARKS.len()];
}

#[derive(Debug, Clone, Copy)]
pub enum ComponentKind {
    Place,
    Component,
    Status,
}

const KINDS: usize = 3;
/// The most shapes that a component has.
pub const SHAPES: usize = 8;
/// Characters for private use, which the built-in theme has no use for.
pub const MARKS: [&str; 4] = ["\u{e000}", "\u{e001}", "\u{e002}", "\u{e003}"];

impl ComponentKind {
    /// The name of the component in the theme, and that of its parameter.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            ComponentKind::Place => ("ui.place", "place"),
            ComponentKind::Component => ("ui.component", "component"),
            ComponentKind::Status => ("ui.status", "status"),
        }
    }
}

/// Writes the components of one page. The page calls [`finish`](ComponentWriter::finish) at the end, which returns the
/// first error, so that lists and tables need not.
pub struct ComponentWriter<'t> {
    theme: &'t Theme,
    error: OnceLock<ThemeError>,
}

impl<'t> ComponentWriter<'t> {
    pub fn new(theme: &'t Theme) -> ComponentWriter<'t> {
        ComponentWriter {
            theme,
            error: OnceLock::new(),
        }
    }

    /// Appends a component to markup.
    pub fn write<C: Snippet>(&self, component: &C, to: &mut Html) {
        if let Err(error) = write(self.theme, component, to) {
            self.error.get_or_init(|| error);
        }
    }

    /// The icon for a secret.
    pub fn lock(&self) -> &'t Html {
        &self.theme.lock
    }

    pub fn finish(self) -> Result<(), ThemeError> {
        self.error.into_inner().map_or(Ok(()), Err)
    }
}

fn write<C: Snippet>(theme: &Theme, component: &C, to: &mut Html) -> Result<(), ThemeError> {
    let Some(Stencils(stencils)) = &theme.stencils else {
        to.html(&render(theme, component)?);
        return Ok(());
    };
    let stencil = &stencils[C::KIND as usize][component.shape()];
    let stencil = match stencil.get() {
        Some(stencil) => stencil,
        None => {
            let marked = render(theme, &component.marked())?;
            stencil.get_or_init(|| Stencil::new(&marked))
        }
    };
    stencil.fill(component.texts(), to);
    Ok(())
}

fn render<C: Snippet>(theme: &Theme, component: &C) -> Result<Html, ThemeError> {
    let (name, parameter) = C::KIND.names();
    theme.component(name, parameter, &View::serialize(component))
}

/// The stencils of the built-in components, by kind and shape.
#[derive(Default)]
pub struct Stencils([[OnceLock<Stencil>; SHAPES]; KINDS]);

/// The markup of one shape of a component.
struct Stencil {
    /// Markup, each followed by the text with this number.
    pieces: Vec<(Html, usize)>,
    end: Html,
}

impl Stencil {
    fn new(marked: &Html) -> Stencil {
        let mut rest = marked.as_str();
        let mut pieces = Vec::new();
        let next = |rest: &str| {
            let marks = MARKS.iter().enumerate();
            marks
                .filter_map(|(number, mark)| Some((rest.find(mark)?, number)))
                .min()
        };
        while let Some((at, number)) = next(rest) {
            pieces.push((Html::trusted(rest[..at].to_owned()), number));
            rest = &rest[at + MARKS[number].len()..];
        }
        Stencil {
            pieces,
            end: Html::trusted(rest.to_owned()),
        }
    }

    fn fill(&self, texts: [&str; MARKS.len()], to: &mut Html) {
        for (markup, number) in &self.pieces {
            to.html(markup).text(texts[*number]);
        }
        to.html(&self.end);
    }
}
