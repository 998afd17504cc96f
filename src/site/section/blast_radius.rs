//! Blast radius: all dependents of a component, and the safe order to suspend and resume them.

mod steps;

use std::collections::BTreeSet;

use serde::Serialize;

use super::{About, SectionBody};
use crate::catalog::{
    Component, ComponentIx, Environment, EnvironmentSet, Reach, Status, is_production,
};
use crate::facts::EdgeKind;
use crate::site::theme::View;
use crate::site::view::kube;
use crate::site::view::{Mention, More, Text, commands, count};
use base::text::noun;
use markdown::Html;
use markdown::text::{escaped, link};
use steps::{Commands, Steps};

#[derive(Serialize)]
struct BlastRadius {
    count: usize,
    sentence: String,
    groups: Vec<Affected>,
    orders: Vec<Order>,
    /// Why there are no commands, or not for all environments.
    orders_note: Option<String>,
}

/// What a failure does to components, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Breaks,
    LosesIngress,
    Waits,
}

impl Effect {
    fn title(self) -> &'static str {
        match self {
            Effect::Breaks => "Break at run time",
            Effect::LosesIngress => "Lose their ingress",
            Effect::Waits => "Cannot be deployed or reinstalled",
        }
    }
}

/// Components that a failure affects in the same way.
#[derive(Serialize)]
struct Affected {
    #[serde(skip)]
    effect: Effect,
    title: &'static str,
    count: usize,
    levels: Vec<HopLevel>,
}

