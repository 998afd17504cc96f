//! What depends on a component at any distance, and the safe order to suspend and resume it all.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{About, Body};
use crate::model::Status;
use crate::render::theme::View;
use crate::source::{self, Verb};
use crate::view::text::link;
use crate::view::{Command, Mention, More, Text, count};

#[derive(Serialize)]
struct BlastRadius {
    count: usize,
    sentence: String,
    levels: Vec<Level>,
    orders: Vec<Order>,
}

#[derive(Serialize)]
struct Level {
    title: &'static str,
    count: usize,
    components: Vec<Mention>,
    more: Option<More>,
}

#[derive(Serialize)]
struct Order {
    id: &'static str,
    title: &'static str,
    note: &'static str,
    commands: Vec<Command>,
}

/// An order of more commands than this is a maintenance window, not a list.
const MOST_COMMANDS: usize = 40;
/// From this distance on, how far away something is says nothing more.
const FURTHER: usize = 4;

pub fn write(about: &About<'_>) -> Option<Body> {
    let graph = &about.here.book.graph;
    let dependents = graph.dependents(about.index);
    if dependents.is_empty() {
        return None;
    }
    let near = |distance: usize| distance.min(FURTHER);
    let levels = dependents
        .chunk_by(|a, b| near(a.1) == near(b.1))
        .map(|level| {
            let all: Vec<usize> = level.iter().map(|(index, _)| *index).collect();
            let distance = near(level[0].1);
            let (title, most) = match distance {
                1 => ("Directly", 24),
                2 => ("Through one other", 12),
                FURTHER => ("Further away", 6),
                _ => ("Through two others", 6),
            };
            let (components, more) = about.here.mentions(&all, most);
            Level {
                title,
                count: all.len(),
                components,
                more,
            }
        });
    let view = BlastRadius {
        count: dependents.len(),
        sentence: format!(
            "{} on {}, directly or through others.",
            match dependents.len() {
                1 => "component depends",
                _ => "components depend",
            },
            about.component.title
        ),
        levels: levels.collect(),
        orders: orders(about, &dependents),
    };
    let mut markdown = Text::default();
    markdown.paragraph(&format!("{} {}", count(view.count), view.sentence));
    for level in &view.levels {
        let names = level.components.iter();
        let names: Vec<String> = names.map(|c| link(&c.title, c.href.as_deref())).collect();
        let more = level.more.as_ref().map_or("", |more| more.title.as_str());
        markdown.item(&format!("{}: {} {more}", level.title, names.join(", ")));
    }
    for order in &view.orders {
        markdown.heading(3, order.title);
        markdown.paragraph(order.note);
        let commands: Vec<&str> = order.commands.iter().map(|c| c.text.as_str()).collect();
        markdown.code("bash", &commands.join("\n"));
    }
    Some(Body {
        headings: Vec::new(),
        count: Some(view.count),
        view: View::of(&view),
        markdown,
    })
}

/// Commands for the component and all that needs it, in both directions.
fn orders(about: &About<'_>, dependents: &[(usize, usize)]) -> Vec<Order> {
    let here = &about.here;
    let runs = |at: usize| here.component(at).status == Status::Enabled;
    let all = dependents.iter().map(|(at, _)| *at).chain([about.index]);
    if all.filter(|at| runs(*at)).count() > MOST_COMMANDS {
        return Vec::new();
    }
    let stop = here.book.graph.stop_order(about.index).into_iter();
    let running: Vec<usize> = stop.filter(|at| runs(*at)).collect();
    let commands = |verb: Verb, order: &mut dyn Iterator<Item = &usize>| -> Vec<Command> {
        let commands = order.filter_map(|at| {
            let component = here.component(*at);
            Some(Command {
                text: source::command(component.unit.as_ref()?, verb)?,
                text_html: None,
                comment: Some(component.title.clone()),
            })
        });
        // Several components may be of one unit.
        let mut seen = BTreeSet::new();
        commands
            .filter(|command| seen.insert(command.text.clone()))
            .collect()
    };
    let suspend = commands(Verb::Suspend, &mut running.iter());
    let resume = commands(Verb::Resume, &mut running.iter().rev());
    if suspend.is_empty() {
        return Vec::new();
    }
    vec![
        Order {
            id: "suspend",
            title: "Suspend, in this order",
            note: "Nothing is suspended before what needs it.",
            commands: suspend,
        },
        Order {
            id: "resume",
            title: "Resume, in this order",
            note: "Nothing is resumed before what it needs.",
            commands: resume,
        },
    ]
}
