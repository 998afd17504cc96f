//! Dependencies and dependents of a component, each with the line that states it, and a diagram of both.

use serde::Serialize;

use super::{About, SectionBody};
use crate::catalog::{ComponentIx, Edge, EnvironmentSet, Status};
use crate::site::theme::View;
use crate::site::view::{DiagramView, Here, PlaceView, StatusName, Text, count, counted};
use diagram::{DiagramBody as Picture, Flow, FlowAuthor, FlowNode, Layout, NodeClass};
use markdown::Html;
use markdown::text::{code, escaped, link};

#[derive(Serialize)]
struct Dependencies {
    diagram: Option<DiagramView>,
    tables: Vec<DependencyTable>,
    /// Dependencies of the unit that it is deployed with.
    groups: Vec<GroupNote>,
}

/// "With the other components of `apps`, it waits for `infrastructure` (23 components)."
#[derive(Serialize)]
struct GroupNote {
    text_html: Html,
    place: PlaceView,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct DependencyTable {
    id: &'static str,
    title: &'static str,
    note: String,
    count: usize,
    /// Whether any of them is not enabled.
    has_statuses: bool,
    rows_html: Html,
    #[serde(skip)]
    rows: Vec<DependencyRow>,
}

struct DependencyRow {
    title: String,
    href: String,
    layer: Option<String>,
    status: &'static str,
    reasons: Vec<EdgeReason>,
}

struct EdgeReason {
    text: &'static str,
    /// The environments it is limited to, as text.
    only: Option<String>,
    place: PlaceView,
}

/// Rows beyond this are counted rather than listed.
const MOST_ROWS: usize = 200;
/// Neighbours on one side that a picture shows one by one.
const MOST_DRAWN: usize = 12;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let related = about.here.related(about.index);
    let upstream = grouped(&related.upstream, |edge| edge.to);
    let downstream = grouped(&related.downstream, |edge| edge.from);
    let title = &about.component.title;
    let needed = match about.component.status {
        Status::Disabled => {
            format!("{title} is disabled. Its manifests declare these dependencies.")
        }
        _ => format!("Components that {title} depends on."),
    };
    let tables: Vec<DependencyTable> = [
        table(about, "upstream", "Upstream", needed, &upstream),
        table(
            about,
            "downstream",
            "Downstream",
            format!("Components that depend on {title}."),
            &downstream,
        ),
    ]
    .into_iter()
    .filter(|table| !table.rows.is_empty())
    .collect();
    let groups = groups(about);
    if tables.is_empty() && groups.is_empty() {
        return None;
    }
    let mut markdown = Text::default();
    let diagram = (!tables.is_empty()).then(|| {
        let picture = picture(about, &upstream, &downstream);
        // The tables below say the same in words.
        DiagramView {
            text_html: Html::default(),
            ..about.here.diagram("dependencies-diagram", None, &picture)
        }
    });
    for table in &tables {
        table.markdown(&mut markdown);
    }
    for group in &groups {
        markdown.paragraph(&group.text);
    }
    if let Some(diagram) = &diagram {
        markdown.code("mermaid", &diagram.source);
    }
    Some(SectionBody {
        headings: tables
            .iter()
            .map(|t| (t.id.to_owned(), t.title.to_owned()))
            .collect(),
        view: View::serialize(&Dependencies {
            diagram,
            tables,
            groups,
        }),
        markdown,
        count: None,
    })
}

/// Sentences about what a component waits for, or what waits for it, as one of many.
fn groups(about: &About<'_>) -> Vec<GroupNote> {
    let all = about.here.context.catalog.groups.iter();
    let notes = all.filter_map(|group| {
        let is_waiting = group.members.binary_search(&about.index).is_ok();
        let is_awaited = group.awaited.binary_search(&about.index).is_ok();
        let (own, verb, other, many) = if is_waiting {
            (&group.from, "waits for", &group.to, group.awaited.len())
        } else if is_awaited {
            (&group.to, "is awaited by", &group.from, group.members.len())
        } else {
            return None;
        };
        let reason = format!(
            "{}, {}",
            counted(many, "component"),
            group.relation.reason()
        );
        let mut text_html = Html::escape("As a part of ");
        text_html.markup("<code>").text(own).markup("</code>");
        text_html.text(&format!(", it {verb} "));
        text_html.markup("<code>").text(other).markup("</code>");
        text_html.text(&format!(" ({reason})."));
        Some(GroupNote {
            text_html,
            text: format!(
                "As a part of {}, it {verb} {} ({reason}).",
                code(own),
                code(other)
            ),
            place: about.here.place(group.place),
        })
    });
    notes.collect()
}

