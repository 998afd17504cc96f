//! The facts at a glance: where it runs, what deploys it, and where its source is.

use serde::Serialize;

use super::settings::setting_anchor;
use super::{About, MOST_URLS, SectionBody};
use crate::catalog::{ByCommand, Component, ComponentChart, ComponentLink, Setting, is_link};
use crate::checks::wording::in_words;
use crate::cluster::Coverage;
use crate::input::repo::LastChange;
use crate::site::theme::View;
use crate::site::view::{Text, by_environment, count};
use markdown::text::{code, escaped, link};

#[derive(Serialize)]
struct Overview {
    rows: Vec<FactRow>,
}

#[derive(Serialize)]
struct FactRow {
    label: &'static str,
    parts: Vec<FactText>,
    /// The head of the page states it, so only the Markdown page, which has no such head, repeats it.
    #[serde(skip)]
    in_head: bool,
}

#[derive(Serialize)]
struct FactText {
    text: String,
    href: Option<String>,
    code: bool,
    note: Option<String>,
}

/// Facts that the head of the page states: its chips, and the card of environments.
const IN_HEAD: &[&str] = &["Namespace", "Kind", "Layer", "Version", "Status", "Links"];
/// Names beyond this are counted rather than listed.
const MOST: usize = 200;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let component = about.component;
    let here = &about.here;
    let context = here.context;
    let sizes = &component.per_environment;
    let mut rows: Vec<FactRow> = Vec::new();
    let has_all_urls =
        component.urls.len() <= MOST_URLS && component.urls.iter().all(|url| is_link(url));
    let mut row = |label: &'static str, parts: Vec<FactText>| {
        if !parts.is_empty() {
            rows.push(FactRow {
                label,
                parts,
                in_head: match label {
                    "URLs" => has_all_urls,
                    _ => IN_HEAD.contains(&label),
                },
            });
        }
    };
    row(
        "Namespace",
        vec![code_part(&component.namespace)]
            .into_iter()
            .filter(FactText::says)
            .collect(),
    );
    if let Some(owner) = &component.owner {
        let contact = context.config.owners.iter().find(|one| one.name == *owner);
        let contact = contact.and_then(|owner| owner.contact.clone());
        let written = component.owner_place.and_then(|at| here.known_place(at));
        let more = component.owners.iter().skip(1);
        let mut names = vec![FactText {
            href: contact.as_deref().and_then(address),
            ..plain(owner)
        }];
        names.extend(more.map(|name| plain(name)));
        // A contact is linked in the first place, else the line that names them.
        if let (Some(written), [.., last]) = (written, names.as_mut_slice()) {
            last.href = last.href.take().or(written.href);
            last.note = Some(written.label);
        }
        row("Owner", names);
    }
    row(
        "Contact",
        component
            .contact
            .as_deref()
            .map(contact)
            .into_iter()
            .collect(),
    );
    row("Kind", vec![plain(in_words(&component.kind))]);
    let layer = &context.layers[here.related(about.index).layer];
    if component.layer.is_some() {
        row("Layer", vec![plain(&layer.title)]);
    }
    if let Some(own) = &component.chart {
        row("Chart", vec![chart(own, chart_version(about).as_deref())]);
        row("Application", application_version(about, own));
        row("In the chart", contents(own));
    }
    let more = component.more_charts.iter();
    row(
        "Other charts",
        limited(more.map(|more| chart(more, more.version.as_deref()))),
    );
    row("Version", versions(about));
    row("Status", vec![plain(&capitalised(component.status.name()))]);
    let links = context.catalog.links(context.config, component);
    row("Links", links.into_iter().map(linked).collect());
    row("URLs", component.urls.iter().map(|url| web(url)).collect());
    row(
        "Workloads",
        limited(
            component
                .workloads
                .iter()
                .zip(&sizes.replicas)
                .map(|(workload, replicas)| FactText {
                    note: by_environment::told(component, replicas, |n| format!("× {n}")),
                    ..code_part(&format!("{}/{}", workload.kind, workload.name))
                }),
        ),
    );
    row(
        "Images",
        limited(component.images.iter().map(|name| {
            FactText {
                href: image_setting(&component.settings, name)
                    .map(|setting| format!("#{}", setting_anchor(&setting.name))),
                ..image(name)
            }
        })),
    );
    row(
        "Ports",
        limited(ports(component).into_iter().map(code_part)),
    );
    row("Probes", limited(probes(component).into_iter()));
    row(
        "Volumes",
        limited(component.volumes.iter().enumerate().map(|(at, volume)| {
            let size = by_environment::told(component, &sizes.sizes[at], str::to_owned);
            let class = |class: &str| format!("storage class {class}");
            let class = by_environment::told(component, &sizes.classes[at], class);
            let notes: Vec<String> = size.into_iter().chain(class).collect();
            FactText {
                note: (!notes.is_empty()).then(|| notes.join(", ")),
                ..code_part(&volume.name)
            }
        })),
    );
    row(
        "Source code",
        component
            .source_code
            .as_deref()
            .map(web)
            .into_iter()
            .collect(),
    );
    if let Some(by) = &component.by_command {
        row("Applied with", vec![applied_with(about, by)]);
    }
    if let Some(source) = &component.source {
        let repo_host = context.repo_host.as_ref();
        row(
            "Source",
            vec![FactText {
                href: repo_host.map(|repo_host| repo_host.directory(source.as_str())),
                ..code_part(&format!("{source}/"))
            }],
        );
    }
    // Otherwise there is a section of recent changes.
    let is_recent = !context.changes().commits[about.index].is_empty();
    if let Some(change) = last_change(about).filter(|_| !is_recent) {
        row("Last change", vec![change]);
    }
    let mut markdown = Text::default();
    markdown.table(
        &["Property", "Value"],
        rows.iter().map(|row| {
            let parts: Vec<String> = row.parts.iter().map(FactText::markdown).collect();
            [row.label.to_owned(), parts.join(", ")]
        }),
    );
    rows.retain(|row| !row.in_head);
    if rows.is_empty() {
        return None;
    }
    Some(SectionBody {
        view: View::serialize(&Overview { rows }),
        markdown,
        headings: Vec::new(),
        count: None,
    })
}

