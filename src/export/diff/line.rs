//! A difference in words, shared by text and Markdown: one line per change of a component, and a summary in one sentence.

use super::{
    Brief, Change, Changed, ComponentField, Difference, EdgeChange, FieldChange, FieldValue,
    FindingChange, SeverityName,
};
use crate::catalog::Status;
use base::text::{count, counted};

/// One change, with all environments that have the same change.
#[derive(Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub change: Change,
    pub what: Topic,
    /// The part of the component, such as an image or a setting.
    pub subject: Option<String>,
    /// None for secrets.
    pub values: Option<(Option<String>, Option<String>)>,
    pub environments: Vec<String>,
    /// An additional word.
    pub remark: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    Field(ComponentField),
    Image,
    Setting,
    Object,
}

impl Topic {
    pub fn name(self) -> &'static str {
        match self {
            Topic::Field(field) => field.name(),
            Topic::Image => "image",
            Topic::Setting => "setting",
            Topic::Object => "object",
        }
    }
}

/// The changes of a component: fields, images, settings, objects.
pub fn lines(changed: &Changed) -> Vec<DiffLine> {
    let mut lines: Vec<DiffLine> = Vec::new();
    let mut add = |line: DiffLine| {
        let alike = lines.iter_mut().find(|other| {
            (
                other.change,
                other.what,
                &other.subject,
                &other.values,
                other.remark,
            ) == (
                line.change,
                line.what,
                &line.subject,
                &line.values,
                line.remark,
            )
        });
        match alike {
            Some(other) => other.environments.extend(line.environments),
            None => lines.push(line),
        }
    };
    if let Some(was) = &changed.was {
        add(DiffLine {
            change: Change::Changed,
            what: Topic::Field(ComponentField::Id),
            subject: None,
            values: Some((Some(was.clone()), Some(changed.id.clone()))),
            environments: Vec::new(),
            remark: None,
        });
    }
    for field in &changed.fields {
        if let (ComponentField::Environment, Some(name)) = (field.field, &field.environment) {
            add(environment(name, field));
            continue;
        }
        let text = |value: &Option<FieldValue>| value.as_ref().map(|value| value.text().to_owned());
        let values = (text(&field.before), text(&field.after));
        add(DiffLine {
            change: change_of(&values),
            what: Topic::Field(field.field),
            subject: field.subject.clone(),
            values: Some(values),
            environments: field.environment.iter().cloned().collect(),
            remark: None,
        });
    }
    for image in &changed.images {
        let tag = |tag: &Option<String>| match tag.as_deref() {
            Some("") => Some("no tag".to_owned()),
            tag => tag.map(str::to_owned),
        };
        let values = (tag(&image.before), tag(&image.after));
        add(DiffLine {
            change: change_of(&values),
            what: Topic::Image,
            subject: Some(image.name.clone()),
            values: Some(values),
            environments: Vec::new(),
            remark: None,
        });
    }
    for setting in &changed.settings {
        let values = (setting.before.clone(), setting.after.clone());
        add(DiffLine {
            change: setting.change,
            what: Topic::Setting,
            subject: Some(setting.name.clone()),
            values: (!setting.secret).then_some(values),
            environments: vec![setting.environment.clone()],
            remark: setting.secret.then_some("secret"),
        });
    }
    for object in &changed.objects {
        let namespace = object.namespace.as_ref();
        let place = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
        let versions = (object.before.clone(), object.after.clone());
        let has_versions = object.before.is_some() || object.after.is_some();
        let has_other_content = object.change == Change::Changed && !has_versions;
        add(DiffLine {
            change: object.change,
            what: Topic::Object,
            subject: Some(format!("{} {place}{}", object.kind, object.name)),
            values: has_versions.then_some(versions),
            environments: Vec::new(),
            remark: if object.immutable {
                Some("immutable field: must be recreated")
            } else {
                has_other_content.then_some("other content")
            },
        });
    }
    if changed.more_objects > 0 {
        add(DiffLine {
            change: Change::Changed,
            what: Topic::Object,
            subject: Some(counted(changed.more_objects, "more object")),
            values: None,
            environments: Vec::new(),
            remark: Some("listed with --objects"),
        });
    }
    lines
}

/// An environment that was added or removed, with the component's status there unless it is the usual one.
fn environment(name: &str, field: &FieldChange) -> DiffLine {
    let shown = |status: &Option<FieldValue>| {
        status.as_ref().map(|status| match status {
            FieldValue::Status(Status::Enabled) => name.to_owned(),
            other => format!("{name}, {}", other.text()),
        })
    };
    let values = (shown(&field.before), shown(&field.after));
    DiffLine {
        change: change_of(&values),
        what: Topic::Field(ComponentField::Environment),
        subject: None,
        values: Some(values),
        environments: Vec::new(),
        remark: None,
    }
}

fn change_of(values: &(Option<String>, Option<String>)) -> Change {
    match values {
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
        _ => Change::Changed,
    }
}

