//! The simulation: two events for each unit, that it is applied and that it is ready, each of which comes once all that
//! it rests on has come. What has not come in the end never does.

use std::collections::BTreeMap;

use super::{Cause, CriticalStep, Race, Rehearsal, StartedUnit, Stuck, Wait, Why};
use crate::checks::dependency::{DependencyFate, unmet_in};
use crate::checks::order::{OrderingVerdict, ProviderIx, StartupOrder, What};
use crate::checks::wording;
use crate::cluster::UnitIx;
use crate::facts::UnitId;
use crate::input::repo::Repo;
use crate::sources::{self, Refusal};
use base::{FileId, Place};

pub fn play(repo: &Repo, order: &StartupOrder<'_>, without: &[UnitId]) -> Rehearsal {
    let causes = causes(order, without);
    let races = races(order);
    let stage = Stage::set(order, &races);
    let played = stage.play(&causes);
    Rehearsal {
        cluster: order.cluster.name.clone(),
        root: order.cluster.root.as_str().to_owned(),
        waves: waves(repo, order, &stage, &played, &races),
        stuck: stuck(repo, order, &stage, &played, &causes),
        critical_path: critical_path(order, &stage, &played),
        waiting: played
            .iter()
            .flatten()
            .map(|event| event.time)
            .max()
            .unwrap_or(0),
    }
}

/// An event by number: twice the unit's index for being applied, one more for being ready.
type Event = usize;

fn applied(unit: UnitIx) -> Event {
    2 * unit.index()
}

fn ready(unit: UnitIx) -> Event {
    2 * unit.index() + 1
}

fn unit_of(event: Event) -> UnitIx {
    UnitIx::from_usize(event / 2)
}

fn is_applying(event: Event) -> bool {
    event.is_multiple_of(2)
}

/// A condition of an event: another event, the reason, and the maximum delay in seconds between the two.
#[derive(Clone, Copy)]
struct Ground {
    event: Event,
    why: Why,
    delay: u64,
}

/// The latest time at which an event happens.
#[derive(Clone, Copy)]
struct Played {
    time: u64,
    wave: usize,
    /// The condition that was met last.
    last: Option<Ground>,
}

struct Stage {
    grounds: Vec<Vec<Ground>>,
}

impl Stage {
    fn set(order: &StartupOrder<'_>, races: &BTreeMap<UnitIx, Vec<(UnitIx, Race)>>) -> Stage {
        let count = order.cluster.units.len();
        let mut grounds: Vec<Vec<Ground>> = vec![Vec::new(); 2 * count];
        for unit in order.cluster.units.indices() {
            let here = order.unit(unit);
            let requeue = sources::requeue(&here.unit.id);
            let mut add = |of: Event, event: Event, why: Why, delay: u64| {
                grounds[of].push(Ground { event, why, delay });
            };
            if let Some(owner) = order.creator(unit) {
                add(applied(unit), applied(owner), Why::CreatedBy, 0);
            }
            for (_, on) in order.depends_on(unit) {
                add(applied(unit), ready(*on), Why::DependsOn, requeue);
            }
            for (provider, race) in races.get(&unit).into_iter().flatten() {
                // A unit that starts first, or that is the provider, applies its other objects meanwhile.
                if order.before(*provider).has_started(unit) {
                    continue;
                }
                let delay = race.retry.unwrap_or(0);
                add(applied(unit), ready(*provider), Why::Retry, delay);
            }
            add(ready(unit), applied(unit), Why::Gate, 0);
            for child in order.gated(unit) {
                add(ready(unit), ready(*child), Why::Gate, 0);
            }
            for provider in order.charts_need(unit) {
                add(ready(unit), applied(*provider), Why::Retry, 0);
            }
        }
        Stage { grounds }
    }

    /// Lets events come, each after all that it rests on; those that never do have none.
    fn play(
        &self,
        causes: &BTreeMap<UnitIx, (Cause, String, Option<String>)>,
    ) -> Vec<Option<Played>> {
        let mut rests: Vec<usize> = self.grounds.iter().map(Vec::len).collect();
        let mut carries: Vec<Vec<Event>> = vec![Vec::new(); self.grounds.len()];
        for (event, grounds) in self.grounds.iter().enumerate() {
            grounds
                .iter()
                .for_each(|ground| carries[ground.event].push(event));
        }
        let mut played: Vec<Option<Played>> = vec![None; self.grounds.len()];
        let mut next: Vec<Event> = (0..rests.len())
            .filter(|event| rests[*event] == 0)
            .collect();
        while let Some(event) = next.pop() {
            let is_never = is_applying(event) && causes.contains_key(&unit_of(event));
            if is_never {
                continue;
            }
            played[event] = Some(self.latest(event, &played));
            for carried in &carries[event] {
                rests[*carried] -= 1;
                if rests[*carried] == 0 {
                    next.push(*carried);
                }
            }
        }
        played
    }