/// A chart, with its version where no other row has it.
fn chart(chart: &ComponentChart, version: Option<&str>) -> FactText {
    let repository = chart.repository.as_deref();
    let from = repository.map(|url| format!("from {url}"));
    let notes: Vec<&str> = version.into_iter().chain(from.as_deref()).collect();
    FactText {
        href: repository
            .filter(|url| url.starts_with("https://"))
            .map(str::to_owned),
        note: (!notes.is_empty()).then(|| notes.join(", ")),
        ..code_part(&chart.name)
    }
}

/// One version where all environments agree, else each with its environment.
fn versions(about: &About<'_>) -> Vec<FactText> {
    let environments = about.component.environments.iter();
    let stated = environments.filter_map(|one| Some((one.name.as_str(), one.version.as_deref()?)));
    let by_version = by_environment::grouped(stated);
    let differ = by_version.len() > 1;
    let parts = by_version.into_iter().map(|(version, names)| FactText {
        note: differ.then(|| by_environment::names(&names)),
        ..code_part(version)
    });
    parts.collect()
}

/// The version of the application, as its chart states it, where no other row has it.
fn application_version(about: &About<'_>, chart: &ComponentChart) -> Vec<FactText> {
    let read = chart.read.as_ref();
    let metadata = read.and_then(|read| read.metadata.as_ref());
    let version = metadata.and_then(|metadata| metadata.app_version.as_deref());
    let plain = |version: &str| version.trim_start_matches('v').to_owned();
    let mut shown = about.component.environments.iter();
    let version = version.filter(|version| {
        !shown.any(|one| one.version.as_deref().map(plain) == Some(plain(version)))
    });
    version.map(code_part).into_iter().collect()
}

