//! A rehearsal in lines, for people.

use std::fmt::Write;

use super::{Rehearsal, StartedUnit, Why};
use crate::checks::wording::{duration, in_words};
use base::text::counted;
use system::terminal::plain;

/// Explains the numbers, once per output.
const NOTE: &str = "\
A unit is a Kustomization, HelmRelease, Application, Pulumi stack or Terraform module.
The units of a wave wait only for earlier waves. Times are worst-case waits, excluding the
time to apply and install. A unit whose dependency is not ready checks again after 30s. A unit that fails
retries after its retryInterval, or its interval if it has none.
";

pub fn text(rehearsals: &[Rehearsal]) -> String {
    let mut text = String::new();
    for rehearsal in rehearsals {
        tell(rehearsal, &mut text);
    }
    if !rehearsals.is_empty() {
        text += NOTE;
    }
    text
}

fn tell(rehearsal: &Rehearsal, text: &mut String) {
    let started: usize = rehearsal.waves.iter().map(Vec::len).sum();
    let never = rehearsal.never();
    let waves = counted(rehearsal.waves.len(), "wave");
    let all = counted(started + never, "unit");
    let counts = match (started, never) {
        (_, 0) => format!("{all} in {waves}"),
        (0, _) => format!("{all}, none of which ever starts"),
        (1, 1) => format!("{all}: 1 starts in {waves}, 1 never starts"),
        (_, 1) => format!("{all}: {started} start in {waves}, 1 never starts"),
        (1, _) => format!("{all}: 1 starts in {waves}, {never} never start"),
        _ => format!("{all}: {started} start in {waves}, {never} never start"),
    };
    let _ = write!(
        text,
        "{} ({}): {counts}, worst-case wait {}",
        plain(&rehearsal.cluster),
        plain(&rehearsal.root.to_string()),
        duration(rehearsal.waiting)
    );
    text.push_str("\n\n");
    for (number, wave) in rehearsal.waves.iter().enumerate() {
        let _ = writeln!(text, "  wave {}", number + 1);
        let width = wave.iter().map(|step| label(step).chars().count()).max();
        for step in wave {
            let name = label(step);
            let pad = width.unwrap_or(0) - name.chars().count();
            let waits = waits(step);
            let line = format!("    {name}{} {waits}", " ".repeat(pad));
            let _ = writeln!(text, "{}", line.trim_end());
            for race in &step.races {
                let retry = match (race.retry_advice, race.retry) {
                    (Some(when), _) => format!("retries {when}"),
                    (None, Some(seconds)) => format!("retries after {}", duration(seconds)),
                    (None, None) => "retries at its next interval".to_owned(),
                };
                let _ = writeln!(
                    text,
                    "      races with {}: {}; {retry}",
                    plain(&race.provider),
                    plain(&race.message)
                );
            }
        }
    }
    if !rehearsal.stuck.is_empty() {
        text.push_str("  never starts\n");
        for stuck in &rehearsal.stuck {
            let line = format!("{} {}: {}", in_words(&stuck.kind), stuck.name, stuck.reason);
            let _ = writeln!(text, "    {}", plain(&line));
            if let Some(message) = &stuck.message {
                let _ = writeln!(text, "      {}", plain(message));
            }
        }
    }
    if !rehearsal.critical_path.is_empty() {
        text.push_str("  critical path\n");
        for link in &rehearsal.critical_path {
            let name = plain(&link.name);
            let _ = match (link.why, link.waited) {
                (Some(Why::Retry), waited) => {
                    writeln!(
                        text,
                        "    {} fails and retries after {}",
                        name,
                        duration(waited)
                    )
                }
                (_, 0) => writeln!(text, "    {name}"),
                (_, waited) => {
                    writeln!(text, "    {} checks again after {}", name, duration(waited))
                }
            };
        }
    }
    text.push('\n');
}

fn label(step: &StartedUnit) -> String {
    let kind = in_words(&step.kind);
    plain(&match step.namespace.is_empty() {
        true => format!("{kind} {}", step.name),
        false => format!("{kind} {}/{}", step.namespace, step.name),
    })
}

fn waits(step: &StartedUnit) -> String {
    let names = |why: Why| -> Vec<&str> {
        let waits = step.waits_for.iter().filter(|wait| wait.why == why);
        waits.map(|wait| wait.name.as_str()).collect()
    };
    let (created, after) = (names(Why::CreatedBy), names(Why::DependsOn));
    let mut parts = Vec::new();
    if !after.is_empty() {
        parts.push(format!("after {}", after.join(", ")));
    } else if !created.is_empty() {
        parts.push(format!("created by {}", created.join(", ")));
    }
    if step.after > 0 {
        parts.push(format!("≤ {}", duration(step.after)));
    }
    plain(&parts.join("  "))
}