/// Edges by the component at their other end, in the order of titles.
type Neighbours<'a> = Vec<(ComponentIx, Vec<&'a Edge>)>;

fn grouped<'a>(edges: &[&'a Edge], other: fn(&Edge) -> ComponentIx) -> Neighbours<'a> {
    let mut neighbours: Neighbours<'a> = Vec::new();
    let mut sorted: Vec<&Edge> = edges.to_vec();
    sorted.sort_by_key(|edge| other(edge));
    for edge in sorted {
        match neighbours
            .last_mut()
            .filter(|(index, _)| *index == other(edge))
        {
            Some((_, edges)) => edges.push(edge),
            None => neighbours.push((other(edge), vec![edge])),
        }
    }
    neighbours
}

fn table(
    about: &About<'_>,
    id: &'static str,
    title: &'static str,
    note: String,
    neighbours: &Neighbours<'_>,
) -> DependencyTable {
    let here = &about.here;
    let all = neighbours.len();
    let shown = neighbours.iter().take(MOST_ROWS);
    let rows = shown.map(|(index, edges)| {
        let component = here.component(*index);
        let layer = &here.context.layers[here.related(*index).layer];
        DependencyRow {
            title: component.title.clone(),
            href: here.href(*index),
            layer: component.layer.as_ref().map(|_| layer.title.clone()),
            status: component.status.name(),
            reasons: edges
                .iter()
                .map(|edge| EdgeReason {
                    text: edge.relation.reason(),
                    only: here.only(edge.environments, about.index),
                    place: here.place(edge.place),
                })
                .collect(),
        }
    });
    let rows: Vec<DependencyRow> = rows.collect();
    let has_statuses = rows.iter().any(|row| row.status != Status::Enabled.name());
    let columns = if has_statuses {
        DependencyColumns::WithStatus
    } else {
        DependencyColumns::Plain
    };
    let mut rows_html = Html::default();
    for row in &rows {
        row.write(here, columns, &mut rows_html);
    }
    DependencyTable {
        id,
        title,
        note: if all > MOST_ROWS {
            format!(
                "{note} Showing {MOST_ROWS} of {}; Blast radius names all of them.",
                count(all)
            )
        } else {
            note
        },
        count: all,
        has_statuses,
        rows_html,
        rows,
    }
}

/// Statuses are shown where one of them is an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DependencyColumns {
    Plain,
    WithStatus,
}

impl DependencyRow {
    /// Writes a line for each reason; the name and the status span all of them.
    fn write(&self, here: &Here<'_>, columns: DependencyColumns, rows: &mut Html) {
        for (at, reason) in self.reasons.iter().enumerate() {
            rows.markup(match at {
                0 => "\n<tr><th scope=\"row\"",
                _ => "\n<tr class=\"again\"><td>",
            });
            if at == 0 {
                self.write_span(rows);
                rows.markup("><a href=\"").text(&self.href).markup("\">");
                rows.text(&self.title).markup("</a>");
                if let Some(layer) = &self.layer {
                    rows.markup("<small>").text(layer).markup("</small>");
                }
                rows.markup("</th><td>");
            }
            rows.text(reason.text);
            if let Some(only) = &reason.only {
                rows.markup(" <small class=\"muted\">").text(only);
                rows.markup("</small>");
            }
            rows.markup("</td><td>");
            here.components.write(&reason.place, rows);
            rows.markup("</td>");
            if at == 0 && columns == DependencyColumns::WithStatus {
                rows.markup("<td");
                self.write_span(rows);
                rows.markup(">");
                here.components.write(&StatusName(self.status), rows);
                rows.markup("</td>");
            }
            rows.markup("</tr>");
        }
    }

