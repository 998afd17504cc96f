//! One-line descriptions of components, with their home pages. They come from the configuration, an annotation or the
//! table of well-known applications. Knowledge adds those that documents and charts of the repo contain.

use std::borrow::Cow;

use rayon::prelude::*;
use smol_str::SmolStr;

use super::Component;
use super::component::NamedComponent;
use super::part_objects::objects;
use super::title::title;
use crate::cluster::Clusters;
use crate::input::config::{Application, Config, Switch, known_applications};
use base::Place;
use base::hash::HashMap;

/// Description, home page, source repository and icon of a component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    pub description: Option<Description>,
    pub home: Option<String>,
    /// The web page of its source repository.
    pub code: Option<String>,
    /// A slug of Simple Icons.
    pub icon: Option<String>,
}

/// One line about a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    pub text: String,
    pub by: DescribedBy,
    /// Where it is written; the default if that is no file of the repo.
    pub place: Place,
}

/// Who describes a component, the one that counts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DescribedBy {
    Configuration,
    Annotation,
    /// It is a well-known application: by its chart, or the objects that operators make it from.
    Recognised,
    Document,
    Chart,
    /// It or its image bears the name of a well-known application.
    Name,
}

/// Applications by their names, in lower case, and by what makes them.
pub struct Applications<'c> {
    by_name: HashMap<Cow<'c, str>, KnownApplication<'c>>,
    by_kind: HashMap<&'c str, KnownApplication<'c>>,
}

#[derive(Clone, Copy)]
struct KnownApplication<'c> {
    application: &'c Application,
    by: DescribedBy,
}

/// Parts of a name that do not change what something is.
const NEUTRAL: &[&str] = &["app", "instance", "server", "stack", "system"];

/// Words that follow the name of an application, and how they change its description: `grafana-config`.
const ROLES: &[(&str, &str)] = &[
    ("config", "Configuration of"),
    ("configs", "Configuration of"),
    ("configuration", "Configuration of"),
    ("crds", "Definitions of"),
    ("crd", "Definitions of"),
    ("dashboards", "Dashboards for"),
    ("exporter", "Metrics of"),
    ("backup", "Backups of"),
    ("backups", "Backups of"),
    ("operator", "Operator for"),
];

/// A component with more images than this is no single application.
const MOST_IMAGES: usize = 32;

pub fn assign(
    components: &mut [Component],
    named: &[NamedComponent],
    clusters: &Clusters,
    config: &Config,
) {
    let applications = Applications::new(config);
    let each = components.par_iter_mut().zip(named);
    each.with_max_len(64).for_each(|(component, named)| {
        component.about = applications.about(component, named, clusters);
    });
    describe_by_charts(components);
}

/// Describes components by their charts, where nothing else does. A chart that several install runs anything, so that it
/// describes none of them.
fn describe_by_charts(components: &mut [Component]) {
    let mut uses: HashMap<(SmolStr, Option<SmolStr>), usize> = HashMap::default();
    let key = |component: &Component| {
        let chart = component.chart.as_ref()?;
        Some((chart.name.clone(), chart.repository.clone()))
    };
    for key in components.iter().filter_map(key) {
        *uses.entry(key).or_default() += 1;
    }
    for component in components {
        let is_only = key(component).is_some_and(|key| uses.get(&key) == Some(&1));
        let chart = component.chart.as_ref().filter(|_| is_only);
        let read = chart.and_then(|chart| chart.read.as_ref());
        let Some(metadata) = read.and_then(|read| read.metadata.clone()) else {
            continue;
        };
        let is_code = |url: &&SmolStr| url.starts_with("https://github.com/");
        let code = metadata.sources.iter().find(is_code);
        let about = &mut component.about;
        about.code = about.code.take().or_else(|| code.map(SmolStr::to_string));
        let home = metadata.home.as_ref();
        let home = home.filter(|url| url.starts_with("https://"));
        about.home = about.home.take().or_else(|| home.map(SmolStr::to_string));
        if about.description.is_none() {
            about.description = metadata.description.as_ref().map(|text| Description {
                text: text.to_string(),
                by: DescribedBy::Chart,
                place: Place::default(),
            });
        }
    }
}

