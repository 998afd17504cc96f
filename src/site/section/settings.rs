//! The table of settings, with a column for each environment. Shared by the pages of components and environments.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;

use crate::catalog::{EnvironmentIx, Setting, SettingValue};
use crate::input::repo_host::RepoHost;
use crate::site::context::is_shared;
use crate::site::view::by_environment::in_short;
use crate::site::view::{Here, LinkView, Text, counted, shortened};
use base::FileId;
use base::hash::{HashMap, HashSet};
use markdown::Html;
use markdown::text::{code, link};

#[derive(Serialize)]
pub struct Settings<'a> {
    pub label: String,
    pub wide: bool,
    pub columns: usize,
    pub environments: Vec<LinkView>,
    /// The head of a last column, with the values of all other environments.
    pub others: Option<String>,
    /// The beginning of the address of every file, by which the script tells where a value is set.
    pub files: Option<String>,
    /// The pages that the table goes on over, with `.` for this one, so that its filter acts on all of them.
    pub pages: Option<String>,
    pub groups: Vec<SettingGroup<'a>>,
}

#[derive(Serialize, Default)]
pub struct SettingGroup<'a> {
    pub title: Option<String>,
    pub href: Option<String>,
    pub note: Option<String>,
    /// Large pages are mostly made of these, and a template takes its time over each.
    rows_html: Html,
    #[serde(skip)]
    rows: Vec<SettingRow<'a>>,
}

pub struct SettingRow<'a> {
    name: &'a str,
    /// The id of the row, on a page that has each setting once.
    id: Option<String>,
    pub differs: bool,
    pub secret: bool,
    values: Vec<SettingCell<'a>>,
    /// The components that have it from one line, if it is listed once for all of them.
    pub note: Option<String>,
    /// The values of environments without a column, and which of them have each. Empty where all have one.
    others: Vec<(OtherValue<'a>, String)>,
    /// How many more values others have, and where they are.
    more_others: Option<(usize, String)>,
}

/// The value of an environment without a column.
enum OtherValue<'a> {
    /// The one in the column.
    Same,
    Text(Cow<'a, str>),
    NotSet,
}

#[derive(PartialEq)]
struct SettingCell<'a> {
    text: Option<Cow<'a, str>>,
    place: Option<base::Place>,
    /// The number of adjacent environments that it covers.
    span: usize,
    differs: bool,
}

/// Different values of other environments that a row names.
const MOST_OTHERS: usize = 3;
/// A table of more environments scrolls sideways.
const WIDE: usize = 5;
/// A longer value is cut; its source has all of it.
const LONGEST_VALUE: usize = 300;

impl<'a> SettingGroup<'a> {
    /// Without a heading.
    pub fn untitled(places: &mut Places<'_>, rows: Vec<SettingRow<'a>>) -> SettingGroup<'a> {
        let values = rows.iter().map(|row| row.values.len());
        let mut rows_html = Html::with_capacity(values.sum::<usize>() * 320);
        for row in &rows {
            write_row(&mut rows_html, places, row);
        }
        SettingGroup {
            rows_html,
            rows,
            ..SettingGroup::default()
        }
    }
}

impl<'a> Settings<'a> {
    /// `environments` are the columns, by position.
    pub fn new(
        here: &Here<'_>,
        label: String,
        environments: &[EnvironmentIx],
        groups: Vec<SettingGroup<'a>>,
    ) -> Settings<'a> {
        Settings {
            label,
            wide: environments.len() > WIDE,
            columns: environments.len() + 1,
            environments: environments
                .iter()
                .map(|at| LinkView {
                    title: here.context.catalog.environments[*at].name.clone(),
                    // One that only programs run for has no page.
                    href: here
                        .context
                        .routes
                        .environments
                        .get(*at)
                        .map(|routes| here.to(&routes.page)),
                })
                .collect(),
            others: None,
            files: here.context.repo_host.as_ref().and_then(RepoHost::files),
            pages: None,
            groups,
        }
    }

    /// With a last column for the environments that have none of their own.
    pub fn beside_others(self, title: String) -> Settings<'a> {
        Settings {
            columns: self.columns + 1,
            others: Some(title),
            ..self
        }
    }

    pub fn markdown(&self, text: &mut Text) {
        let names: Vec<String> = self.environments.iter().map(|e| code(&e.title)).collect();
        let mut columns = vec!["Setting"];
        columns.extend(names.iter().map(String::as_str));
        columns.extend(self.others.as_deref());
        for group in &self.groups {
            if let Some(title) = &group.title {
                text.heading(3, title);
            }
            text.rows(&columns, &group.rows, |row, cells| {
                cells.code(row.name);
                for value in &row.values {
                    for _ in 0..value.span {
                        match (&value.text, row.secret) {
                            (_, true) if value.place.is_some() => cells.markdown("(secret)"),
                            (Some(text), _) => cells.code(text),
                            (None, _) => cells.markdown("(not set)"),
                        }
                    }
                }
                let others = row.others.iter().map(|(value, names)| match value {
                    OtherValue::Text(value) if names.is_empty() => code(value),
                    OtherValue::Text(value) => format!("{} ({names})", code(value)),
                    OtherValue::NotSet if names.is_empty() => "(not set)".to_owned(),
                    OtherValue::NotSet => format!("not set ({names})"),
                    OtherValue::Same => format!("the same ({names})"),
                });
                let more = row.more_others.iter();
                let more = more.map(|(more, href)| link(&counted(*more, "more value"), Some(href)));
                if self.others.is_some() {
                    cells.markdown(&others.chain(more).collect::<Vec<_>>().join(", "));
                }
            });
        }
    }
}

