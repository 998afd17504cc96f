//! The line that sets the version of a component in an environment: the one to change.

use super::Component;
use super::component::Placement;
use crate::cluster::{ChartSources, ClusterIx, Clusters};
use crate::facts::{SettingFact, Statement};
use crate::input::repo::Repo;
use base::index::IndexVec;
use base::{FileId, Place};

/// Where the files say `version`; none if that is not certain, as for a version inside a downloaded chart.
pub fn version_place(
    version: &str,
    part: &Placement,
    statements: &[&Statement],
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Option<Place> {
    let of_setting = || {
        statements
            .iter()
            .find_map(|one| set(version, &one.settings))
    };
    let of_image = || statements.iter().find_map(|one| run(version, one));
    of_chart(version, part, clusters, sources)
        .or_else(of_setting)
        .or_else(of_image)
        .filter(|place| place.line > 0)
}

/// Where a release, or the source that its chart comes from, states the version of the chart.
fn of_chart(
    version: &str,
    part: &Placement,
    clusters: &Clusters,
    sources: &IndexVec<ClusterIx, ChartSources<'_>>,
) -> Option<Place> {
    let release = clusters[part.cluster].units[part.release?]
        .unit
        .release
        .as_ref()?;
    let sources = &sources[part.cluster];
    let chart = sources.stated(release.chart.as_ref()?);
    let source = sources.named(&chart.source);
    let stated = [
        chart.version.as_ref(),
        source.and_then(|source| source.version.as_ref()),
    ];
    let mut stated = stated.into_iter().flatten();
    stated.find(|it| *it.value == *version).map(|it| it.place)
}

/// Keeps a place only if its line says the version. If it names a variable instead, takes the line that sets that.
pub fn confirm(component: &mut Component, repo: &Repo) {
    let Component {
        environments,
        settings,
        ..
    } = component;
    let mut texts: Vec<(FileId, String)> = Vec::new();
    for environment in environments {
        let (Some(version), Some(place)) = (&environment.version, environment.version_place) else {
            continue;
        };
        if texts.iter().all(|(file, _)| *file != place.file) {
            let text = repo.read_text(place.file).unwrap_or_default();
            texts.push((place.file, text));
        }
        let text = texts.iter().find(|(file, _)| *file == place.file);
        let line = text.and_then(|(_, text)| text.lines().nth(place.line as usize - 1));
        let line = line.unwrap_or_default();
        if line.contains(version.as_str()) {
            continue;
        }
        let mut names = variables(line);
        environment.version_place = names.find_map(|name| {
            let setting = settings.iter().find(|setting| setting.name == name)?;
            let stated = setting.values.get(&environment.name)?;
            let is_it = stated.value.as_deref().is_some_and(|it| tag(it) == version);
            is_it.then_some(stated.place)
        });
    }
}

/// The variables that a line refers to, such as `SHOP_VERSION` in `tag: ${SHOP_VERSION:=1.0}`.
fn variables(line: &str) -> impl Iterator<Item = &str> {
    let after = line.split("${").skip(1);
    after.filter_map(|rest| {
        let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        rest.split(|c| !is_inside(c)).next()
    })
}

/// The setting that is the tag of an image, or the image itself.
fn set(version: &str, settings: &[SettingFact]) -> Option<Place> {
    let is_it = |setting: &&SettingFact| {
        let key = setting.name.rsplit('.').next().unwrap_or_default();
        let is_image = key.to_ascii_lowercase().ends_with("image");
        let value = setting.value.as_deref().unwrap_or_default();
        match key {
            "tag" | "imageTag" | "imageVersion" => is_tag_of(value, version),
            _ => is_image && value.contains(':') && is_tag_of(value, version),
        }
    };
    settings.iter().find(is_it).map(|setting| setting.place)
}

fn run(version: &str, statement: &Statement) -> Option<Place> {
    let workload = statement.runs.workload.as_deref();
    let images = workload.into_iter().flat_map(|workload| &workload.images);
    let mut images = images.chain(&statement.runs.images);
    let found =
        images.find(|image| image.value.contains(':') && is_tag_of(&image.value, version))?;
    Some(found.place)
}

/// Whether an image has this version, perhaps with a variant behind it, such as `7.4.2-alpine`.
fn is_tag_of(image: &str, version: &str) -> bool {
    let variant = tag(image).strip_prefix(version);
    variant.is_some_and(|variant| variant.is_empty() || variant.starts_with('-'))
}

/// The tag of `repository:tag@digest`, or of a tag alone.
fn tag(image: &str) -> &str {
    let tagged = image.split('@').next().unwrap_or_default();
    let name = tagged.rsplit('/').next().unwrap_or(tagged);
    name.rsplit(':').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_beside_ports_and_digests() {
        assert_eq!(tag("host:5000/acme/shop:3.7.1@sha256:ab"), "3.7.1");
        assert_eq!(tag("3.7.1@sha256:ab"), "3.7.1");
        assert_eq!(tag("v3"), "v3");
        assert!(is_tag_of("redis:7.4.2-alpine", "7.4.2") && !is_tag_of("redis:7.4.21", "7.4.2"));
    }

    #[test]
    fn variables_are_found_with_their_defaults_and_expressions() {
        let names = |line| variables(line).collect::<Vec<_>>();
        assert_eq!(names("tag: ${A}-${B_1:=2}"), ["A", "B_1"]);
        assert_eq!(names("tag: $A"), [""; 0]);
    }
}