impl<'c> Applications<'c> {
    pub fn new(config: &'c Config) -> Applications<'c> {
        let mut applications = Applications {
            by_name: HashMap::default(),
            by_kind: HashMap::default(),
        };
        let own = config
            .applications
            .iter()
            .map(|one| (one, DescribedBy::Configuration));
        let known = known_applications()
            .iter()
            .map(|one| (one, DescribedBy::Recognised));
        for (application, by) in own.chain(known) {
            let known = KnownApplication { application, by };
            for name in [&application.name].into_iter().chain(&application.aliases) {
                let name = if name.chars().any(|c| c.is_uppercase()) {
                    Cow::Owned(name.to_lowercase())
                } else {
                    Cow::Borrowed(name.as_str())
                };
                applications.by_name.entry(name).or_insert(known);
            }
            for kind in &application.kinds {
                applications.by_kind.entry(kind).or_insert(known);
            }
        }
        applications
    }

    /// Description of a component without its documents.
    pub fn about(
        &self,
        component: &Component,
        named: &NamedComponent,
        clusters: &Clusters,
    ) -> About {
        let name = component.id.0.to_lowercase();
        // A program of this name may as well make what the application needs.
        let application = if component.is_program {
            let configured = |known: &&KnownApplication<'_>| known.by == DescribedBy::Configuration;
            self.by_name.get(name.as_str()).filter(configured).copied()
        } else {
            self.application(component, &name)
        };
        let annotated = annotated(named, clusters);
        let Some(known) = application else {
            let role = self
                .role(component, &name)
                .filter(|_| !component.is_program);
            return About {
                description: annotated.or(role),
                ..About::default()
            };
        };
        let own = known.application;
        let description = own.description.as_ref().map(|text| Description {
            text: text.clone(),
            by: known.by,
            place: Place::default(),
        });
        let first = description.into_iter().chain(annotated);
        About {
            description: first.min_by_key(|one| one.by),
            home: own.home.clone(),
            code: own.code.clone(),
            icon: own.icon.clone(),
        }
    }

    /// The application that a component is: by what the configuration calls it, by its chart, the object that it is
    /// made from, its name, or the only image that it runs.
    fn application(&self, component: &Component, name: &str) -> Option<KnownApplication<'c>> {
        let by_name = self.by_name(component, name);
        if let Some(known) = by_name.filter(|known| known.by == DescribedBy::Configuration) {
            return Some(known);
        }
        let chart = component.chart.as_ref();
        let by_chart = || {
            self.by_name
                .get(chart?.name.to_lowercase().as_str())
                .copied()
        };
        // Others may have something of the same name.
        let unsure = |known: KnownApplication<'c>| KnownApplication {
            by: match known.by {
                DescribedBy::Recognised => DescribedBy::Name,
                by => by,
            },
            ..known
        };
        by_chart()
            .or_else(|| self.by_kind(component))
            .or_else(|| by_name.map(unsure))
            .or_else(|| self.by_image(component).map(unsure))
    }

    fn by_name(&self, component: &Component, name: &str) -> Option<KnownApplication<'c>> {
        let exact = |name: &str| self.by_name.get(name).copied();
        let namespace = component.namespace.to_lowercase();
        let without = |part: &str| {
            let part = part.to_lowercase();
            let before = || name.strip_prefix(part.as_str())?.strip_prefix('-');
            let behind = || name.strip_suffix(part.as_str())?.strip_suffix('-');
            before().or_else(behind).and_then(exact)
        };
        let environments = component.environments.iter();
        let mut around = environments.map(|environment| environment.name.as_str());
        exact(name)
            .or_else(|| without(&namespace))
            .or_else(|| around.find_map(without))
            .or_else(|| {
                // `platform-cert-manager` in `platform/cert-manager`.
                let source = component.source.as_ref()?.as_str().to_lowercase();
                let directory = source.rsplit('/').find(|directory| {
                    let before = name.strip_suffix(directory);
                    before.is_some_and(|before| before.ends_with('-'))
                })?;
                exact(directory)
            })
            .or_else(|| {
                let (first, last) = name.rsplit_once('-')?;
                let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
                (is_number || NEUTRAL.contains(&last)).then(|| exact(first))?
            })
    }

    /// The only application that operators make of its objects, unless it runs something itself.
    fn by_kind(&self, component: &Component) -> Option<KnownApplication<'c>> {
        if !component.workloads.is_empty() || component.chart.is_some() {
            return None;
        }
        let mut found: Option<KnownApplication<'c>> = None;
        for resource in &component.resources {
            let id = &resource.id;
            if id.group.is_empty() {
                continue;
            }
            let Some(known) = self
                .by_kind
                .get(format!("{}/{}", id.group, id.kind).as_str())
            else {
                continue;
            };
            if found.is_some_and(|found| !std::ptr::eq(found.application, known.application)) {
                return None;
            }
            found = Some(*known);
        }
        found
    }

    /// The application whose image is the only one that it runs.
    fn by_image(&self, component: &Component) -> Option<KnownApplication<'c>> {
        if component.images.len() > MOST_IMAGES {
            return None;
        }
        let mut paths = component.images.iter().map(image_path);
        let first = paths.next()?;
        if paths.any(|path| path != first) {
            return None;
        }
        // From the whole path to its last part.
        let mut rest = Some(first);
        while let Some(path) = rest {
            let known = self.by_name.get(path.to_lowercase().as_str());
            if let Some(known) = known.filter(|known| known.application.images == Switch::On) {
                return Some(*known);
            }
            rest = path.split_once('/').map(|(_, rest)| rest);
        }
        None
    }

    /// What a component does for the application that it is named after.
    fn role(&self, component: &Component, name: &str) -> Option<Description> {
        let (of, role) = name.rsplit_once('-')?;
        let (_, words) = ROLES.iter().find(|(word, _)| *word == role)?;
        let application = self.by_name(component, of)?.application;
        Some(Description {
            text: match &application.description {
                Some(text) => format!("{words} {} ({text})", title(of)),
                None => format!("{words} {}", title(of)),
            },
            by: DescribedBy::Name,
            place: Place::default(),
        })
    }
}

/// The first annotation that describes one of its objects as part of an application.
fn annotated(named: &NamedComponent, clusters: &Clusters) -> Option<Description> {
    let mut all = named
        .draft
        .parts
        .iter()
        .flat_map(|part| objects(part, clusters));
    let located = all.find_map(|object| object.statement.labels.description.as_ref())?;
    Some(Description {
        text: located.value.to_string(),
        by: DescribedBy::Annotation,
        place: located.place,
    })
}

/// An image's repository, without its tag and digest.
fn image_path(image: &SmolStr) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    match image.rsplit_once(':') {
        // A port is followed by a path.
        Some((path, tag)) if !tag.contains('/') => path,
        _ => image,
    }
}