/// Places where values are set, as markup. Cached by file, since a page has many values from few files.
pub struct Places<'h> {
    here: &'h Here<'h>,
    files: Vec<InFile>,
    position: HashMap<FileId, usize>,
    /// The last file that was looked up, and its position: most values are next to others from the same file.
    last: Option<(FileId, usize)>,
    /// Room for the number of a line.
    line: String,
    /// Whether addresses of files tell the place, so that no title has to.
    is_told: bool,
}

struct InFile {
    path: Html,
    /// None where the repository has no address.
    address: Option<Html>,
}

impl<'h> Places<'h> {
    pub fn new(here: &'h Here<'h>) -> Places<'h> {
        Places {
            here,
            files: Vec::new(),
            position: HashMap::default(),
            last: None,
            line: String::new(),
            is_told: here
                .context
                .repo_host
                .as_ref()
                .and_then(RepoHost::files)
                .is_some(),
        }
    }

    fn file(&mut self, file: FileId) -> &InFile {
        let at = match self.last {
            Some((last, at)) if last == file => at,
            _ => *self.position.entry(file).or_insert_with(|| {
                let context = self.here.context;
                let path = context.repo.path(file).as_str();
                let repo_host = context.repo_host.as_ref();
                self.files.push(InFile {
                    path: Html::escape(path),
                    address: repo_host.map(|repo_host| Html::escape(&repo_host.file(path))),
                });
                self.files.len() - 1
            }),
        };
        self.last = Some((file, at));
        &self.files[at]
    }

    /// `href="…"` of a place, if it has one.
    fn write_href(&mut self, to: &mut Html, place: base::Place) {
        let Some(repo_host) = &self.here.context.repo_host else {
            return;
        };
        self.line.clear();
        repo_host.push_line(&mut self.line, place.line);
        if let Some(address) = &self.file(place.file).address {
            to.markup(" href=\"").html(address);
            to.text(&self.line).markup("\"");
        }
    }

    /// `title="set at …"`, unless the script can tell from the address.
    fn write_title(&mut self, to: &mut Html, place: base::Place) {
        if self.is_told && place.line > 0 {
            return;
        }
        to.markup(" title=\"set at ");
        to.html(&self.file(place.file).path);
        if place.line > 0 {
            self.line.clear();
            // A text takes whatever is written to it.
            let _ = write!(self.line, ":{}", place.line);
            to.text(&self.line);
        }
        to.markup("\"");
    }

    fn has_address(&self) -> bool {
        self.here.context.repo_host.is_some()
    }
}

/// One setting in the given environments.
pub fn row<'a>(
    here: &Here<'a>,
    setting: &'a Setting,
    environments: &[EnvironmentIx],
) -> SettingRow<'a> {
    let names = environments
        .iter()
        .map(|at| here.context.catalog.environments[*at].name.as_str());
    let values = names.clone().map(|name| setting.values.get(name));
    let values: Vec<Option<&SettingValue>> = values.collect();
    let usual = usual(&values);
    let differs = values.iter().any(|value| text(*value) != usual) && !setting.secret;
    let names: Vec<&str> = names.collect();
    let values = if is_shared(setting, &names) {
        vec![cell(values[0], values.len())]
    } else {
        let cells = values.iter().map(|value| SettingCell {
            differs: differs && text(*value) != usual,
            ..cell(*value, 1)
        });
        cells.collect()
    };
    SettingRow {
        name: &setting.name,
        id: None,
        differs,
        secret: setting.secret,
        values,
        note: None,
        others: Vec::new(),
        more_others: None,
    }
}

