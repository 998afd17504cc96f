//! The theme: templates, style and script, compiled in, each replaceable by a file of the repo's own `theme/`.
//! The only importer of the template engine. Templates see their views and nothing else.

mod accent;
mod component;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use tera::{Context, Kwargs, State, Tera, Value};
use thiserror::Error;

use base::colour::Colour;
use base::markup::InAttribute;
use base::replace::replaced;
use component::Stencils;
pub use component::{ComponentKind, ComponentWriter, MARKS, Snippet};
use markdown::Html;

/// The files of the built-in theme by their path in `theme/`, sorted. `build.rs` writes the list.
const BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/theme.rs"));

/// The file that defines the components.
const COMPONENTS: &str = "components.html";

/// Style sheets, in the order in which they are joined.
const STYLES: [&str; 3] = ["static/style.css", "static/diagram.css", "static/code.css"];

/// Style of the repo's own, which comes after the built-in one.
const CUSTOM_STYLE: &str = "custom.css";

pub struct Theme {
    templates: Tera,
    /// Everything that is no template, by its path in `theme/`.
    files: BTreeMap<String, Vec<u8>>,
    /// None if the repo has components of its own.
    stencils: Option<Stencils>,
    /// The icon for a secret.
    lock: Html,
}

/// A value that templates see under one name. It is cheap to clone, and may be part of other views.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct View(Value);

#[derive(Debug, Error)]
pub enum ThemeError {
    #[error("the theme's file `theme/{0}` is not UTF-8 text; save it in UTF-8 or remove it")]
    NotText(String),
    #[error(
        "a template of the theme does not parse; fix it, or remove it to use the built-in one\n{0}"
    )]
    Template(String),
    #[error(
        "the template `theme/{template}` cannot be rendered; what it may use is in theme/VIEWS.md\n{reason}"
    )]
    Render { template: String, reason: String },
}

impl View {
    pub fn serialize(view: &impl Serialize) -> View {
        View(Value::from_serializable(view))
    }
}

/// The built-in default runbooks: their names and texts.
pub fn runbooks() -> impl Iterator<Item = (String, String)> {
    BUILT_IN.iter().filter_map(|(path, bytes)| {
        let text = str::from_utf8(bytes).ok()?.to_owned();
        Some((runbook(path)?.to_owned(), text))
    })
}

/// The name of a default runbook, by its path in `theme/`.
pub fn runbook(path: &str) -> Option<&str> {
    path.strip_prefix("runbooks/")?.strip_suffix(".md")
}

