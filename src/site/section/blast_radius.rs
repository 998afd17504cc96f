//! Blast radius: all dependents of a component, and the safe order to suspend and resume them.

mod steps;

use serde::Serialize;

use super::{About, SectionBody};
use crate::catalog::{Component, ComponentIx, Environment, EnvironmentSet, Reach, Status};
use crate::site::theme::View;
use crate::site::view::{Mention, More, Text, commands, count};
use base::text::noun;
use markdown::Html;
use markdown::text::{escaped, link};
use steps::{Commands, Steps};

#[derive(Serialize)]
struct BlastRadius {
    count: usize,
    sentence: String,
    levels: Vec<HopLevel>,
    /// Components that cannot be installed or reconciled without it.
    deploys: Option<HopLevel>,
    orders: Vec<Order>,
}

#[derive(Serialize)]
struct HopLevel {
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
    note: String,
    count: usize,
    commands_html: Html,
    #[serde(skip)]
    commands: Vec<String>,
}

impl Order {
    /// Builds an ordered list from (name, command) pairs.
    fn new(id: String, title: String, note: String, of: Commands<'_>) -> Order {
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
/// With more distinct plans than this, the right one is hard to pick.
const MOST_PLANS: usize = 4;
/// Hops beyond this are grouped.
const FURTHER: usize = 4;
/// At most this many of them are named.
const MOST_FURTHER: usize = 6;
/// At most this many components are named that only need it to be installed.
const MOST_DEPLOYS: usize = 24;
/// The nearest dependents are nearly always enough. Thousands of components may each have thousands of dependents.
const ENOUGH: usize = 4 * MOST_COMMANDS;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let graph = &about.here.context.outage;
    let mut dependents = graph.nearest_dependents(about.index, FURTHER, ENOUGH);
    if dependents.is_cut() && dependents.at_least(FURTHER).len() <= MOST_FURTHER + 1 {
        dependents = graph.dependents(about.index);
    }
    let total = dependents.total();
    let every = all_dependents(about);
    let deploys = deploys(about, &every, &dependents);
    if total == 0 && deploys.is_none() {
        return None;
    }
    let near = dependents.levels().take(FURTHER - 1);
    let further = dependents.at_least(FURTHER);
    let levels = near.chain((!further.is_empty()).then_some(further));
    let levels = levels.enumerate().filter(|(_, all)| !all.is_empty());
    let levels = levels.map(|(at, all)| {
        let (title, most) = match at + 1 {
            1 => ("Direct", 24),
            2 => ("Via 1 hop", 12),
            FURTHER => ("Via 3 or more hops", MOST_FURTHER),
            _ => ("Via 2 hops", 6),
        };
        // Only distant dependents may have been left out.
        let left_out = match at + 1 {
            FURTHER => total - dependents.all().len(),
            _ => 0,
        };
        let (mut components, more) = about.here.mentions_of(all, most, all.len() + left_out);
        for (mention, at) in components.iter_mut().zip(all) {
            mention.only = about.here.only(dependents.within(*at), about.index);
        }
        HopLevel {
            title,
            count: all.len() + left_out,
            components_html: about.here.list_items(&components, more.as_ref()),
            components,
            more,
        }
    });
    let (number, sentence) = headline(&about.component.title, total, deploys.as_ref());
    let view = BlastRadius {
        count: number,
        sentence,
        levels: levels.collect(),
        deploys,
        orders: orders(about, &every),
    };
    let mut markdown = Text::default();
    markdown.paragraph(&format!("{} {}", count(view.count), view.sentence));
    for level in view.levels.iter().chain(&view.deploys) {
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
        markdown.paragraph(&order.note);
        markdown.code("bash", &order.commands.join("\n"));
    }
    Some(SectionBody {
        headings: Vec::new(),
        count: Some(view.count),
        view: View::serialize(&view),
        markdown,
    })
}

/// The number that matters most, and what it counts. An outage weighs more than an install that waits.
fn headline(name: &str, total: usize, deploys: Option<&HopLevel>) -> (usize, String) {
    match deploys {
        Some(deploys) if total == 0 => (
            deploys.count,
            format!(
                "{} cannot be installed or reconciled without {name}. None is known to need it at run time.",
                noun(deploys.count, "component")
            ),
        ),
        _ => {
            let needing = if total == 1 {
                "component needs"
            } else {
                "components need"
            };
            (
                total,
                format!("{needing} {name} to run or to be reached, directly or indirectly."),
            )
        }
    }
}

/// Everything that depends on a component, to run or to be installed: before manual changes, all of it is suspended.
fn all_dependents(about: &About<'_>) -> Reach {
    let graph = &about.here.context.graph;
    graph.nearest_dependents(about.index, FURTHER, ENOUGH)
}

/// Components that need this one to be installed or reconciled, directly or indirectly, and not to run.
fn deploys(about: &About<'_>, dependents: &Reach, outage: &Reach) -> Option<HopLevel> {
    let here = &about.here;
    let mut failing = outage.all().to_vec();
    failing.sort_unstable();
    let all = dependents.all().iter().copied();
    let all: Vec<ComponentIx> = all
        .filter(|at| failing.binary_search(at).is_err())
        .collect();
    // Both may have left some out, but only dependents that are far away.
    let count = dependents.total().saturating_sub(outage.total());
    if all.is_empty() || count == 0 {
        return None;
    }
    let shown = all.len().min(count).min(MOST_DEPLOYS);
    let (mut components, more) = here.mentions_of(&all[..shown], MOST_DEPLOYS, count);
    for (mention, at) in components.iter_mut().zip(&all) {
        mention.only = here.only(dependents.within(*at), about.index);
    }
    Some(HopLevel {
        title: "Only to install or reconcile",
        count,
        components_html: here.list_items(&components, more.as_ref()),
        components,
        more,
    })
}

/// The components to suspend in an environment, in that order.
type Running<'a> = Vec<(&'a Component, &'a Environment)>;

/// Commands to suspend and resume the component and its dependents. Environments with the same components share them.
fn orders(about: &About<'_>, dependents: &Reach) -> Vec<Order> {
    let is_same = |one: &Running<'_>, other: &Running<'_>| {
        let mut pairs = one.iter().zip(other);
        one.len() == other.len()
            && pairs.all(|(one, other)| one.0.id == other.0.id && one.1.unit == other.1.unit)
    };
    let mut plans: Vec<(Vec<&str>, Running<'_>)> = Vec::new();
    for environment in &about.component.environments {
        let name = environment.name.as_str();
        let running = running(about, dependents, name);
        match plans.iter_mut().find(|(_, known)| is_same(known, &running)) {
            Some((names, _)) => names.push(name),
            None => plans.push((vec![name], running)),
        }
    }
    let catalog = about.here.context.catalog;
    let plans = plans
        .into_iter()
        .map(|(names, running)| (names, Steps::plan(catalog, &running)));
    let plans: Vec<(Vec<&str>, Steps<'_>)> = plans
        .filter(|(_, steps)| !steps.suspend.is_empty())
        .collect();
    if plans.len() > MOST_PLANS {
        return Vec::new();
    }
    let orders = plans.into_iter().enumerate().flat_map(|(at, plan)| {
        let (names, steps) = plan;
        let (suspend_note, resume_note) = steps.notes();
        let order = |word: &str, note, commands| {
            let place = if names.len() == about.component.environments.len() {
                String::new()
            } else {
                format!(" in {}", names.join(", "))
            };
            let id = match at {
                0 => word.to_lowercase(),
                _ => format!("{}-{}", word.to_lowercase(), at + 1),
            };
            Order::new(id, format!("{word} order{place}"), note, commands)
        };
        [
            order("Suspend", suspend_note, steps.suspend),
            order("Resume", resume_note, steps.resume),
        ]
    });
    orders.collect()
}

/// Components to suspend in `environment`; empty if there are too many to list.
fn running<'a>(about: &About<'a>, dependents: &Reach, environment: &str) -> Running<'a> {
    let here = about.here;
    let there = EnvironmentSet::named(&here.context.catalog.environments, environment);
    let own = |at: ComponentIx| {
        let component = here.component(at);
        let mut own = component.environments.iter();
        let own = own.find(|own| own.name == environment)?;
        (own.status == Status::Enabled).then_some((component, own))
    };
    let all = dependents.all().iter().copied();
    let reached = all.filter(|at| !dependents.within(*at).and(there).is_empty());
    // Most components have many more, which need not all be looked at.
    let running = reached.chain([about.index]).filter(|at| own(*at).is_some());
    let mut running: Vec<ComponentIx> = running.take(MOST_COMMANDS + 1).collect();
    if running.len() > MOST_COMMANDS {
        return Vec::new();
    }
    if dependents.is_cut() {
        let all = here.context.graph.dependents(about.index);
        return self::running(about, &all, environment);
    }
    here.context.graph.sort_to_stop(&mut running);
    running.into_iter().filter_map(own).collect()
}
