//! Mermaid source to the engine's own SVG: its configuration, its limits, and its errors in our words.
//! Nothing of the clock, of chance or of the machine's fonts gets in, so the same source gives the same picture.

use std::sync::OnceLock;

use merman::svg::{
    DeterministicTextMeasurer, MeasurementProfileId, SvgRenderOptions, TextMeasurementPolicy,
    TextMeasurementProfile, TextMeasurementProfileIdentity,
};
use merman::{
    Engine, MermaidConfig, OperationControl, ParseDiagnosticSpanKind, RenderError, RenderOutput,
    RenderTarget, Renderer, SemanticArtifact, SvgEnvironment, SvgRequest,
};
use serde_json::{Map, Value, json};

use super::label::plain;
use super::limit::{MOST_PARTS, check_boundaries, count_days, count_spaces, limits};
use super::{Error, MOST_BYTES, paint};
use crate::render::diagram::glyph;

/// What the engine drew.
pub struct Picture {
    pub svg: String,
    /// What kind of diagram it is, in words.
    pub kind: &'static str,
    pub title: Option<String>,
    pub description: Option<String>,
}

pub fn render(source: &str) -> Result<Picture, Error> {
    let engine = renderer(Labels::Text).engine();
    let metadata = engine.parse_metadata_sync(source);
    let metadata = metadata.map_err(|error| explain(error.into(), source))?;
    let mut labels = Labels::Text;
    match metadata.diagram_type.as_str() {
        "gantt" => count_days(source)?,
        "block" => count_spaces(source)?,
        // Its labels of text stand beside their places.
        "state" | "stateDiagram" => labels = Labels::Html,
        _ => {}
    }
    let parsed = parse(source, labels)?;
    let kind = kind(parsed.diagram_type())?;
    let clean = |text: &str| glyph::clean(text).into_owned();
    let mut title = parsed.metadata().title.as_deref().map(clean);
    let mut description = None;
    if let Ok(model) = parsed.compatibility_json() {
        let text = |key: &str| {
            let value = model.as_value().get(key)?.as_str()?;
            let line = clean(&plain(value));
            (!line.is_empty()).then_some(line)
        };
        title = text("accTitle").or(title).or_else(|| text("title"));
        description = text("accDescr");
        check_boundaries(model.as_value())?;
    }
    let request = SvgRequest {
        environment: SvgEnvironment::deterministic()
            .with_text_measurement_policy(measure())
            .with_resource_policy(limits()),
        options: SvgRenderOptions {
            diagram_id: Some("m".to_owned()),
            ..SvgRenderOptions::default()
        },
        ..SvgRequest::default()
    };
    let output = parsed
        .render(RenderTarget::Svg(request))
        .map_err(|error| explain(error, source))?;
    let RenderOutput::Svg(Some(output)) = output else {
        return Err(Error::Nameless);
    };
    let (svg, _) = output.into_parts();
    Ok(Picture {
        svg,
        kind,
        title: title.filter(|title| !title.is_empty()),
        description,
    })
}

pub fn parse(source: &str, labels: Labels) -> Result<SemanticArtifact, Error> {
    let (options, limits) = (merman::ParseOptions::strict(), limits());
    let parsed = renderer(labels).prepare_semantic_with(
        source,
        OperationControl::new(),
        options,
        *limits.input_policy(),
    );
    let parsed = parsed.map_err(|error| explain(error, source))?;
    parsed.ok_or(Error::Nameless)
}

/// How the engine writes labels, where it can do either; HTML becomes lines of text later.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    Text,
    Html,
}

/// The engine with our configuration, made once.
fn renderer(labels: Labels) -> &'static Renderer {
    static RENDERERS: [OnceLock<Renderer>; 2] = [OnceLock::new(), OnceLock::new()];
    RENDERERS[labels as usize].get_or_init(|| {
        let config = MermaidConfig::from_value(configuration(labels));
        Renderer::new().with_engine(Engine::new().with_site_config(config))
    })
}

/// What a diagram's own `%%{init}%%` or front matter may not change is listed in `secure`, at any depth: the colours
/// are the page's, and labels are text.
fn configuration(labels: Labels) -> Value {
    let html = labels == Labels::Html;
    let mut variables = Map::new();
    for (variable, paint) in paint::variables() {
        match variable.split_once('.') {
            None => {
                variables.insert(variable, Value::from(paint));
            }
            Some((outer, inner)) => {
                let group = variables
                    .entry(outer)
                    .or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(group) = group {
                    group.insert(inner.to_owned(), Value::from(paint));
                }
            }
        }
    }
    let mut styles = Map::new();
    for (option, paint) in paint::c4() {
        styles.insert(option, Value::from(paint));
    }
    for option in ["person", "system", "container", "component"] {
        styles.insert(format!("{option}FontSize"), json!(14));
    }
    json!({
        "theme": "base",
        "look": "classic",
        "securityLevel": "strict",
        "htmlLabels": html,
        "fontFamily": "sans-serif",
        "fontSize": 14,
        "deterministicIds": true,
        "maxTextSize": MOST_BYTES,
        "maxEdges": MOST_PARTS,
        "secure": [
            "secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering",
            "theme", "themeVariables", "themeCSS", "darkMode", "look", "layout", "handDrawnSeed",
            "htmlLabels", "fontFamily", "altFontFamily", "fontSize", "deterministicIds", "deterministicIDSeed",
            "defaultRenderer", "useMaxWidth", "arrowMarkerAbsolute", "dompurifyConfig",
        ],
        "themeVariables": variables,
        "flowchart": { "htmlLabels": html, "minNodeWidth": 0, "wrappingWidth": 200 },
        "sequence": {
            "actorFontSize": 14, "noteFontSize": 13, "messageFontSize": 13, "actorFontWeight": 500,
        },
        "c4": styles,
    })
}

