//! An API group: who installs its definitions, and who uses its kinds.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::frame::PageHead;
use super::{PageContent, view};
use crate::catalog::{ComponentIx, ComponentResource};
use crate::knowledge::route::Anchors;
use crate::site::context::{Elsewhere, defined_group};
use crate::site::view::{Here, Mention, More, PlaceView, Text, counted};
use markdown::text::{code, escaped, link};
use shell::kind::is_called;

#[derive(Serialize)]
struct ApiGroup {
    group: String,
    installed_by: Vec<Mention>,
    elsewhere: DefinitionSource,
    served_by: Vec<Mention>,
    used_by: Vec<Mention>,
    used_by_count: usize,
    used_by_more: Option<More>,
    kinds: Vec<KindRow>,
}

/// Origin of definitions that no component here is known to install.
#[derive(Serialize)]
struct DefinitionSource {
    text: &'static str,
    short: &'static str,
    place: Option<PlaceView>,
}

#[derive(Serialize)]
struct KindRow {
    id: String,
    kind: String,
    versions: Vec<String>,
    installed_by: Option<Mention>,
    place: Option<PlaceView>,
    uses: Vec<GroupUse>,
}

#[derive(Serialize)]
struct GroupUse {
    component: Mention,
    resources: Vec<Used>,
}

#[derive(Serialize)]
struct Used {
    name: String,
    place: PlaceView,
}

const MOST_NAMED: usize = 12;
/// Objects of one kind that the page names.
const MOST_USED: usize = 60;

/// Facts about a kind.
#[derive(Default)]
struct KindFacts<'a> {
    versions: BTreeSet<&'a str>,
    definition: Option<(ComponentIx, &'a ComponentResource)>,
    uses: Vec<(ComponentIx, Vec<&'a ComponentResource>)>,
}

pub fn write(here: &Here<'_>, group: &str) -> PageContent {
    let api = &here.context.apis[group];
    let routes = &here.context.routes;
    let page = PageHead::new(here, "api_group", group).below("APIs", here.to(&routes.apis));
    let (used_by, used_by_more) = here.mentions(&api.used_by, MOST_NAMED);
    let facts = kinds(here, group, &api.installed_by, &api.used_by);
    let mut anchors = Anchors::default();
    let kinds: Vec<KindRow> = facts
        .into_iter()
        .map(|(kind, facts)| {
            let defined = facts.definition;
            KindRow {
                id: anchors.id("kind", kind),
                kind: kind.to_owned(),
                versions: facts.versions.iter().map(|v| (*v).to_owned()).collect(),
                installed_by: defined
                    .map(|(at, _)| at)
                    .or_else(|| api.installer(kind))
                    .map(|at| here.mention(at)),
                place: defined.map(|(_, resource)| here.place(resource.place)),
                uses: uses(here, &facts.uses),
            }
        })
        .collect();
    let mut markdown = Text::default();
    let names = |all: &[ComponentIx]| -> String {
        let names = all
            .iter()
            .take(MOST_NAMED)
            .map(|at| link(&here.component(*at).title, Some(&here.href(*at))));
        names.collect::<Vec<_>>().join(", ")
    };
    let elsewhere = source(here, api.elsewhere);
    markdown.item(&match (api.installed_by.is_empty(), &elsewhere.place) {
        (false, _) => format!("Installed by: {}", names(&api.installed_by)),
        (true, None) => format!("Installed by: {}", elsewhere.text),
        (true, Some(place)) => {
            let place = link(&place.label, place.href.as_deref());
            format!("Installed by: {} {place}", elsewhere.text)
        }
    });
    if !api.served_by.is_empty() {
        markdown.item(&format!("Webhook served by: {}", names(&api.served_by)));
    }
    markdown.item(&match api.used_by.len() {
        0 => "Used by: no component".to_owned(),
        many => format!(
            "Used by: {} ({})",
            names(&api.used_by),
            counted(many, "component")
        ),
    });
    markdown.table(
        &["Kind", "Versions", "Used by"],
        kinds.iter().map(|kind| {
            let uses: Vec<String> = kind
                .uses
                .iter()
                .map(|one| escaped(&one.component.title))
                .collect();
            [
                code(&kind.kind),
                escaped(&kind.versions.join(", ")),
                uses.join(", "),
            ]
        }),
    );
    let view_of = ApiGroup {
        group: group.to_owned(),
        installed_by: here.mentions(&api.installed_by, MOST_NAMED).0,
        elsewhere,
        served_by: here.mentions(&api.served_by, MOST_NAMED).0,
        used_by,
        used_by_count: api.used_by.len(),
        used_by_more,
        kinds,
    };
    PageContent {
        template: "pages/api_group.html",
        page,
        views: vec![view("api_group", &view_of)],
        markdown,
    }
}

fn source(here: &Here<'_>, elsewhere: Elsewhere) -> DefinitionSource {
    match elsewhere {
        Elsewhere::Configured => DefinitionSource {
            text: "Not in this repository (declared in catalog.toml)",
            short: origin(elsewhere),
            place: None,
        },
        Elsewhere::Bootstrapped(place) => DefinitionSource {
            text: "Manual step before bootstrap:",
            short: origin(elsewhere),
            place: Some(here.place(place)),
        },
        Elsewhere::Unknown => DefinitionSource {
            text: "Not found in this repository: no manifest defines the CRDs, but a chart or remote base may install them",
            short: origin(elsewhere),
            place: None,
        },
    }
}

/// The same in a few words, for a table.
pub fn origin(elsewhere: Elsewhere) -> &'static str {
    match elsewhere {
        Elsewhere::Configured => "Not in this repository",
        Elsewhere::Bootstrapped(_) => "Manual step",
        Elsewhere::Unknown => "Not found in this repository",
    }
}

