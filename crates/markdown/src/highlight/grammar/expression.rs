//! The regular expressions of grammars: compiled once for all blocks of code, with back-references filled in. Searches
//! nothing.

use std::sync::{Arc, Mutex, PoisonError};

use onig::{Regex, RegexOptions, Region, Syntax};
use syntect::parsing::syntax_definition::{
    Context, ContextReference, MatchOperation, MatchPattern, Pattern,
};
use syntect::parsing::{SyntaxReference, SyntaxSet};

use super::parse::Aborted;
use base::hash::HashMap;

/// Compiled expressions, shared by all blocks of code: compiling takes longer than most searches.
#[derive(Default)]
pub struct Expressions {
    compiled: Mutex<HashMap<usize, Arc<Regex>>>,
    /// The start contexts of grammars, by index.
    starts: Mutex<HashMap<usize, ContextReference>>,
}

impl Expressions {
    pub fn regex(&self, pattern: &MatchPattern) -> Result<Arc<Regex>, Aborted> {
        // Patterns live in the set of grammars, which never moves.
        let key = std::ptr::from_ref(pattern).addr();
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(regex) = known().get(&key) {
            return Ok(regex.clone());
        }
        let regex = Arc::new(compiled(pattern.regex().regex_str())?);
        known().insert(key, regex.clone());
        Ok(regex)
    }

    /// The start context of a grammar.
    pub fn start<'s>(
        &self,
        syntaxes: &'s SyntaxSet,
        syntax: &SyntaxReference,
    ) -> Option<&'s Context> {
        let mut all = syntaxes.syntaxes().iter();
        let at = all.position(|one| std::ptr::eq(one, syntax))?;
        let known = || self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        // Two statements, so that the lock is not held during the search.
        let cached = known().get(&at).cloned();
        let start = cached.or_else(|| find_start(syntaxes, at))?;
        let context = start.resolve(syntaxes).ok();
        known().entry(at).or_insert(start);
        context
    }
}

pub fn compiled(expression: &str) -> Result<Regex, Aborted> {
    let options = RegexOptions::REGEX_OPTION_CAPTURE_GROUP;
    Regex::with_options(expression, options, Syntax::default()).map_err(|_| Aborted)
}

/// The start context: the one whose only pattern pushes another at once.
fn find_start(syntaxes: &SyntaxSet, syntax: usize) -> Option<ContextReference> {
    for context in 0usize.. {
        let id = serde_json::json!({"syntax_index": syntax, "context_index": context});
        let reference = reference(id)?;
        let context = reference.resolve(syntaxes).ok()?;
        if let [Pattern::Match(only)] = context.patterns.as_slice()
            && matches!(only.operation, MatchOperation::Push(_))
            && only.regex().regex_str().is_empty()
            && !context.meta_include_prototype
        {
            return Some(reference);
        }
    }
    None
}

/// A context by its id. syntect has no constructor, so it is deserialised.
pub fn reference(id: serde_json::Value) -> Option<ContextReference> {
    serde_json::from_value(serde_json::json!({ "Direct": id })).ok()
}

/// An expression with its back-references replaced by captured text.
pub fn with_captures(expression: &str, region: &Region, text: &str) -> String {
    let mut made = String::with_capacity(expression.len());
    let mut is_escaped = false;
    for c in expression.chars() {
        match (is_escaped, c.to_digit(10)) {
            (true, Some(group)) => {
                let captured = region
                    .pos(group as usize)
                    .and_then(|(start, end)| text.get(start..end));
                made.extend(captured.unwrap_or_default().chars().flat_map(escaped));
            }
            (true, None) => made.extend(['\\', c]),
            (false, _) if c != '\\' => made.push(c),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    if is_escaped {
        made.push('\\');
    }
    made
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let is_special = "\\.+*?()|[]{}^$#&-~".contains(c);
    is_special.then_some('\\').into_iter().chain([c])
}
