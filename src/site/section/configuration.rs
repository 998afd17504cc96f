//! Settings with a column for each environment, differences marked, every value linked to the line that set it.

use serde::Serialize;

use super::settings::{self, Places, SettingGroup, SettingRow, Settings};
use super::{About, SectionBody, docs};
use crate::catalog::{EnvironmentIx, Setting};
use crate::knowledge::pages::{DocSection, DocTopic};
use crate::site::theme::View;
use crate::site::view::{Text, count};
use markdown::Html;

#[derive(Serialize)]
struct Configuration<'a> {
    note_html: Option<Html>,
    content_html: Option<Html>,
    has_secrets: bool,
    settings: Option<Settings<'a>>,
}

/// Most values on one page. Beyond this, values that differ take precedence.
const MOST_VALUES: usize = 1_000;

pub fn write(about: &About<'_>) -> Option<SectionBody> {
    let parts: Vec<&DocSection<'_>> = about.docs.about(DocTopic::Configuration).collect();
    let all = &about.component.settings;
    if all.is_empty() && parts.is_empty() {
        return None;
    }
    let environments = environments(about);
    let most = MOST_VALUES / environments.len().max(1);
    let shown = chosen(about, all, &environments, most);
    let note = (shown.len() < all.len()).then(|| {
        let (shown, all) = (count(shown.len()), count(all.len()));
        let note =
            format!("Showing {shown} of {all} settings, differences first. The full list is in ");
        let href = Html::escape(&about.here.catalog_href());
        Html::trusted(format!(
            "{note}<a href=\"{}\">service-catalog.json</a>.",
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
            has_secrets,
            settings: table,
        }),
        markdown,
        headings: docs::headings(&parts),
        count: (!all.is_empty()).then_some(all.len()),
    })
}

/// The columns: the environments that the component is in.
fn environments(about: &About<'_>) -> Vec<EnvironmentIx> {
    let context = about.here.context;
    let own = context.compared.iter().copied().filter(|at| {
        let one = &context.catalog.environments[*at];
        let mut environments = about.component.environments.iter();
        environments.any(|environment| environment.name == one.name)
    });
    own.collect()
}

fn chosen<'a>(
    about: &About<'a>,
    all: &'a [Setting],
    environments: &[EnvironmentIx],
    most: usize,
) -> Vec<&'a Setting> {
    if all.len() <= most {
        return all.iter().collect();
    }
    let all_environments = &about.here.context.catalog.environments;
    let names: Vec<&str> = environments
        .iter()
        .map(|at| all_environments[*at].name.as_str())
        .collect();
    let (differing, others): (Vec<&Setting>, Vec<&Setting>) =
        all.iter().partition(|setting| setting.differs(&names));
    differing.into_iter().chain(others).take(most).collect()
}
