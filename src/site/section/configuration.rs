//! Settings with a column for each environment, differences marked, every value linked to the line that set it.

use serde::Serialize;

use super::settings::{self, Places, SettingGroup, SettingRow, Settings};
use super::{About, SectionBody, docs};
use crate::catalog::{Component, EnvironmentIx, Setting};
use crate::knowledge::pages::{DocSection, DocTopic};
use crate::site::context::{MOST_SETTING_CELLS, setting_cells};
use crate::site::theme::View;
use crate::site::view::{Here, Text, count};
use markdown::Html;

#[derive(Serialize)]
struct Configuration<'a> {
    note_html: Option<Html>,
    content_html: Option<Html>,
    has_differences: bool,
    has_secrets: bool,
    settings: Option<Settings<'a>>,
}

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let parts: Vec<&DocSection<'_>> = about.docs.about(DocTopic::Configuration).collect();
    let all = &about.component.settings;
    if all.is_empty() && parts.is_empty() {
        return None;
    }
    let context = about.here.context;
    let environments = environments(&about.here, about.component);
    let full = context.routes.settings.get(&about.index);
    let shown = match full {
        Some(_) => chosen(about, all, &environments),
        None => all.iter().collect(),
    };
    let note = full.map(|full| {
        let (shown, all) = (count(shown.len()), count(all.len()));
        let href = Html::escape(&about.here.to(full));
        Html::trusted(format!(
            "{shown} of {all} settings, differences first. <a href=\"{}\" data-all-settings>Show all {all} settings</a>",
            href.as_str()
        ))
    });
    let mut rows: Vec<SettingRow<'_>> = shown
        .iter()
        .map(|setting| settings::row(&about.here, setting, &environments))
        .collect();
    settings::with_anchors(&mut rows);
    let mut markdown = Text::with_capacity(64 * rows.len());
    parts.iter().for_each(|part| markdown.prose(part.markdown));
    let has_differences = rows.iter().any(|row| row.differs);
    let has_secrets = rows.iter().any(|row| row.secret);
    let table = (!rows.is_empty()).then(|| {
        let label = format!("Settings of {}", about.component.title);
        let group = SettingGroup::untitled(&mut Places::new(&about.here), rows);
        Settings::new(&about.here, label, &environments, vec![group])
    });
    if let Some(table) = &table {
        table.markdown(&mut markdown);
    }
    Some(SectionBody {
        view: View::serialize(&Configuration {
            note_html: note,
            content_html: (!parts.is_empty()).then(|| docs::joined(&parts)),
            has_differences,
            has_secrets,
            settings: table,
        }),
        markdown,
        headings: docs::headings(&parts),
        count: (!all.is_empty()).then_some(all.len()),
    })
}

/// The columns: the environments that the component is in.
pub fn environments(here: &Here<'_>, component: &Component) -> Vec<EnvironmentIx> {
    let context = here.context;
    let own = context.compared.iter().copied().filter(|at| {
        let one = &context.catalog.environments[*at];
        let mut environments = component.environments.iter();
        environments.any(|environment| environment.name == one.name)
    });
    own.collect()
}

/// As many settings as the page shows, those that differ first.
fn chosen<'a>(
    about: &About<'a>,
    all: &'a [Setting],
    environments: &[EnvironmentIx],
) -> Vec<&'a Setting> {
    let all_environments = &about.here.context.catalog.environments;
    let names: Vec<&str> = environments
        .iter()
        .map(|at| all_environments[*at].name.as_str())
        .collect();
    let (differing, others): (Vec<&Setting>, Vec<&Setting>) =
        all.iter().partition(|setting| setting.differs(&names));
    let mut cells = 0;
    let fits = |setting: &&Setting| {
        cells += setting_cells(setting, &names);
        cells <= MOST_SETTING_CELLS
    };
    differing
        .into_iter()
        .chain(others)
        .take_while(fits)
        .collect()
}