    fn latest(&self, event: Event, played: &[Option<Played>]) -> Played {
        let mut latest = Played {
            time: 0,
            wave: 0,
            last: None,
        };
        for ground in &self.grounds[event] {
            let Some(before) = played[ground.event] else {
                continue;
            };
            // A unit is ready in the wave that it is applied in, unless its gate looks further.
            let wave = before.wave + usize::from(is_applying(event));
            latest.wave = latest.wave.max(wave);
            let time = before.time + ground.delay;
            if time > latest.time || latest.last.is_none() {
                latest.last = Some(*ground);
            }
            latest.time = latest.time.max(time);
        }
        latest
    }
}

/// Units that cannot start on their own, with the reason and the error message.
fn causes(
    order: &StartupOrder<'_>,
    without: &[UnitId],
) -> BTreeMap<UnitIx, (Cause, String, Option<String>)> {
    let mut causes = BTreeMap::new();
    for (index, here) in order.cluster.units.iter_enumerated() {
        if without.contains(&here.unit.id) {
            causes.insert(
                index,
                (Cause::Wanted, "excluded by `--without`".to_owned(), None),
            );
        } else if here.unit.suspended {
            causes.insert(index, (Cause::Wanted, "suspended".to_owned(), None));
        } else if let Some(fault) = order.build_fault(index) {
            let reason = format!("its build fails: {}", fault.message);
            causes.insert(index, (Cause::Fails, reason, None));
        }
    }
    for need in &order.needs {
        if let OrderingVerdict::Deadlock(_) = need.verdict {
            let provider = order.name(order.providers[need.provider].unit);
            let id = &need.objects[0].statement.id;
            let reason = format!("{id} blocks `{provider}`, which installs its CRD");
            let message = wording::no_matches(id);
            let cause = (
                Cause::Fails,
                reason,
                Some(message.trim_matches('`').to_owned()),
            );
            causes.entry(need.unit).or_insert(cause);
        }
    }
    for trapped in order.trapped() {
        let id = &trapped.objects[0].statement.id;
        let maker = order.name(trapped.makers[0]);
        let reason = format!("{id} blocks `{maker}`, which creates its namespace");
        let message = wording::no_namespace(trapped.namespace);
        let message = message.trim_matches('`').to_owned();
        causes
            .entry(trapped.unit)
            .or_insert((Cause::Fails, reason, Some(message)));
    }
    for (index, dependency, fate) in unmet_in(order) {
        let on = &dependency.on;
        let reason = match fate {
            DependencyFate::Unknown => continue,
            DependencyFate::Missing { .. } => format!("depends on {on}, which is not declared"),
            DependencyFate::OtherKind(other, _) => {
                format!("depends on {on}, but `{}` is a {}", on.name, other.kind)
            }
            DependencyFate::Disabled(_) => format!("depends on {on}, which is disabled"),
        };
        let message = format!("unable to get '{}' dependency: not found", on.qualified());
        causes
            .entry(index)
            .or_insert((Cause::Fails, reason, Some(message)));
    }
    causes
}

/// Races by unit: each has the unit that provides what is needed.
fn races(order: &StartupOrder<'_>) -> BTreeMap<UnitIx, Vec<(UnitIx, Race)>> {
    let mut races: BTreeMap<UnitIx, Vec<(UnitIx, Race)>> = BTreeMap::new();
    let mut users: BTreeMap<ProviderIx, Vec<UnitIx>> = BTreeMap::new();
    for need in &order.needs {
        users.entry(need.provider).or_default().push(need.unit);
    }
    for need in &order.needs {
        if matches!(need.verdict, OrderingVerdict::Deadlock(_)) {
            continue;
        }
        // If it waits for another user of the same provider, that one has already retried until the provider was
        // there.
        let before = order.before(need.unit);
        let mut others = users[&need.provider].iter();
        if others.any(|other| *other != need.unit && before.has_seen_ready(*other)) {
            continue;
        }
        let provider = order.providers[need.provider].unit;
        let timing = order.unit(need.unit).unit.reconcile.timing;
        let refusal = match need.what {
            What::Definition => Refusal::Kind,
            What::Webhook => Refusal::Webhook,
        };
        let message = match need.what {
            What::Definition => wording::no_matches(&need.objects[0].statement.id)
                .trim_matches('`')
                .to_owned(),
            What::Webhook => "failed calling webhook: connect: connection refused".to_owned(),
        };
        races.entry(need.unit).or_default().push((
            provider,
            Race {
                message,
                provider: order.name(provider),
                retry: timing.retry.or(timing.interval),
                retry_advice: sources::retry_advice(&order.unit(need.unit).unit.id, refusal),
            },
        ));
    }
    races
}