impl Theme {
    /// The built-in theme, with `own` files replacing built-in ones of the same path.
    pub fn new(own: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Theme, ThemeError> {
        let built_in = BUILT_IN.iter().filter(|(path, _)| runbook(path).is_none());
        let mut files: BTreeMap<String, Vec<u8>> = built_in
            .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()))
            .collect();
        let own: Vec<(String, Vec<u8>)> = own.into_iter().collect();
        let is_own = |path: &str| own.iter().any(|(own, _)| own == path);
        let built_in: Vec<String> = files.keys().filter(|path| !is_own(path)).cloned().collect();
        let stencils = (!is_own(COMPONENTS)).then(Stencils::default);
        files.extend(own);
        let mut sources = Vec::new();
        for path in files.keys().filter(|path| is_template(path)) {
            let text = std::str::from_utf8(&files[path]);
            let text = text.map_err(|_| ThemeError::NotText(path.clone()))?;
            sources.push((path.as_str(), text));
        }
        let mut templates = Tera::default();
        templates.register_filter("safe", safe);
        templates.set_escape_fn(escape);
        let broken = |error: tera::Error| ThemeError::Template(error.to_string());
        templates.add_raw_templates(sources).map_err(broken)?;
        // Templates of the repo stay unchanged, so that error messages quote the author's text.
        let drawn: Vec<(String, String)> = built_in
            .into_iter()
            .filter_map(|path| {
                let text = std::str::from_utf8(files.get(&path)?).ok()?;
                let text = with_icons(&templates, text)?;
                Some((path, text))
            })
            .collect();
        templates.add_raw_templates(drawn).map_err(broken)?;
        files.retain(|path, _| !is_template(path));
        let mut theme = Theme {
            templates,
            files,
            stencils,
            lock: Html::default(),
        };
        theme.lock = theme.component("ui.icon", "name", &View::serialize(&"lock"))?;
        Ok(theme)
    }

    /// A component with one argument.
    fn component(
        &self,
        name: &str,
        parameter: &'static str,
        argument: &View,
    ) -> Result<Html, ThemeError> {
        let mut context = Context::new();
        context.insert_value(parameter, argument.0.clone());
        let rendered = self.templates.render_component(name, &context, None, true);
        let markup = rendered.map_err(|error| failed(COMPONENTS, &error))?;
        Ok(Html::trusted(markup))
    }

    /// Whether a file at this path below the repo's `theme/` takes part in the theme.
    pub fn takes(path: &str) -> bool {
        let known = runbook(path).is_none() && BUILT_IN.iter().any(|(name, _)| *name == path);
        known
            || path == CUSTOM_STYLE
            || (is_template(path) && path.starts_with("sections/"))
            || path.starts_with("static/")
    }

    /// `template` with its views, by name.
    pub fn render(
        &self,
        template: &str,
        views: &[(&'static str, &View)],
    ) -> Result<Html, ThemeError> {
        let mut markup = Vec::with_capacity(4 << 10);
        self.write(template, views, &mut markup)?;
        let markup = String::from_utf8(markup).map_err(|error| failed(template, &error))?;
        Ok(Html::trusted(markup))
    }

    /// The same as the bytes of a whole page.
    pub fn page(
        &self,
        template: &str,
        views: &[(&'static str, &View)],
    ) -> Result<Vec<u8>, ThemeError> {
        // The capacity fits most pages, which avoids repeated reallocation.
        let mut page = Vec::with_capacity(96 << 10);
        self.write(template, views, &mut page)?;
        Ok(page)
    }

    /// The same as a part of other views; `desk` is room to work in, which one part after the other can have.
    pub fn part(
        &self,
        template: &str,
        views: &[(&'static str, &View)],
        desk: &mut Vec<u8>,
    ) -> Result<View, ThemeError> {
        desk.clear();
        self.write(template, views, desk)?;
        let markup = std::str::from_utf8(desk).map_err(|error| failed(template, &error))?;
        Ok(View(Value::safe_string(markup)))
    }

    fn write(
        &self,
        template: &str,
        views: &[(&'static str, &View)],
        out: &mut Vec<u8>,
    ) -> Result<(), ThemeError> {
        let mut context = Context::new();
        for (name, view) in views {
            context.insert_value(*name, view.0.clone());
        }
        let rendered = self.templates.render_to(template, &context, out);
        rendered.map_err(|error| failed(template, &error))
    }

    /// The one style sheet, with an accent colour of the repo's own.
    pub fn style(&self, accent: Option<Colour>) -> Vec<u8> {
        let parts = STYLES.iter().filter_map(|path| self.files.get(*path));
        let mut style: Vec<u8> = parts.flatten().copied().collect();
        style.extend(accent.map(accent::style).unwrap_or_default().bytes());
        if let Some(custom) = self.files.get(CUSTOM_STYLE) {
            style.push(b'\n');
            style.extend(custom);
        }
        style
    }

    /// The style for a standalone diagram.
    pub fn diagram_style(&self) -> String {
        let style = self.files.get("static/diagram.css");
        style.map_or_else(String::new, |style| {
            String::from_utf8_lossy(style).into_owned()
        })
    }

    /// The picture of an application, which a repo keeps as `static/icons/NAME.svg`.
    pub fn icon(&self, name: &str) -> Option<(String, &[u8])> {
        let file = format!("icons/{name}.svg");
        let bytes = self.files.get(&format!("static/{file}"))?;
        Some((file, bytes))
    }

    /// Other files of `static/`, by name.
    pub fn assets(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter();
        files
            .filter(|(path, _)| !STYLES.contains(&path.as_str()))
            .filter_map(|(path, bytes)| Some((path.strip_prefix("static/")?, bytes.as_slice())))
    }
}

/// A template with the icons that it names drawn once and for all: each page has several, and drawing one means asking for
/// its name among all. None where it names none, or one that cannot be drawn.
fn with_icons(templates: &Tera, text: &str) -> Option<String> {
    let mut parts = text.split("{{ <ui.icon name=\"");
    let mut drawn = parts.next()?.to_owned();
    let mut is_changed = false;
    for part in parts {
        let (name, rest) = part.split_once("\" /> }}")?;
        let mut context = Context::new();
        context.insert("name", name);
        let icon = templates.render_component("ui.icon", &context, None, true);
        drawn.push_str(&icon.ok()?);
        drawn.push_str(rest);
        is_changed = true;
    }
    is_changed.then_some(drawn)
}

/// Replaces the engine's own filter, which copies its input: that would be every page, and most parts of it twice.
fn safe(value: Value, _: Kwargs, _: &State<'_>) -> Value {
    value.mark_safe()
}

/// Escapes like all other markup of the site.
fn escape(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut written = Ok(());
    replaced::<InAttribute>(text, |piece| {
        if written.is_ok() {
            written = out.write_all(piece.as_bytes());
        }
    });
    written
}

fn failed(template: &str, reason: &dyn Display) -> ThemeError {
    ThemeError::Render {
        template: template.to_owned(),
        reason: reason.to_string(),
    }
}

fn is_template(path: &str) -> bool {
    path.ends_with(".html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_ones_own_replaces_the_built_in_one() {
        let own = (
            "pages/not_found.html".to_owned(),
            b"{{ body_html }}!".to_vec(),
        );
        let theme = Theme::new([own]).unwrap();
        let page = theme.render(
            "pages/not_found.html",
            &[("body_html", &View::serialize(&"<b>"))],
        );
        assert_eq!(page.unwrap().as_str(), "&lt;b&gt;!");
    }

    #[test]
    fn style_of_ones_own_follows_the_built_in_one() {
        let own = ("custom.css".to_owned(), b"h1 { color: red; }".to_vec());
        assert!(Theme::takes("custom.css"));
        let style = Theme::new([own]).unwrap().style(Colour::parse("#0b6e4f"));
        let style = String::from_utf8(style).unwrap();
        assert!(style.ends_with("\nh1 { color: red; }"), "{style}");
        let accent = style.rfind("--accent:").unwrap();
        assert!(accent > style.find(".finder").unwrap());
    }

    #[test]
    fn icons_are_drawn_as_the_theme_in_use_has_them() {
        let mut templates = Tera::default();
        let icon =
            "{% component ui.icon(name: string) %}<i>{{ name }}</i>{% endcomponent ui.icon %}";
        templates.add_raw_template("components.html", icon).unwrap();
        let drawn = |text| with_icons(&templates, text);
        assert_eq!(
            drawn("a {{ <ui.icon name=\"up\" /> }} {{ b }}{{ <ui.icon name=\"&\" /> }}").as_deref(),
            Some("a <i>up</i> {{ b }}<i>&amp;</i>")
        );
        for other in [
            "a {{ b }}",
            "{{ <ui.icon name={b} /> }}",
            "{{ <ui.icon name=\"up\" }}",
        ] {
            assert_eq!(drawn(other), None, "{other}");
        }
    }

    #[test]
    fn a_broken_template_is_named_with_its_line() {
        let own = ("pages/not_found.html".to_owned(), b"\n{% if %}".to_vec());
        let error = Theme::new([own]).err().unwrap().to_string();
        assert!(
            error.contains("pages/not_found.html") && error.contains('2'),
            "{error}"
        );
    }

    #[test]
    fn a_view_that_lacks_a_name_is_an_error_that_names_it() {
        let own = (
            "pages/not_found.html".to_owned(),
            b"{{ nothing.here }}".to_vec(),
        );
        let error = Theme::new([own])
            .unwrap()
            .render("pages/not_found.html", &[]);
        assert!(error.unwrap_err().to_string().contains("nothing"));
    }
}