    fn write_span(&self, rows: &mut Html) {
        if self.reasons.len() > 1 {
            let span = self.reasons.len().to_string();
            rows.markup(" rowspan=\"").text(&span).markup("\"");
        }
    }
}

/// Draws dependencies on the left, dependents on the right.
fn picture(
    about: &About<'_>,
    upstream: &Neighbours<'_>,
    downstream: &Neighbours<'_>,
) -> diagram::Diagram {
    let title = &about.component.title;
    let mut flow = Flow {
        nodes: vec![node(about, about.index, None, NodeClass::Current)],
        groups: Vec::new(),
        edges: Vec::new(),
        layout: Layout::Neighbourhood { centre: 0 },
        origin: FlowAuthor::Generated,
    };
    for (neighbours, side) in [
        (upstream, DependencySide::Upstream),
        (downstream, DependencySide::Downstream),
    ] {
        let shown = if neighbours.len() > MOST_DRAWN + 1 {
            MOST_DRAWN
        } else {
            neighbours.len()
        };
        for (index, edges) in &neighbours[..shown] {
            let at = flow.nodes.len();
            let sets = edges.iter().map(|edge| edge.environments);
            let only = about.here.only(EnvironmentSet::union(sets), about.index);
            flow.nodes
                .push(node(about, *index, only, NodeClass::Component));
            flow.edges.extend(
                edges
                    .iter()
                    .map(|edge| side.edge(at, Some(edge.relation.reason()))),
            );
        }
        if neighbours.len() > shown {
            let at = flow.nodes.len();
            let label = format!("{} more", count(neighbours.len() - shown));
            flow.nodes.push(FlowNode {
                href: Some(format!("#{}", side.id())),
                ..FlowNode::new(label, NodeClass::More)
            });
            flow.edges.push(side.edge(at, None));
        }
    }
    diagram::Diagram {
        title: format!("Dependencies and dependents of {title}"),
        body: Picture::Flow(flow),
    }
}

#[derive(Clone, Copy)]
enum DependencySide {
    Upstream,
    Downstream,
}

impl DependencySide {
    fn id(self) -> &'static str {
        match self {
            DependencySide::Upstream => "upstream",
            DependencySide::Downstream => "downstream",
        }
    }

    fn edge(self, other: usize, label: Option<&str>) -> diagram::FlowEdge {
        let (from, to) = match self {
            DependencySide::Upstream => (other, 0),
            DependencySide::Downstream => (0, other),
        };
        diagram::FlowEdge {
            label: label.map(str::to_owned),
            ..diagram::FlowEdge::new(from, to)
        }
    }
}

fn node(about: &About<'_>, index: ComponentIx, only: Option<String>, class: NodeClass) -> FlowNode {
    let component = about.here.component(index);
    let namespace = Some(component.namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let class = match component.status {
        Status::Disabled if class == NodeClass::Component => NodeClass::Disabled,
        _ => class,
    };
    FlowNode {
        detail: match (namespace, only) {
            (Some(namespace), Some(only)) => Some(format!("{namespace}, {only}")),
            (namespace, only) => only.or(namespace.map(str::to_owned)),
        },
        href: (index != about.index).then(|| about.here.href(index)),
        ..FlowNode::new(component.title.as_str(), class)
    }
}

impl DependencyTable {
    fn markdown(&self, text: &mut Text) {
        text.heading(3, self.title);
        text.paragraph(&escaped(&self.note));
        let rows = self.rows.iter().flat_map(|row| {
            row.reasons.iter().map(|reason| {
                [
                    link(&row.title, Some(&row.href)),
                    match &reason.only {
                        Some(only) => format!("{} ({})", escaped(reason.text), escaped(only)),
                        None => escaped(reason.text),
                    },
                    link(&reason.place.label, reason.place.href.as_deref()),
                    row.status.to_owned(),
                ]
            })
        });
        text.table(&["Component", "Reason", "Declared at", "Status"], rows);
    }
}