#[derive(Serialize)]
struct HopLevel {
    /// How far away they are; absent if that does not matter.
    title: Option<&'static str>,
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
const MOST_COMMANDS: usize = 150;
/// Commands of all orders on one page.
const MOST_OF_ALL_ORDERS: usize = 800;
/// Hops beyond this are grouped.
const FURTHER: usize = 4;
/// Names of dependents on the pages of all components: thousands of components may each have thousands of dependents.
const MOST_NAMES: usize = 400_000;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let context = about.here.context;
    let most = (MOST_NAMES / context.catalog.components.len().max(1)).clamp(80, 1_500);
    let enough = most.max(MOST_COMMANDS + 10);
    let failing = context
        .outage
        .nearest_dependents(about.index, FURTHER, enough);
    let every = context
        .graph
        .nearest_dependents(about.index, FURTHER, enough);
    let unreachable = unreachable(about, &failing);
    let mut names = Names { about, left: most };
    let failing_group = Affected {
        effect: Effect::Breaks,
        title: Effect::Breaks.title(),
        count: failing.total(),
        levels: names.levels(&failing),
    };
    let unreachable_group = names.group(Effect::LosesIngress, &unreachable, None);
    let waiting = waiting(&failing, &unreachable, &every);
    let beyond = every
        .total()
        .saturating_sub(failing.total() + unreachable.len())
        .max(waiting.len());
    let waiting_group = Affected {
        count: if waiting.is_empty() { 0 } else { beyond },
        ..names.group(Effect::Waits, &waiting, Some(&every))
    };
    let groups = [failing_group, unreachable_group, waiting_group];
    let groups: Vec<Affected> = groups.into_iter().filter(|group| group.count > 0).collect();
    let (number, sentence) = headline(&about.component.title, &groups)?;
    let (orders, orders_note) = orders(about, &every);
    let view = BlastRadius {
        count: number,
        sentence,
        groups,
        orders,
        orders_note,
    };
    let mut markdown = Text::default();
    markdown.paragraph(&format!("{} {}", count(view.count), view.sentence));
    for group in &view.groups {
        for level in &group.levels {
            level.markdown(group.title, &mut markdown);
        }
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

/// Names dependents, as many as there is room for.
struct Names<'n, 'a> {
    about: &'n About<'a>,
    left: usize,
}

impl Names<'_, '_> {
    /// Dependents by their distance.
    fn levels(&mut self, reach: &Reach) -> Vec<HopLevel> {
        let near = reach.levels().take(FURTHER - 1);
        let levels: Vec<&[ComponentIx]> = near.chain([reach.at_least(FURTHER)]).collect();
        let mut shown = Vec::new();
        for (at, all) in levels.into_iter().enumerate() {
            // Only distant dependents may have been left out.
            let is_last = at + 1 == FURTHER;
            let left_out = if is_last {
                reach.total() - reach.all().len()
            } else {
                0
            };
            if all.len() + left_out == 0 {
                continue;
            }
            let title = match at + 1 {
                1 => "Direct",
                2 => "Via 1 hop",
                3 => "Via 2 hops",
                _ => "Via 3 or more hops",
            };
            shown.push(self.level(Some(title), all, left_out, Some(reach)));
        }
        shown
    }

    fn group(&mut self, effect: Effect, all: &[ComponentIx], reach: Option<&Reach>) -> Affected {
        Affected {
            effect,
            title: effect.title(),
            count: all.len(),
            levels: if all.is_empty() {
                Vec::new()
            } else {
                vec![self.level(None, all, 0, reach)]
            },
        }
    }

    /// Those in production come first.
    fn level(
        &mut self,
        title: Option<&'static str>,
        all: &[ComponentIx],
        left_out: usize,
        reach: Option<&Reach>,
    ) -> HopLevel {
        let here = &self.about.here;
        let environments = &here.context.catalog.environments;
        let within = |at: ComponentIx| match reach {
            Some(reach) => reach.within(at),
            None => EnvironmentSet::ALL,
        };
        let elsewhere = |at: &ComponentIx| {
            let own = here.context.catalog.environments_of(here.component(*at));
            let mut there = within(*at).and(own).select(environments);
            !there.any(|one| is_production(&one.name))
        };
        let mut all = all.to_vec();
        all.sort_by_key(elsewhere);
        let total = all.len() + left_out;
        let (mut components, more) = here.mentions_of(&all, self.left, total);
        let more = more.map(|more| More {
            href: here.focus_href(self.about.index),
            ..more
        });
        self.left = self.left.saturating_sub(components.len());
        for (mention, at) in components.iter_mut().zip(&all) {
            mention.only = here.only(within(*at), self.about.index);
        }
        HopLevel {
            title,
            count: total,
            components_html: here.list_items(&components, more.as_ref()),
            components,
            more,
        }
    }
}

impl HopLevel {
    fn markdown(&self, group: &str, text: &mut Text) {
        let names = self.components.iter().map(|component| {
            let link = link(&component.title, component.href.as_deref());
            match &component.only {
                Some(only) => format!("{link} ({})", escaped(only)),
                None => link,
            }
        });
        let names: Vec<String> = names.collect();
        let more = self.more.as_ref().map_or("", |more| more.title.as_str());
        let title = match self.title {
            Some(title) => format!("{group}, {}", title.to_lowercase()),
            None => group.to_owned(),
        };
        text.item(&format!("{title}: {} {more}", names.join(", ")));
    }
}

/// The number that matters most, and what it counts. None if nothing is affected.
fn headline(name: &str, groups: &[Affected]) -> Option<(usize, String)> {
    let first = groups.first()?;
    let noun = noun(first.count, "component");
    let is_one = first.count == 1;
    let verb = match first.effect {
        Effect::Breaks if is_one => "breaks",
        Effect::Breaks => "break",
        Effect::LosesIngress if is_one => "loses its ingress",
        Effect::LosesIngress => "lose their ingress",
        Effect::Waits => "cannot be deployed or reinstalled",
    };
    let rest = match first.effect {
        Effect::Waits => " No component is known to need it at run time.",
        _ => "",
    };
    Some((
        first.count,
        format!("{noun} {verb} while {name} is down.{rest}"),
    ))
}

/// Components that are reached through this one, or through one that breaks with it, and do not break themselves.
fn unreachable(about: &About<'_>, failing: &Reach) -> Vec<ComponentIx> {
    let related = &about.here.context.related;
    let mut seen: BTreeSet<ComponentIx> = failing.all().iter().copied().collect();
    seen.insert(about.index);
    let mut next: Vec<ComponentIx> = seen.iter().copied().collect();
    let mut found = Vec::new();
    // A gateway may itself be reached through a tunnel.
    while let Some(at) = next.pop() {
        for edge in &related[at].downstream {
            if edge.relation.kind() == EdgeKind::Exposes && seen.insert(edge.from) {
                found.push(edge.from);
                next.push(edge.from);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Components that need this one to be installed or reconciled, directly or indirectly, and are not affected otherwise.
fn waiting(failing: &Reach, unreachable: &[ComponentIx], every: &Reach) -> Vec<ComponentIx> {
    let mut affected: Vec<ComponentIx> = failing.all().to_vec();
    affected.extend(unreachable);
    affected.sort_unstable();
    let all = every.all().iter().copied();
    all.filter(|at| affected.binary_search(at).is_err())
        .collect()
}

/// The components to suspend in an environment, in that order.
type Running<'a> = Vec<(&'a Component, &'a Environment)>;

/// Commands to suspend and resume the component and its dependents, for production first. Environments with the same
/// components share them. Also why some have none.
fn orders<'a>(about: &About<'a>, dependents: &Reach) -> (Vec<Order>, Option<String>) {
    let is_same = |one: &Running<'_>, other: &Running<'_>| {
        let mut pairs = one.iter().zip(other);
        one.len() == other.len()
            && pairs.all(|(one, other)| one.0.id == other.0.id && one.1.unit == other.1.unit)
    };
    let mut plans: Vec<(Vec<&str>, Running<'_>)> = Vec::new();
    let mut too_long: Vec<&str> = Vec::new();
    let mut left_out: Vec<&str> = Vec::new();
    let mut environments: Vec<&Environment> = about.component.environments.iter().collect();
    environments.sort_by_key(|one| !is_production(&one.name));
    for environment in &environments {
        let name = environment.name.as_str();
        let Some(running) = running(about, dependents, name) else {
            too_long.push(name);
            continue;
        };
        // Commands that name a context hold only where it is the context.
        let stated = kube::context(&about.here, name);
        let same = plans.iter_mut().find(|(names, known)| {
            let first = names.first();
            let context = first.and_then(|name| kube::context(&about.here, name));
            context == stated && is_same(known, &running)
        });
        match same {
            Some((names, _)) => names.push(name),
            None => plans.push((vec![name], running)),
        }
    }
    let catalog = about.here.context.catalog;
    let plans = plans
        .into_iter()
        .map(|(names, running)| (names, Steps::plan(catalog, &running)));
    let plans = plans.filter(|(_, steps)| !steps.suspend.is_empty());
    let mut left = MOST_OF_ALL_ORDERS;
    let mut orders = Vec::new();
    for (at, (names, steps)) in plans.enumerate() {
        if steps.suspend.len() > left {
            left_out.extend(names);
            continue;
        }
        left -= steps.suspend.len();
        let (suspend_note, resume_note) = steps.notes();
        let context = names
            .first()
            .and_then(|name| kube::context(&about.here, name));
        let with_context = |commands: Commands<'a>| -> Commands<'a> {
            let Some(context) = &context else {
                return commands;
            };
            let commands = commands.into_iter();
            commands
                .map(|(name, command)| (name, kube::in_context(&command, context)))
                .collect()
        };
        let order = |word: &str, note, commands| {
            let place = if names.len() == environments.len() {
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
        orders.push(order("Suspend", suspend_note, with_context(steps.suspend)));
        orders.push(order("Resume", resume_note, with_context(steps.resume)));
    }
    let notes = [
        (
            too_long,
            format!(
                "more than {MOST_COMMANDS} components would be suspended. Suspend their parent instead."
            ),
        ),
        (left_out, "the orders above fill the page.".to_owned()),
    ];
    let notes = notes.into_iter().filter(|(names, _)| !names.is_empty());
    let notes =
        notes.map(|(names, why)| format!("No suspend order for {}: {why}", names.join(", ")));
    let notes: Vec<String> = notes.collect();
    let note = (!notes.is_empty()).then(|| notes.join(" "));
    (orders, note)
}

/// Components to suspend in `environment`; none if there are too many to list.
fn running<'a>(about: &About<'a>, dependents: &Reach, environment: &str) -> Option<Running<'a>> {
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
        return None;
    }
    if dependents.is_cut() {
        let all = here.context.graph.dependents(about.index);
        return self::running(about, &all, environment);
    }
    here.context.graph.sort_to_stop(&mut running);
    Some(running.into_iter().filter_map(own).collect())
}
