//! What depends on a component at any distance, and the safe order to suspend and resume it all.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{About, Body};
use crate::model::{EnvironmentSet, Reach, Status};
use crate::render::Html;
use crate::render::theme::View;
use crate::source::{self, Verb};
use crate::view::text::{escaped, link};
use crate::view::{Mention, More, Text, commands, count, entries};

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
    id: String,
    title: String,
    note: &'static str,
    count: usize,
    commands_html: Html,
    #[serde(skip)]
    commands: Vec<String>,
}

impl Order {
    /// Of commands with the names of what they are about.
    fn new(id: String, title: String, note: &'static str, of: Steps<'_>) -> Order {
        let steps = of.iter();
        let steps = steps.map(|(name, command)| (*name, std::slice::from_ref(command)));
        Order {
            count: of.len(),
            commands_html: commands(&title, steps),
            id,
            title,
            note,
            commands: of.into_iter().map(|(_, command)| command).collect(),
        }
    }
}

/// An order of more commands than this is a maintenance window, not a list.
const MOST_COMMANDS: usize = 40;
/// Where environments differ more than this, nobody has the right one at hand.
const MOST_PLANS: usize = 4;
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
    let levels = levels.enumerate().filter(|(_, all)| !all.is_empty());
    let levels = levels.map(|(at, all)| {
        let (title, most) = match at + 1 {
            1 => ("Directly", 24),
            2 => ("Through one other", 12),
            FURTHER => ("Further away", 6),
            _ => ("Through two others", 6),
        };
        let (mut components, more) = about.here.mentions(all, most);
        for (mention, at) in components.iter_mut().zip(all) {
            mention.only = about.here.only(dependents.within(*at), about.index);
        }
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
        orders: orders(about, &dependents),
    };
    let mut markdown = Text::default();
    markdown.paragraph(&format!("{} {}", count(view.count), view.sentence));
    for level in &view.levels {
        let names = level.components.iter();
        let names = names.map(|c| {
            let link = link(&c.title, c.href.as_deref());
            match &c.only {
                Some(only) => format!("{link} ({})", escaped(only)),
                None => link,
            }
        });
        let names: Vec<String> = names.collect();
        let more = level.more.as_ref().map_or("", |more| more.title.as_str());
        markdown.item(&format!("{}: {} {more}", level.title, names.join(", ")));
    }
    for order in &view.orders {
        markdown.heading(3, &order.title);
        markdown.paragraph(order.note);
        markdown.code("bash", &order.commands.join("\n"));
    }
    Some(Body {
        headings: Vec::new(),
        count: Some(view.count),
        view: View::of(&view),
        markdown,
    })
}

/// Commands for the component and all that needs it, in both directions: the same ones for all environments, or others
/// where other components run.
fn orders(about: &About<'_>, dependents: &Reach) -> Vec<Order> {
    let mut plans: Vec<(Vec<&str>, [Steps<'_>; 2])> = Vec::new();
    for environment in &about.component.environments {
        let name = environment.name.as_str();
        let steps = steps(about, dependents, name);
        match plans.iter_mut().find(|(_, known)| *known == steps) {
            Some((names, _)) => names.push(name),
            None => plans.push((vec![name], steps)),
        }
    }
    plans.retain(|(_, [suspend, _])| !suspend.is_empty());
    if plans.len() > MOST_PLANS {
        return Vec::new();
    }
    let is_same = |names: &[&str]| names.len() == about.component.environments.len();
    let orders = plans
        .into_iter()
        .enumerate()
        .flat_map(|(at, (names, steps))| {
            let [suspend, resume] = steps;
            let order = |word: &str, note, steps| {
                let (id, title) = match is_same(&names) {
                    true => (String::new(), String::new()),
                    false => (format!("-{}", at + 1), format!(" in {}", names.join(", "))),
                };
                let id = format!("{}{id}", word.to_lowercase());
                Order::new(id, format!("{word}{title}, in this order"), note, steps)
            };
            [
                order(
                    "Suspend",
                    "Nothing is suspended before what needs it.",
                    suspend,
                ),
                order("Resume", "Nothing is resumed before what it needs.", resume),
            ]
        });
    orders.collect()
}

/// Commands, each with the name of what it is about unless it says so itself.
type Steps<'a> = Vec<(Option<&'a str>, String)>;

/// How to suspend what runs in an environment, and how to resume it; nothing where that takes too many commands.
fn steps<'a>(about: &About<'a>, dependents: &Reach, environment: &str) -> [Steps<'a>; 2] {
    let here = about.here;
    let there = EnvironmentSet::named(&here.book.catalog.environments, environment);
    let unit = |at: usize| {
        let component = here.component(at);
        let mut own = component.environments.iter();
        let own = own.find(|own| own.name == environment)?;
        (own.status == Status::Enabled).then_some((component, &own.unit.1))
    };
    let all = dependents.all().iter().copied();
    let reached = all.filter(|at| !dependents.within(*at).and(there).is_empty());
    // Most components have many more, which need not all be looked at.
    let running = reached
        .chain([about.index])
        .filter(|at| unit(*at).is_some());
    let mut running: Vec<usize> = running.take(MOST_COMMANDS + 1).collect();
    if running.len() > MOST_COMMANDS {
        return [Vec::new(), Vec::new()];
    }
    here.book.graph.sort_to_stop(&mut running);
    let commands = |verb: Verb, order: &mut dyn Iterator<Item = &usize>| {
        let commands = order.filter_map(|at| {
            let (component, unit) = unit(*at)?;
            let command = source::command(unit, verb)?;
            let is_said = command.split(' ').any(|word| word == component.id.0);
            Some(((!is_said).then_some(component.title.as_str()), command))
        });
        // Several components may be of one unit.
        let mut seen = BTreeSet::new();
        let commands = commands.filter(|(_, command)| seen.insert(command.clone()));
        commands.collect::<Vec<_>>()
    };
    [
        commands(Verb::Suspend, &mut running.iter()),
        commands(Verb::Resume, &mut running.iter().rev()),
    ]
}
