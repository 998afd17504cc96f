//! Named templates, and which of several with one name is meant.

use std::rc::Rc;
use std::sync::Arc;

use base::hash::HashMap;
use smol_str::SmolStr;

use super::tree::{ParsedTemplate, SyntaxTree};

/// Named templates. Those of a `tpl` call are added to the ones around it.
#[derive(Debug, Default)]
pub struct NamedTemplates {
    pub(super) outer: Option<Rc<NamedTemplates>>,
    pub(super) named: HashMap<SmolStr, Named>,
}

/// A template, and the name of the file it is in.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) tree: Arc<SyntaxTree>,
    pub(super) file: SmolStr,
}

impl NamedTemplates {
    /// Adds a file: its body under its name, and the templates that it defines. Blank ones replace nothing.
    pub fn add(&mut self, file: &SmolStr, parsed: &ParsedTemplate) {
        self.put(file, file, &parsed.main);
        for (name, tree) in &parsed.defined {
            self.put(file, name, tree);
        }
    }

    pub(super) fn put(&mut self, file: &SmolStr, name: &SmolStr, tree: &Arc<SyntaxTree>) {
        if !tree.is_blank() || self.find(name).is_none() {
            let named = Named {
                tree: tree.clone(),
                file: file.clone(),
            };
            self.named.insert(name.clone(), named);
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        let mut scope = Some(self);
        while let Some(templates) = scope {
            if let Some(tree) = templates.named.get(name) {
                return Some(tree);
            }
            scope = templates.outer.as_deref();
        }
        None
    }
}