/// One setting in an environment, and its values in others. `page` is the page of its component, which has all of them.
pub fn row_beside<'a>(
    setting: &'a Setting,
    own: &str,
    others: &[(&str, Option<&'a str>)],
    page: &str,
) -> SettingRow<'a> {
    let mut groups: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for (name, value) in others.iter().copied() {
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, names)) => names.push(name),
            None => groups.push((value, vec![name])),
        }
    }
    let more = groups.len().saturating_sub(MOST_OTHERS);
    groups.truncate(MOST_OTHERS);
    let groups = groups.into_iter().map(|(value, names)| {
        let told = match value {
            value if value == setting.text(own) => OtherValue::Same,
            Some(text) => OtherValue::Text(shortened(text, LONGEST_VALUE)),
            None => OtherValue::NotSet,
        };
        (told, in_short(&names))
    });
    SettingRow {
        name: &setting.name,
        id: None,
        // All of them differ, so none is marked.
        differs: false,
        secret: setting.secret,
        values: vec![cell(setting.values.get(own), 1)],
        note: None,
        others: groups.collect(),
        more_others: (more > 0)
            .then(|| (more, format!("{page}#{}", setting_anchor(&setting.name)))),
    }
}

impl SettingRow<'_> {
    /// The same for a table whose head names the only other environment.
    pub fn without_names(mut self) -> Self {
        self.others.iter_mut().for_each(|(_, names)| names.clear());
        self
    }
}

fn cell(value: Option<&SettingValue>, span: usize) -> SettingCell<'_> {
    SettingCell {
        text: text(value).map(|text| shortened(text, LONGEST_VALUE)),
        place: value.map(|value| value.place),
        span,
        differs: false,
    }
}

/// The id of the row of a setting: its name, with `:2f;` for a character such as `/`. Different names have different ids.
pub fn setting_anchor(name: &str) -> String {
    let mut anchor = String::with_capacity("setting-".len() + name.len());
    anchor.push_str("setting-");
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            anchor.push(c);
        } else {
            // A text takes whatever is written to it.
            let _ = write!(anchor, ":{:x};", u32::from(c));
        }
    }
    anchor
}