fn kinds<'a>(
    here: &Here<'a>,
    group: &str,
    installed_by: &[ComponentIx],
    used_by: &[ComponentIx],
) -> BTreeMap<&'a str, KindFacts<'a>> {
    let mut kinds: BTreeMap<&str, KindFacts<'_>> = BTreeMap::new();
    for at in used_by {
        let resources = here.component(*at).resources.iter();
        for resource in resources.filter(|resource| resource.id.group == group) {
            let facts = kinds.entry(resource.id.kind.as_str()).or_default();
            facts.versions.insert(&resource.id.version);
            match facts.uses.last_mut().filter(|(last, _)| last == at) {
                Some((_, all)) => all.push(resource),
                None => facts.uses.push((*at, vec![resource])),
            }
        }
    }
    // A definition is named by the plural of its kind. The spelling of the kind comes from its uses.
    for at in installed_by {
        let resources = here.component(*at).resources.iter();
        for resource in resources.filter(|resource| defined_group(resource) == Some(group)) {
            let plural = resource.id.name.split('.').next().unwrap_or_default();
            let spelled = kinds.keys().find(|kind| is_called(kind, plural)).copied();
            let facts = kinds.entry(spelled.unwrap_or(plural)).or_default();
            facts.definition.get_or_insert((*at, resource));
        }
    }
    kinds
}

fn uses(here: &Here<'_>, all: &[(ComponentIx, Vec<&ComponentResource>)]) -> Vec<GroupUse> {
    let mut left = MOST_USED;
    let mut uses = Vec::new();
    for (at, resources) in all {
        if left == 0 {
            break;
        }
        let mut named: Vec<&&ComponentResource> = resources.iter().collect();
        named.dedup_by(|a, b| a.id.name == b.id.name && a.place == b.place);
        named.truncate(left);
        left -= named.len();
        uses.push(GroupUse {
            component: here.mention(*at),
            resources: named
                .into_iter()
                .map(|resource| Used {
                    name: resource.id.name.to_string(),
                    place: here.place(resource.place),
                })
                .collect(),
        });
    }
    uses
}
