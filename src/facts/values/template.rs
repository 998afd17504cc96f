//! Templates inside values, such as `{{ .Release.Name }}.example.org`, as far as the release itself decides them.

use std::borrow::Cow;

use smol_str::SmolStr;

use crate::facts::{Release, Statement};
use yaml::Node;

/// Limit on templates inside values that templates name.
const MAX_NESTED: u8 = 4;

/// What templates in values may name.
#[derive(Debug, Clone, Default)]
pub struct Scope<'v> {
    release: Option<SmolStr>,
    namespace: Option<SmolStr>,
    values: Option<&'v Node>,
}

impl<'v> Scope<'v> {
    /// That of the release that an object declares.
    pub fn of_release(statement: &Statement, values: &'v Node) -> Scope<'v> {
        let release = statement.unit.as_ref();
        let release = release.and_then(|unit| unit.release.as_deref());
        match release {
            Some(release) => Scope::with_release(release, values),
            None => Scope {
                values: Some(values),
                ..Scope::default()
            },
        }
    }

    /// That of a release with these values.
    pub fn with_release(release: &Release, values: &'v Node) -> Scope<'v> {
        let known = |name: &SmolStr| (!name.is_empty()).then(|| name.clone());
        Scope {
            release: known(&release.name),
            namespace: known(&release.target_namespace),
            values: Some(values),
        }
    }

    pub fn namespace(&self) -> SmolStr {
        self.namespace.clone().unwrap_or_default()
    }

    /// A text with its templates replaced; none if one of them is not decided by the release and its values.
    pub fn resolved<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        self.resolved_at(text, 0)
    }

    fn resolved_at<'t>(&self, text: &'t str, depth: u8) -> Option<Cow<'t, str>> {
        if !text.contains("{{") {
            return Some(Cow::Borrowed(text));
        }
        if depth > MAX_NESTED {
            return None;
        }
        let mut written = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (action, behind) = after.split_once("}}")?;
            written.push_str(before);
            let action = action.strip_prefix("- ").unwrap_or(action);
            let action = action.strip_suffix(" -").unwrap_or(action);
            let value = self.field(action.trim())?;
            written.push_str(&self.resolved_at(value, depth + 1)?);
            rest = behind;
        }
        written.push_str(rest);
        Some(Cow::Owned(written))
    }

    fn field(&self, action: &str) -> Option<&str> {
        let path = action.strip_prefix('$').unwrap_or(action);
        match path {
            ".Release.Name" => self.release.as_deref(),
            ".Release.Namespace" => self.namespace.as_deref(),
            _ => {
                let path: Vec<&str> = path.strip_prefix(".Values.")?.split('.').collect();
                self.values?.text_at(&path)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn a_template_that_the_release_decides_is_replaced() {
        let values = "host: a\nmore: '{{ .Values.host }}.b'\nself: '{{ .Values.self }}'\n";
        let root = yaml::parse(values, FileId(0)).documents.remove(0).root;
        let scope = Scope {
            release: Some("shop".into()),
            namespace: Some("web".into()),
            values: Some(&root),
        };
        for (text, expected) in [
            ("a.io", Some("a.io")),
            ("{{ .Release.Name }}.a.io", Some("shop.a.io")),
            (
                "{{- $.Release.Namespace -}}.{{.Release.Name}}",
                Some("web.shop"),
            ),
            ("{{ .Values.more }}.io", Some("a.b.io")),
            ("{{ .Values.self }}", None),
            ("{{ .Values.none }}", None),
            ("{{ .Release.Name | upper }}", None),
            ("{{ .Release.Name", None),
        ] {
            assert_eq!(scope.resolved(text).as_deref(), expected, "{text}");
        }
    }
}