/// Gives each row an id that links and the search lead to.
pub fn with_anchors(rows: &mut [SettingRow<'_>]) {
    let mut seen = HashSet::default();
    for row in rows {
        row.id = seen.insert(row.name).then(|| setting_anchor(row.name));
    }
}

fn write_row(to: &mut Html, places: &mut Places<'_>, row: &SettingRow<'_>) {
    to.markup("\n<tr");
    if let Some(id) = &row.id {
        to.markup(" id=\"").text(id).markup("\"");
    }
    to.markup(if row.differs {
        " class=\"is-different\"><th scope=\"row\"><code>"
    } else {
        "><th scope=\"row\"><code>"
    });
    write_name(to, row.name);
    to.markup("</code>");
    if let Some(note) = &row.note {
        to.markup(" <small>").text(note).markup("</small>");
    }
    if row.differs {
        to.markup(DIFFERS);
    }
    to.markup("</th>");
    let mut start = 0;
    for (at, value) in row.values.iter().enumerate() {
        // Most values are the same in the next environment, from the same line.
        if at > 0 && *value == row.values[at - 1] {
            start = to.repeat_from(start);
            continue;
        }
        start = to.as_str().len();
        write_cell(to, places, value, row.secret);
    }
    if !row.others.is_empty() {
        write_others(to, row);
    }
    to.markup("</tr>");
}

/// A name that is too long for a line breaks between its parts.
fn write_name(to: &mut Html, name: &str) {
    let mut line = 0;
    for part in name.split_inclusive(['.', '_', ']']) {
        if line + part.len() > UNBROKEN {
            to.markup(if line > 0 { "<wbr>" } else { "" });
            line = 0;
        }
        line += part.len();
        to.text(part);
    }
}

/// Characters of a name that certainly fit into its column.
const UNBROKEN: usize = 36;

/// Values with the environments that have each.
fn write_others(to: &mut Html, row: &SettingRow<'_>) {
    to.markup("<td>");
    for (value, names) in &row.others {
        to.markup("<span class=\"envv\">");
        match value {
            OtherValue::Same => to.markup(SAME),
            OtherValue::Text(value) if value.is_empty() => to.markup(EMPTY),
            OtherValue::Text(value) => to.markup("<code>").text(value).markup("</code>"),
            OtherValue::NotSet => to.markup(NOT_SET),
        };
        // If there is only one other environment, the head names it.
        if !names.is_empty() {
            to.markup(" <small>").text(names).markup("</small>");
        }
        to.markup("</span>");
    }
    if let Some((more, href)) = &row.more_others {
        to.markup("<a href=\"").text(href).markup("\">");
        to.text(&counted(*more, "more value")).markup("</a>");
    }
    to.markup("</td>");
}

const DIFFERS: &str = "<span class=\"mark\">≠<span class=\"vh\"> differs</span></span>";

fn write_cell(to: &mut Html, places: &mut Places<'_>, value: &SettingCell<'_>, is_secret: bool) {
    to.markup("<td");
    if value.span > 1 {
        let span = value.span.to_string();
        to.markup(" colspan=\"").text(&span).markup("\"");
    }
    if value.differs {
        to.markup(" class=\"differs\"");
    }
    to.markup(if value.span > 1 { "><div>" } else { ">" });
    match (&value.text, is_secret) {
        (_, true) => hidden(to, places, value.place),
        (Some(text), false) => shown(to, places, text, value.place),
        (None, false) => _ = to.markup(NOT_SET),
    }
    if value.span > 1 {
        // In a wide table, the other end of the cell may be out of sight.
        if value.span > WIDE {
            to.markup(" <small class=\"muted\">all ");
            to.text(&value.span.to_string());
            to.markup(" environments</small>");
        }
        to.markup("</div>");
    }
    to.markup("</td>");
}

const SAME: &str = "<span class=\"unset\">same</span>";
const NOT_SET: &str = "<span class=\"unset\">not set</span>";

/// A secret, linked to where it is set.
fn hidden(cell: &mut Html, places: &mut Places<'_>, place: Option<base::Place>) {
    let Some(place) = place else {
        cell.markup(NOT_SET);
        return;
    };
    cell.markup("<a class=\"secret\"");
    places.write_href(cell, place);
    places.write_title(cell, place);
    cell.markup(">").html(places.here.components.lock());
    cell.markup("secret</a>");
}

/// A value, linked to the line that set it.
fn shown(cell: &mut Html, places: &mut Places<'_>, text: &str, place: Option<base::Place>) {
    let is_linked = place.is_some() && places.has_address();
    if text.is_empty() && place.is_none() {
        cell.markup(EMPTY);
        return;
    }
    cell.markup(if is_linked {
        "<a class=\"value\""
    } else {
        "<span class=\"value\""
    });
    if let Some(place) = place {
        places.write_href(cell, place);
        places.write_title(cell, place);
    }
    cell.markup(">");
    if text.is_empty() {
        cell.markup(EMPTY)
    } else {
        cell.text(text)
    };
    cell.markup(if is_linked { "</a>" } else { "</span>" });
}

const EMPTY: &str = "<span class=\"unset\">empty</span>";

fn text(value: Option<&SettingValue>) -> Option<&str> {
    value.and_then(|value| value.value.as_deref())
}

/// The most frequent value; the first one if there is a tie.
fn usual<'v>(values: &[Option<&'v SettingValue>]) -> Option<&'v str> {
    let times = |one: Option<&str>| values.iter().filter(|other| text(**other) == one).count();
    let mut best = (0, None);
    for value in values {
        let value = text(*value);
        let times = times(value);
        if times > best.0 {
            best = (times, value);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_have_different_anchors_which_fit_an_address() {
        assert_eq!(setting_anchor("image.tag_2-a"), "setting-image.tag_2-a");
        assert_eq!(setting_anchor("a/b"), "setting-a:2f;b");
        let names = ["a b", "a-b", "a=b", "a:20;b", "ä", "a%20b", "a\"b", "<"];
        let anchors: HashSet<String> = names.iter().map(|name| setting_anchor(name)).collect();
        assert_eq!(anchors.len(), names.len());
        let fits = |c: char| c.is_ascii_alphanumeric() || ".-_:;".contains(c);
        assert!(anchors.iter().all(|anchor| anchor.chars().all(fits)));
    }
}