/// The numbers of changes: `1 component added, 2 changed; 1 new finding (1 error)`.
pub fn summary(difference: &Difference) -> String {
    let components = &difference.components;
    let mut parts = Vec::new();
    let clusters = &difference.clusters;
    parts.extend(tally(
        "cluster",
        &[
            (clusters.added.len(), "added"),
            (clusters.removed.len(), "removed"),
        ],
    ));
    let renamed = components.renamed.len();
    let changed = components.changed.iter();
    let changed = changed.filter(|changed| changed.was.is_none()).count();
    parts.extend(tally(
        "component",
        &[
            (components.added.len(), "added"),
            (components.removed.len(), "removed"),
            (renamed, "renamed"),
            (changed, "changed"),
        ],
    ));
    parts.extend(edge_tally(difference));
    let documents = |change: Change| {
        let all = difference.documents.iter();
        all.filter(|document| document.change == change).count()
    };
    parts.extend(tally(
        "document",
        &[
            (documents(Change::Added), "added"),
            (documents(Change::Removed), "removed"),
            (documents(Change::Changed), "changed"),
        ],
    ));
    let findings = &difference.findings;
    if !findings.new.is_empty() {
        let new = counted(findings.new.len(), "new finding");
        parts.push(format!("{new} ({})", severities(&findings.new)));
    }
    if !findings.fixed.is_empty() {
        parts.push(format!(
            "{} fixed",
            counted(findings.fixed.len(), "finding")
        ));
    }
    parts.join("; ")
}

/// `2 dependencies gained, 1 lost`, counting pairs of components.
pub fn edge_tally(difference: &Difference) -> Option<String> {
    let edges = &difference.edges;
    let gained = by_pair(&edges.gained).len();
    let lost = by_pair(&edges.lost).len();
    let noun = |number| counted(number, "dependency");
    match (gained, lost) {
        (0, 0) => None,
        (0, _) => Some(format!("{} lost", noun(lost))),
        (_, 0) => Some(format!("{} gained", noun(gained))),
        _ => Some(format!("{} gained, {} lost", noun(gained), count(lost))),
    }
}

/// Groups edges between the same two components. They are adjacent.
pub fn by_pair(edges: &[EdgeChange]) -> Vec<&[EdgeChange]> {
    let pairs = edges.chunk_by(|a, b| (&a.from, &a.to) == (&b.from, &b.to));
    pairs.collect()
}

/// `2 components added, 1 removed`; none if all are zero.
fn tally(noun: &str, counts: &[(usize, &str)]) -> Option<String> {
    let mut counts = counts.iter().filter(|(number, _)| *number > 0);
    let (first, how) = counts.next()?;
    let mut text = format!("{} {how}", counted(*first, noun));
    for (number, how) in counts {
        text += &format!(", {} {how}", count(*number));
    }
    Some(text)
}

/// `2 errors, 1 warning`.
pub fn severities(findings: &[FindingChange]) -> String {
    let of = |severity: SeverityName, one: &str| {
        let number = findings.iter().filter(|it| it.severity == severity).count();
        (number > 0).then(|| counted(number, one))
    };
    let parts = [
        of(SeverityName::Error, "error"),
        of(SeverityName::Warning, "warning"),
        of(SeverityName::Info, "remark"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A fact about an added or removed component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentFact {
    Kind,
    Namespace,
    Chart,
    Status,
    Environments,
    Source,
}

impl ComponentFact {
    /// The word in front of the value, if it needs one.
    pub fn word(self) -> Option<&'static str> {
        match self {
            ComponentFact::Kind | ComponentFact::Status => None,
            ComponentFact::Namespace => Some("in"),
            ComponentFact::Chart => Some("chart"),
            ComponentFact::Environments => Some("on"),
            ComponentFact::Source => Some("from"),
        }
    }
}

/// Facts about an added or removed component, each with its value.
pub fn facts(brief: &Brief) -> Vec<(ComponentFact, String)> {
    let mut facts = vec![(ComponentFact::Kind, brief.kind.clone())];
    if !brief.namespace.is_empty() {
        facts.push((ComponentFact::Namespace, brief.namespace.clone()));
    }
    if let Some(chart) = &brief.chart {
        let version = brief.version.as_deref().unwrap_or_default();
        let chart = format!("{chart} {version}").trim_end().to_owned();
        facts.push((ComponentFact::Chart, chart));
    }
    if brief.status != Status::Enabled {
        facts.push((ComponentFact::Status, brief.status.name().to_owned()));
    }
    if !brief.environments.is_empty() {
        facts.push((ComponentFact::Environments, brief.environments.join(", ")));
    }
    let source = brief.source.iter();
    facts.extend(source.map(|source| (ComponentFact::Source, source.clone())));
    facts
}

/// The first characters of a value, on one line.
pub fn cut(value: &str, most: usize) -> String {
    if value.is_empty() {
        return "\"\"".to_owned();
    }
    let mut short = String::new();
    for (at, c) in value.trim().chars().enumerate() {
        if at == most {
            short.push('…');
            break;
        }
        short.push(match c {
            '\n' | '\r' | '\t' => ' ',
            c => c,
        });
    }
    short
}
