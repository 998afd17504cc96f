//! Components that a title names: by id, title, chart or unit, or by what people call the application.

use base::hash::HashMap;

use super::word::{names_component, words};
use crate::catalog::{Catalog, Component, ComponentIx};
use crate::input::config::{Application, known_applications};
use crate::knowledge::plain::is_plain_word;

/// Names without spaces and punctuation, so that `Argo CD`, `ArgoCD` and `argo-cd` are one.
#[derive(Default)]
pub struct TitleNames(HashMap<String, NamedBy>);

/// Who has a name, and how surely: by itself, as an application, or as a part of its name.
struct NamedBy {
    rank: u8,
    component: Option<ComponentIx>,
    /// Every word of it may mean something else.
    is_plain: bool,
}

/// The most words that a name has in a title.
const MOST_WORDS: usize = 5;
/// Parts of a name that people leave out.
const NEUTRAL: &[&str] = &[
    "operator",
    "controller",
    "system",
    "stack",
    "server",
    "cluster",
    "app",
    "instance",
    "config",
];
/// Words before what was not chosen.
const INSTEAD: &[&[&str]] = &[
    &["instead", "of"],
    &["rather", "than"],
    &["over"],
    &["vs"],
    &["versus"],
    &["without"],
    &["not"],
    &["not", "in"],
    &["not", "on"],
    &["not", "via"],
    &["statt"],
    &["anstelle", "von"],
    &["plut\u{f4}t", "que"],
];

impl TitleNames {
    /// `own` are applications that the configuration adds to those that are known.
    pub fn from_catalog(catalog: &Catalog, own: &[Application]) -> TitleNames {
        let mut names = TitleNames::default();
        let applications: Vec<&Application> = own.iter().chain(known_applications()).collect();
        let mut by_name: HashMap<&str, &Application> = HashMap::default();
        for application in applications {
            for name in std::iter::once(&application.name).chain(&application.aliases) {
                by_name.entry(name.as_str()).or_insert(application);
            }
        }
        for (at, component) in catalog.components.iter_enumerated() {
            for name in names_of(component) {
                names.add(name, at, 0);
                let bare = bare(name);
                bare.into_iter().for_each(|bare| names.add(bare, at, 2));
                for name in [Some(name), bare].into_iter().flatten() {
                    let Some(application) = by_name.get(name) else {
                        continue;
                    };
                    let all = std::iter::once(&application.name).chain(&application.aliases);
                    all.for_each(|name| names.add(name, at, 1));
                }
            }
        }
        names
    }

    fn add(&mut self, name: &str, component: ComponentIx, rank: u8) {
        let parts: Vec<String> = words(name).map(|(_, word)| word.to_lowercase()).collect();
        let key = parts.concat();
        let is_plain = parts.iter().all(|word| is_plain_word(word));
        let is_short = key.chars().count() < 4 && !key.contains(|c: char| c.is_ascii_digit());
        if is_short || key.chars().count() < 3 || is_plain && parts.len() < 2 {
            return;
        }
        let known = self.0.entry(key).or_insert(NamedBy {
            rank,
            component: Some(component),
            is_plain,
        });
        if rank < known.rank {
            *known = NamedBy {
                rank,
                component: Some(component),
                is_plain,
            };
        } else if rank == known.rank {
            known.component = known.component.filter(|known| *known == component);
        }
    }

    /// The components that a title names, each with the byte where its name begins.
    pub fn in_title(&self, title: &str) -> Vec<(ComponentIx, usize)> {
        let all: Vec<(usize, &str)> = words(title).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let most = MOST_WORDS.min(all.len() - at);
            let meant = (1..=most).rev().find_map(|length| {
                let parts = &all[at..at + length];
                // `Grafana, Loki` are two.
                let (first, (last, word)) = (parts[0].0, parts[length - 1]);
                let is_joined = |c: char| c.is_alphanumeric() || " -_.".contains(c);
                if !title[first..last + word.len()].chars().all(is_joined) {
                    return None;
                }
                let key: String = parts.iter().map(|(_, word)| word.to_lowercase()).collect();
                let named = self.0.get(&key)?;
                let is_name =
                    |word: &str| word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
                let is_meant = !named.is_plain || parts.iter().all(|(_, word)| is_name(word));
                is_meant.then_some((length, named.component))
            });
            match meant {
                Some((length, component)) => {
                    // `Grafana Tempo` is one application, called after who makes it.
                    if is_maker(title, &found, all[at].0) {
                        found.pop();
                    }
                    if !is_instead(&all[..at]) {
                        found.extend(component.map(|component| (component, all[at].0)));
                    }
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Whether the name before a word stands for who makes what the word names.
fn is_maker(title: &str, found: &[(ComponentIx, usize)], at: usize) -> bool {
    let before = found.last().map(|(_, start)| &title[*start..at]);
    before.is_some_and(|before| {
        let maker = before.trim_end();
        MAKERS.contains(&maker.to_lowercase().as_str()) && before.len() == maker.len() + 1
    })
}

/// Applications whose makers name others after them.
const MAKERS: &[&str] = &[
    "grafana",
    "hashicorp",
    "cloudflare",
    "prometheus",
    "traefik",
];

/// What a component is called by its manifests.
fn names_of(component: &Component) -> Vec<&str> {
    let unit = component.unit.as_ref().map(|unit| unit.name.as_str());
    let chart = component
        .chart
        .as_ref()
        .filter(|chart| names_component(chart));
    let chart = chart.map(|chart| chart.name.as_str());
    let mut names: Vec<&str> = [component.id.0.as_str(), component.title.as_str()]
        .into_iter()
        .chain(unit)
        .chain(chart)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A name without a last word that says little: `flux-system` is `flux`.
fn bare(name: &str) -> Option<&str> {
    let (rest, last) = name.rsplit_once(['-', ' '])?;
    NEUTRAL
        .contains(&last.to_lowercase().as_str())
        .then_some(rest)
}

/// Whether words end in one that says what was not chosen.
pub fn is_instead(before: &[(usize, &str)]) -> bool {
    INSTEAD.iter().any(|words| {
        let from = before.len().checked_sub(words.len());
        from.is_some_and(|from| {
            let mut last = before[from..].iter().zip(*words);
            last.all(|((_, word), known)| word.eq_ignore_ascii_case(known))
        })
    })
}
