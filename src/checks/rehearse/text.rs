//! A rehearsal in lines, for people.

use std::fmt::Write;

use super::{Rehearsal, StartedUnit, Why};
use crate::checks::wording::duration;
use base::text::counted;
use system::terminal::plain;

/// Explains the numbers, once per output.
const NOTE: &str = "\
A unit is applied as a whole: a Kustomization, HelmRelease, Application, Pulumi stack or Terraform module.
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
    let _ = write!(
        text,
        "{} ({}): {} in {}, worst-case wait {}",
        plain(&rehearsal.cluster),
        plain(&rehearsal.root.to_string()),
        counted(started, "unit"),
        counted(rehearsal.waves.len(), "wave"),
        duration(rehearsal.waiting)
    );
    let never = rehearsal.never();
    if never > 0 {
        let _ = write!(text, "; {never} never start");
    }
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
            let line = format!("{} {}: {}", stuck.kind, stuck.name, stuck.reason);
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
    plain(&match step.namespace.is_empty() {
        true => format!("{} {}", step.kind, step.name),
        false => format!("{} {}/{}", step.kind, step.namespace, step.name),
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
