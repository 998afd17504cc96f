//! Type constraints of variables: convert a value, and fill in the defaults of optional attributes.

use smol_str::SmolStr;

use super::{ModuleRun, ScopeId};
use crate::syntax::{self, Expr, ExprKind};
use crate::value::{HclData, HclMap, HclValue};

impl ModuleRun<'_> {
    /// Converts a value to a type.
    pub(super) fn as_kind(&mut self, scope: ScopeId, value: HclValue, kind: &Expr) -> HclValue {
        match &kind.kind {
            // In JSON, a type is a string.
            ExprKind::Text(text) => match syntax::parse_expression(text, kind.place) {
                Some(kind) => self.fitted(scope, value, &kind),
                None => HclValue::unknown(value.place).with_secrecy(value.is_secret),
            },
            _ => self.fitted(scope, value, kind),
        }
    }

    fn fitted(&mut self, scope: ScopeId, value: HclValue, kind: &Expr) -> HclValue {
        let ExprKind::Call(function, arguments) = &kind.kind else {
            return value;
        };
        if self.steps.charge(1).is_err() {
            return HclValue::unknown(value.place).with_secrecy(value.is_secret);
        }
        match (function.as_str(), arguments.first()) {
            ("map" | "list" | "set", Some(inner)) if is_compound(inner) => match &value.data {
                HclData::List(items) => {
                    let items = items
                        .iter()
                        .cloned()
                        .map(|item| self.fitted(scope, item, inner))
                        .collect();
                    HclValue::list(items, value.place)
                }
                HclData::Map(table) => {
                    let entries = table
                        .entries
                        .iter()
                        .cloned()
                        .map(|(key, one)| (key, self.fitted(scope, one, inner)));
                    HclValue::map(entries.collect(), value.place)
                }
                _ => value,
            },
            ("tuple", Some(inner)) => match (&value.data, &inner.kind) {
                (HclData::List(items), ExprKind::List(kinds)) if items.len() == kinds.len() => {
                    let both = items.iter().cloned().zip(kinds);
                    let items = both.map(|(item, kind)| self.fitted(scope, item, kind));
                    HclValue::list(items.collect(), value.place)
                }
                _ => value,
            },
            ("object", Some(inner)) => match (&value.data, &inner.kind) {
                (HclData::Map(table), ExprKind::Object(attributes)) => {
                    let entries = self.attributes(scope, table, &value, attributes);
                    HclValue::map(entries, value.place)
                }
                _ => value,
            },
            _ => value,
        }
    }

    /// The attributes that a type declares. Others are dropped, as Terraform does.
    fn attributes(
        &mut self,
        scope: ScopeId,
        table: &HclMap,
        value: &HclValue,
        attributes: &[(Expr, Expr)],
    ) -> Vec<(SmolStr, HclValue)> {
        let mut entries = Vec::new();
        for (key, kind) in attributes {
            let (ExprKind::Text(name) | ExprKind::Name(name)) = &key.kind else {
                continue;
            };
            let _ = self.steps.charge(1);
            let stated = table
                .entries
                .iter()
                .rev()
                .find(|(key, _)| key == name)
                .map(|(_, one)| one);
            let (kind, default) = match &kind.kind {
                ExprKind::Call(function, arguments) if function == "optional" => {
                    let Some(inner) = arguments.first() else {
                        continue;
                    };
                    (inner, Some(arguments.get(1)))
                }
                _ => (kind, None),
            };
            let found = match (stated, default) {
                (Some(one), Some(Some(_))) if one.is_null() => None,
                (Some(one), _) => Some(one.clone()),
                // Terraform fails without it.
                (None, None) => continue,
                (None, Some(_)) => None,
            };
            let found = found.unwrap_or_else(|| match default.flatten() {
                Some(default) => self.eval(scope, &Vec::new(), default),
                None => HclValue::new(HclData::Null, value.place),
            });
            let fitted = self.fitted(scope, found, kind);
            entries.push((name.clone(), fitted));
            if self.is_exhausted() {
                break;
            }
        }
        entries
    }
}

/// Whether a type is a collection or an object, which alone may have optional parts.
fn is_compound(kind: &Expr) -> bool {
    matches!(kind.kind, ExprKind::Call(..))
}