/// That it is not known what a chart installs, and why.
fn contents(chart: &ComponentChart) -> Vec<FactText> {
    let Some(read) = &chart.read else {
        return Vec::new();
    };
    let (state, reason) = match &read.coverage {
        Coverage::Whole => return Vec::new(),
        Coverage::Part(reason) => ("known in part", reason),
        Coverage::Nothing(reason) => ("not known", reason),
    };
    vec![FactText {
        // A note has no code in it.
        note: Some(first_line(reason).replace('`', "")),
        ..plain(state)
    }]
}

/// The first line of a reason, which may be a whole message of Helm.
fn first_line(reason: &str) -> String {
    const MOST: usize = 200;
    let line = reason.lines().next().unwrap_or_default();
    let short: String = line.chars().take(MOST).collect();
    if short.len() < line.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// The chart version, if the version row shows an image version.
fn chart_version(about: &About<'_>) -> Option<String> {
    let environments = &about.component.environments;
    environments
        .iter()
        .find(|one| one.version != one.chart_version)?;
    let stated = environments.iter();
    let stated = stated.filter_map(|one| Some((one.name.as_str(), one.chart_version.as_deref()?)));
    let by_version = by_environment::grouped(stated);
    let differ = by_version.len() > 1;
    let parts = by_version.iter().map(|(version, names)| {
        if differ {
            format!("{version} ({})", by_environment::names(names))
        } else {
            (*version).to_owned()
        }
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The command that applies it, and the file that says so.
fn applied_with(about: &About<'_>, by: &ByCommand) -> FactText {
    match by {
        ByCommand::Stated(command) => {
            let path = about.here.context.repo.path(command.place.file);
            FactText {
                note: Some(format!("{path}:{}", command.place.line)),
                ..code_part(&command.value)
            }
        }
        ByCommand::Inferred => FactText {
            note: Some("inferred from the directories".to_owned()),
            ..plain("a command that no file states")
        },
    }
}

fn linked(link: ComponentLink<'_>) -> FactText {
    FactText {
        href: Some(link.url),
        note: Some(link.environments.join(", ")),
        ..plain(link.name)
    }
}

fn contact(contact: &str) -> FactText {
    FactText {
        href: address(contact),
        ..plain(contact)
    }
}

fn last_change(about: &About<'_>) -> Option<FactText> {
    let last = about
        .here
        .context
        .last_change(about.index, about.component)?;
    Some(match last {
        LastChange::In(change) => FactText {
            note: Some(format!("by {}", change.author)),
            ..plain(change.date.get(..10).unwrap_or(&change.date))
        },
        LastChange::Before(day) => plain(&format!("before {day}")),
    })
}

fn limited(parts: impl ExactSizeIterator<Item = FactText>) -> Vec<FactText> {
    let all = parts.len();
    let shown = if all > MOST + 1 { MOST } else { all };
    let mut parts: Vec<FactText> = parts.take(shown).collect();
    if all > shown {
        parts.push(plain(&format!("and {} more", count(all - shown))));
    }
    parts
}

fn plain(text: &str) -> FactText {
    FactText {
        text: text.to_owned(),
        href: None,
        code: false,
        note: None,
    }
}

/// What the kubelet asks, each with the workloads that it asks it of, or their containers.
fn probes(component: &Component) -> Vec<FactText> {
    let mut asked: Vec<(String, Vec<&str>)> = Vec::new();
    for workload in &component.workloads {
        let first = workload.probes.first();
        let is_one = workload
            .probes
            .iter()
            .all(|it| Some(&it.container) == first.map(|it| &it.container));
        for probe in &workload.probes {
            let text = format!("{} {}", probe.purpose, probe.check);
            let name = if is_one {
                workload.name.as_str()
            } else {
                probe.container.as_str()
            };
            match asked.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => asked.push((text, vec![name])),
            }
        }
    }
    let all = component.workloads.len();
    let has_several = asked
        .iter()
        .any(|(_, names)| *names != asked[0].1 || names.len() < all);
    let parts = asked.iter().map(|(text, names)| FactText {
        note: has_several.then(|| names.join(", ")),
        ..code_part(text)
    });
    parts.collect()
}

/// An image, with the start of its digest: the rest tells nobody anything.
fn image(name: &str) -> FactText {
    let (tagged, digest) = match name.split_once('@') {
        Some((tagged, digest)) => (tagged, Some(digest)),
        None => (name, None),
    };
    FactText {
        note: digest.map(|digest| match digest.char_indices().nth(SHOWN_OF_DIGEST) {
            Some((end, _)) => format!("{}…", &digest[..end]),
            None => digest.to_owned(),
        }),
        ..code_part(tagged)
    }
}

/// The setting that decides an image: its tag, or the image as a whole.
fn image_setting<'a>(settings: &'a [Setting], image: &str) -> Option<&'a Setting> {
    let value_is = |setting: &Setting, wanted: &dyn Fn(&str) -> bool| {
        let mut values = setting.values.iter();
        !setting.secret && values.any(|(_, value)| value.value.as_deref().is_some_and(wanted))
    };
    let whole = settings
        .iter()
        .find(|setting| value_is(setting, &|value| value == image));
    whole.or_else(|| {
        // The port of a registry is before a slash.
        let name = image.rfind('/').map_or(0, |slash| slash + 1);
        let (last, tag) = image[name..].split_once(':')?;
        let repository = &image[..name + last.len()];
        let short = tag.split('@').next().unwrap_or(tag);
        let mut tags = settings.iter().filter_map(|setting| {
            let parent = setting.name.strip_suffix("tag")?;
            (parent.is_empty() || parent.ends_with('.')).then_some((setting, parent))
        });
        let found = tags.find(|(setting, parent)| {
            let is_of = |other: &&Setting| {
                other.name.strip_suffix("repository") == Some(parent)
                    && value_is(other, &|value| repository.ends_with(value))
            };
            value_is(setting, &|value| value == tag || value == short)
                && settings.iter().any(|other| is_of(&other))
        });
        found.map(|(setting, _)| setting)
    })
}

/// Ports, each once: a number that is also there with a name says nothing more.
fn ports(component: &Component) -> Vec<&str> {
    let all = component.ports.iter().map(|port| port.as_str());
    let named = |port: &str| {
        let mut others = all.clone();
        others.any(|other| {
            other
                .split_once(' ')
                .is_some_and(|(_, number)| number == port)
        })
    };
    all.clone().filter(|port| !named(port)).collect()
}

/// Enough to compare two digests by eye, with the name of the algorithm.
const SHOWN_OF_DIGEST: usize = "sha256:".len() + 12;

fn code_part(text: &str) -> FactText {
    FactText {
        code: true,
        ..plain(text)
    }
}

fn web(url: &str) -> FactText {
    FactText {
        href: Some(url.to_owned()).filter(|url| is_link(url)),
        ..plain(url)
    }
}

/// A contact as an address that can be followed.
fn address(contact: &str) -> Option<String> {
    let is_web = contact.starts_with("https://") || contact.starts_with("http://");
    if contact.contains('@') && !contact.contains([' ', ':', '<']) {
        Some(format!("mailto:{contact}"))
    } else {
        is_web.then(|| contact.to_owned())
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

impl FactText {
    fn says(&self) -> bool {
        !self.text.is_empty()
    }

    fn markdown(&self) -> String {
        let text = match (&self.href, self.code) {
            (Some(href), _) => link(&self.text, Some(href)),
            (None, true) => code(&self.text),
            (None, false) => escaped(&self.text),
        };
        match &self.note {
            Some(note) => format!("{text} ({})", escaped(note)),
            None => text,
        }
    }
}