/// The widths that our own diagrams are laid out with, so that labels fit in whatever font a reader has.
fn measure() -> TextMeasurementPolicy {
    let width = |text: &str, style: &merman::svg::TextStyle| {
        let heavy = match style.font_weight.as_deref() {
            Some("bold" | "bolder" | "600" | "700" | "800" | "900") => 1.1,
            _ => 1.0,
        };
        glyph::width(text, style.font_size) * heavy
    };
    let backend = DeterministicTextMeasurer::default().with_width_callback(width);
    let identity = MeasurementProfileId::new("catalog")
        .and_then(|name| TextMeasurementProfileIdentity::new(name, "1"));
    match identity {
        Ok(identity) => {
            TextMeasurementPolicy::uniform(TextMeasurementProfile::new(identity, backend))
        }
        Err(_) => TextMeasurementPolicy::deterministic(),
    }
}

fn explain(error: RenderError, source: &str) -> Error {
    match error {
        RenderError::NoDiagram => Error::Nameless,
        RenderError::ResourceLimitExceeded(limit) => Error::Large {
            what: match limit.id {
                "max_model_items" => "parts",
                "max_model_nesting_depth" => "levels",
                "max_layout_work_units" => "steps of the layout",
                "max_svg_elements" => "shapes",
                _ => "bytes",
            },
            count: limit.actual,
            most: limit.maximum,
        },
        RenderError::Parse(diagnostic) => {
            let details = diagnostic.terminal_diagnostic_details();
            let message = diagnostic.terminal_safe_message();
            if message.starts_with("No Mermaid diagram type") {
                return Error::Nameless;
            }
            if message.starts_with("Unsupported diagram type") {
                let kind = details.diagram_type.unwrap_or_default();
                return Error::Unknown { kind };
            }
            let span = details
                .span
                .filter(|_| details.span_kind != Some(ParseDiagnosticSpanKind::Fallback));
            let line = span.map(|span| line_of(source, span.start));
            Error::Source {
                line: line
                    .or_else(|| line_said(&message))
                    .or_else(|| line_found(source, &message)),
                message: one_line(&message),
            }
        }
        other => Error::Broken {
            reason: one_line(&other.to_string()),
        },
    }
}

fn line_of(source: &str, offset: usize) -> u32 {
    // The end is that of the last line with something in it.
    let before = &source.as_bytes()[..offset.min(source.trim_end().len())];
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks).map_or(u32::MAX, |breaks| breaks.saturating_add(1))
}

/// Some messages name the line in words.
fn line_said(message: &str) -> Option<u32> {
    let (_, after) = message.split_once("line ")?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Where the engine does not know the place: the first line with which the mistake is there.
fn line_found(source: &str, message: &str) -> Option<u32> {
    let ends: Vec<usize> = source
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([source.len()])
        .collect();
    let limits = limits();
    let mistaken = |end: &usize| {
        let options = merman::ParseOptions::strict();
        let parsed = renderer(Labels::Text).prepare_semantic_with(
            &source[..*end],
            OperationControl::new(),
            options,
            *limits.input_policy(),
        );
        matches!(parsed, Err(RenderError::Parse(diagnostic)) if diagnostic.terminal_safe_message() == message)
    };
    let before = ends.partition_point(|end| !mistaken(end));
    let found = ends.get(before).is_some_and(mistaken);
    u32::try_from(before + 1).ok().filter(|_| found)
}

/// Without the words that say only that it is an error.
fn one_line(message: &str) -> String {
    let bare = match message.strip_prefix("Diagram parse error (") {
        Some(rest) => rest.split_once("): ").map_or(message, |(_, bare)| bare),
        None => message,
    };
    let mut line = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(200) {
        line.truncate(at);
        line.push('…');
    }
    line
}

/// What people call a kind of diagram.
fn kind(diagram_type: &str) -> Result<&'static str, Error> {
    Ok(match diagram_type {
        "flowchart" | "flowchart-v2" | "flowchart-elk" | "graph" => "Flowchart",
        "sequence" | "sequenceDiagram" => "Sequence diagram",
        "class" | "classDiagram" => "Class diagram",
        "state" | "stateDiagram" => "State diagram",
        "er" => "Entity relationship diagram",
        "gantt" => "Gantt chart",
        "pie" => "Pie chart",
        "gitGraph" => "Git graph",
        "mindmap" => "Mind map",
        "timeline" => "Timeline",
        "journey" => "User journey",
        "quadrantChart" => "Quadrant chart",
        "xychart" => "Chart",
        "sankey" => "Sankey diagram",
        "requirement" => "Requirement diagram",
        "block" => "Block diagram",
        "packet" => "Packet diagram",
        "kanban" => "Kanban board",
        "c4" => "C4 diagram",
        "architecture" => "Architecture diagram",
        "radar" => "Radar chart",
        "treemap" => "Treemap",
        "error" => return Err(Error::Nameless),
        _ => "Diagram",
    })
}
