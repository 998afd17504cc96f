//! Helm's own functions: templates, values that are required, and what only a cluster knows.

use super::Parameter::{Any, Text};
use super::{Function, at, text_at};
use crate::engine::Fail;
use crate::engine::value::{Entries, Val};

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("include", &[Text, Any], |run, all| {
        run.include(&text_at(all, 0).into(), at(all, 1))
            .map(Val::Text)
    }),
    Function::fixed("tpl", &[Text, Any], |run, all| {
        run.run_text(&text_at(all, 0).into(), at(all, 1))
            .map(Val::Text)
    }),
    Function::fixed("required", &[Text, Any], |_, all| {
        let value = at(all, 1);
        if value.is_null() || value.as_str() == Some("") {
            return Err(Fail::stated(text_at(all, 0)));
        }
        Ok(value.clone())
    }),
    Function::fixed("fail", &[Text], |_, all| Err(Fail::stated(text_at(all, 0)))),
    Function::fixed("lookup", &[Text, Text, Text, Text], |_, _| {
        Ok(Val::map(Entries::new()))
    }),
    Function::fixed("getHostByName", &[Text], |_, _| Ok(Val::text(""))),
];
