//! The table of settings, with a column for each environment. Shared by the pages of components and environments.

use serde::Serialize;

use crate::model::{Setting, SettingValue};
use crate::view::text::code;
use crate::view::{Here, Link, Place, Text};

#[derive(Serialize)]
pub struct Settings {
    pub label: String,
    pub wide: bool,
    pub columns: usize,
    pub environments: Vec<Link>,
    pub groups: Vec<Group>,
}

#[derive(Serialize)]
pub struct Group {
    pub title: Option<String>,
    pub href: Option<String>,
    pub note: Option<String>,
    pub settings: Vec<Row>,
}

#[derive(Serialize)]
pub struct Row {
    pub name: String,
    pub id: Option<String>,
    pub description: Option<String>,
    pub secret: bool,
    pub differs: bool,
    pub values: Vec<Value>,
}

#[derive(Serialize)]
pub struct Value {
    pub text: Option<String>,
    pub place: Option<Place>,
    pub span: usize,
    pub differs: bool,
    pub note: Option<String>,
}

/// With more environments than this, a value that all share stands once.
const MOST_REPEATED: usize = 4;
/// A longer value is cut: the place has all of it.
const LONGEST_VALUE: usize = 300;

impl Settings {
    /// `environments` are the columns, by cluster, in order.
    pub fn new(
        here: &Here<'_>,
        label: String,
        environments: &[usize],
        groups: Vec<Group>,
    ) -> Settings {
        Settings {
            label,
            wide: environments.len() > 5,
            columns: environments.len() + 1,
            environments: environments
                .iter()
                .map(|at| Link {
                    title: here.book.catalog.clusters[*at].name.clone(),
                    href: Some(here.to(&here.book.routes.environments[*at][0].route)),
                })
                .collect(),
            groups,
        }
    }

    pub fn markdown(&self, text: &mut Text) {
        let names: Vec<String> = self.environments.iter().map(|e| code(&e.title)).collect();
        let mut columns = vec!["Setting"];
        columns.extend(names.iter().map(String::as_str));
        for group in &self.groups {
            if let Some(title) = &group.title {
                text.heading(3, title);
            }
            text.table(
                &columns,
                group.settings.iter().map(|row| {
                    let values = row.values.iter().flat_map(|value| {
                        let shown = match (&value.text, row.secret) {
                            (_, true) if value.place.is_some() => "(secret)".to_owned(),
                            (Some(text), _) => code(text),
                            (None, _) => "(not set)".to_owned(),
                        };
                        std::iter::repeat_n(shown, value.span)
                    });
                    let mut cells = vec![code(&row.name)];
                    cells.extend(values);
                    cells
                }),
            );
        }
    }
}

/// One setting in the given environments; `has` says in which of them the component is at all.
pub fn row(here: &Here<'_>, setting: &Setting, environments: &[usize]) -> Row {
    let names = environments
        .iter()
        .map(|at| here.book.catalog.clusters[*at].name.as_str());
    let values: Vec<Option<&SettingValue>> = names.map(|name| setting.values.get(name)).collect();
    let usual = usual(&values);
    let differs = values.iter().any(|value| text(*value) != usual) && !setting.secret;
    let all_agree = values.windows(2).all(|pair| text(pair[0]) == text(pair[1]));
    let cell = |value: Option<&SettingValue>, span: usize, note: Option<String>| Value {
        text: value
            .and_then(|value| value.value.as_deref())
            .map(shortened),
        place: value.map(|value| here.place(value.place)),
        span,
        differs: differs && text(value) != usual,
        note,
    };
    let values = match all_agree && values.len() > MOST_REPEATED {
        true => vec![cell(
            values[0],
            values.len(),
            Some(format!("in all {}", values.len())),
        )],
        false => values.iter().map(|value| cell(*value, 1, None)).collect(),
    };
    Row {
        name: setting.name.to_string(),
        id: None,
        description: None,
        secret: setting.secret,
        differs,
        values,
    }
}

fn text(value: Option<&SettingValue>) -> Option<&str> {
    value.and_then(|value| value.value.as_deref())
}

/// The value that most environments have; the first of those that are equally frequent.
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

fn shortened(value: &str) -> String {
    match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}
