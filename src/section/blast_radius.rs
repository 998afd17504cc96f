//! What depends on a component at any distance, and the safe order to suspend and resume it all.

mod steps;

use serde::Serialize;

use super::{About, Body};
use crate::model::{Component, Status};
use crate::render::Html;
use crate::render::theme::View;
use crate::view::text::link;
use crate::view::{Mention, More, Text, commands, count, entries};
use steps::Steps;

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
    components_html: Html,
    #[serde(skip)]
    components: Vec<Mention>,
    #[serde(skip)]
    more: Option<More>,
}

#[derive(Serialize)]
struct Order {
    id: &'static str,
    title: &'static str,
    note: String,
    count: usize,
    commands_html: Html,
    #[serde(skip)]
    commands: Vec<String>,
}

impl Order {
    /// Of commands with the names of what they are about.
    fn new(id: &'static str, title: &'static str, note: String, of: Vec<(&str, String)>) -> Order {
        let steps = of.iter();
        let steps = steps.map(|(name, command)| (Some(*name), std::slice::from_ref(command)));
        Order {
            id,
            title,
            note,
            count: of.len(),
            commands_html: commands(title, steps),
            commands: of.into_iter().map(|(_, command)| command).collect(),
        }
    }
}

/// An order of more commands than this is a maintenance window, not a list.
const MOST_COMMANDS: usize = 40;
/// From this distance on, how far away something is says nothing more.
const FURTHER: usize = 4;

pub fn write(about: &About<'_>) -> Option<Body> {
    let graph = &about.here.book.graph;
    let dependents = graph.dependents(about.index);
    let total = dependents.all().len();
    if total == 0 {
        return None;
    }
    let near = dependents.levels().take(FURTHER - 1);
    let further = dependents.at_least(FURTHER);
    let levels = near.chain((!further.is_empty()).then_some(further));
    let levels = levels.enumerate().map(|(at, all)| {
        let (title, most) = match at + 1 {
            1 => ("Directly", 24),
            2 => ("Through one other", 12),
            FURTHER => ("Further away", 6),
            _ => ("Through two others", 6),
        };
        let (components, more) = about.here.mentions(all, most);
        Level {
            title,
            count: all.len(),
            components_html: entries(&components, more.as_ref()),
            components,
            more,
        }
    });
    let view = BlastRadius {
        count: total,
        sentence: format!(
            "{} on {}, directly or through others.",
            match total {
                1 => "component depends",
                _ => "components depend",
            },
            about.component.title
        ),
        levels: levels.collect(),
        orders: orders(about, dependents.all()),
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
        markdown.paragraph(&order.note);
        markdown.code("bash", &order.commands.join("\n"));
    }
    Some(Body {
        headings: Vec::new(),
        count: Some(view.count),
        view: View::of(&view),
        markdown,
    })
}

/// Commands for the component and all that needs it, in both directions.
fn orders(about: &About<'_>, dependents: &[usize]) -> Vec<Order> {
    let here = &about.here;
    let runs = |at: usize| here.component(at).status == Status::Enabled;
    let all = dependents.iter().copied().chain([about.index]);
    // Most components have many more, which need not all be looked at.
    let running = all.filter(|at| runs(*at)).take(MOST_COMMANDS + 1);
    let mut running: Vec<usize> = running.collect();
    if running.len() > MOST_COMMANDS {
        return Vec::new();
    }
    here.book.graph.sort_to_stop(&mut running);
    let running: Vec<&Component> = running.iter().map(|at| here.component(*at)).collect();
    let steps = Steps::of(here.book.catalog, &running);
    if steps.suspend.is_empty() {
        return Vec::new();
    }
    let (suspend_note, resume_note) = steps.notes();
    vec![
        Order::new(
            "suspend",
            "Suspend, in this order",
            suspend_note,
            steps.suspend,
        ),
        Order::new("resume", "Resume, in this order", resume_note, steps.resume),
    ]
}
