//! All settings of a component that has more than its page shows.

use serde::Serialize;

use super::frame::PageHead;
use super::{PageContent, view};
use crate::catalog::ComponentIx;
use crate::site::section::configuration::environments;
use crate::site::section::settings::{self, Places, SettingGroup, SettingRow, Settings};
use crate::site::view::{Here, Text, count};

#[derive(Serialize)]
struct AllSettings<'a> {
    links: [(); 0],
    settings: Option<Settings<'a>>,
}

pub fn write(here: &Here<'_>, at: ComponentIx) -> PageContent {
    let component = here.component(at);
    let title = format!("Settings of {}", component.title);
    let mut page = PageHead::new(here, "environment_settings", title.clone())
        .below(&component.title, format!("{}#configuration", here.href(at)));
    let columns = environments(here, component);
    let rows = component.settings.iter();
    let mut rows: Vec<SettingRow<'_>> = rows
        .map(|setting| settings::row(here, setting, &columns))
        .collect();
    settings::with_anchors(&mut rows);
    page.description = Some(format!("All {} settings.", count(rows.len())));
    let group = SettingGroup::untitled(&mut Places::new(here), rows);
    let table = Settings::new(here, title, &columns, vec![group]);
    let mut markdown = Text::default();
    table.markdown(&mut markdown);
    PageContent {
        template: "pages/environment_settings.html",
        page,
        views: vec![view(
            "environment",
            &AllSettings {
                links: [],
                settings: Some(table),
            },
        )],
        markdown,
    }
}