fn waves(
    repo: &Repo,
    order: &StartupOrder<'_>,
    stage: &Stage,
    played: &[Option<Played>],
    races: &BTreeMap<UnitIx, Vec<(UnitIx, Race)>>,
) -> Vec<Vec<StartedUnit>> {
    let mut waves: Vec<Vec<StartedUnit>> = Vec::new();
    for (unit, here) in order.cluster.units.iter_enumerated() {
        let Some(event) = played[applied(unit)] else {
            continue;
        };
        let grounds = stage.grounds[applied(unit)].iter();
        let waits_for = grounds
            .filter(|ground| ground.why != Why::Retry)
            .map(|ground| Wait {
                name: order.name(unit_of(ground.event)),
                why: ground.why,
            });
        let (file, line) = place(repo, here.unit.place);
        waves.resize_with(waves.len().max(event.wave + 1), Vec::new);
        waves[event.wave].push(StartedUnit {
            kind: here.unit.id.kind.to_string(),
            namespace: here.unit.id.namespace.to_string(),
            name: here.unit.id.name.to_string(),
            file,
            line,
            waits_for: waits_for.collect(),
            after: event.time,
            races: races
                .get(&unit)
                .into_iter()
                .flatten()
                .map(|(_, race)| race.clone())
                .collect(),
        });
    }
    for wave in &mut waves {
        wave.sort_by(|a, b| {
            (&a.name, &a.namespace, &a.kind).cmp(&(&b.name, &b.namespace, &b.kind))
        });
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}

fn stuck(
    repo: &Repo,
    order: &StartupOrder<'_>,
    stage: &Stage,
    played: &[Option<Played>],
    causes: &BTreeMap<UnitIx, (Cause, String, Option<String>)>,
) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    for (unit, here) in order.cluster.units.iter_enumerated() {
        if played[applied(unit)].is_some() {
            continue;
        }
        let (cause, reason, message) = match causes.get(&unit) {
            Some(known) => known.clone(),
            None => {
                let grounds = stage.grounds[applied(unit)].iter();
                let missing = grounds.filter(|ground| played[ground.event].is_none());
                let phrases: Vec<String> = missing
                    .map(|ground| {
                        let name = order.name(unit_of(ground.event));
                        match ground.why {
                            Why::CreatedBy => format!("`{name}` never creates it"),
                            Why::Retry => format!("it needs CRDs that `{name}` never installs"),
                            _ => format!("`{name}` never becomes ready"),
                        }
                    })
                    .collect();
                (Cause::Waits, phrases.join(", "), None)
            }
        };
        let (file, line) = place(repo, here.unit.place);
        stuck.push(Stuck {
            kind: here.unit.id.kind.to_string(),
            namespace: here.unit.id.namespace.to_string(),
            name: here.unit.id.name.to_string(),
            file,
            line,
            reason,
            message,
            cause,
        });
    }
    stuck.sort_by(|a, b| (a.cause, &a.name, &a.kind).cmp(&(b.cause, &b.name, &b.kind)));
    stuck
}

/// From the first to the last unit that the end waits for.
fn critical_path(
    order: &StartupOrder<'_>,
    stage: &Stage,
    played: &[Option<Played>],
) -> Vec<CriticalStep> {
    let events = played.iter().enumerate();
    let last = events
        .filter_map(|(event, played)| Some((played.as_ref()?.time, event)))
        .max_by_key(|(time, event)| (*time, std::cmp::Reverse(*event)));
    let mut path = Vec::new();
    let Some((time, mut event)) = last.filter(|(time, _)| *time > 0) else {
        return path;
    };
    // Each step leads to an earlier event, so that there are no more than there are events.
    for _ in 0..=stage.grounds.len().min(time as usize + stage.grounds.len()) {
        let Some(played) = played[event] else { break };
        let (why, waited) = match played.last {
            Some(ground) => (Some(ground.why), ground.delay),
            None => (None, 0),
        };
        let name = order.name(unit_of(event));
        // That it is ready once it is applied, or that it was created, costs no time.
        if is_applying(event) && (waited > 0 || played.last.is_none()) {
            path.push(CriticalStep { name, why, waited });
        }
        match played.last {
            Some(ground) => event = ground.event,
            None => break,
        }
    }
    path.reverse();
    path
}

fn place(repo: &Repo, place: Place) -> (String, u32) {
    if place.file == FileId::NONE {
        (String::new(), 0)
    } else {
        (repo.path(place.file).as_str().to_owned(), place.line)
    }
}
