//! All other languages, by Sublime Text's grammars. Only this module imports the grammar engine.

mod expression;
mod parse;
mod scope;

use std::sync::OnceLock;

use expression::Expressions;
use parse::Parser;
use syntect::parsing::{Scope, ScopeStack, SyntaxReference, SyntaxSet};
use syntect::util::LinesWithEndings;

use super::super::Html;
use super::{HighlightClass, Spans};

/// The grammars, loaded when the first block needs them.
#[derive(Default)]
pub struct Grammars {
    loaded: OnceLock<Loaded>,
}

struct Loaded {
    syntaxes: SyntaxSet,
    expressions: Expressions,
    rules: Vec<(Scope, Option<HighlightClass>)>,
    /// Around a string that is a key, as in JSON.
    key: Option<Scope>,
}

impl Grammars {
    /// `None` if there is no grammar for the language, or it fails on this code.
    pub fn highlight(&self, code: &str, language: &str) -> Option<Html> {
        let loaded = self.loaded.get_or_init(load);
        let syntax = find(&loaded.syntaxes, language)?;
        let mut parser = Parser::new(&loaded.syntaxes, syntax, &loaded.expressions, code.len())?;
        let mut stack = ScopeStack::new();
        let mut spans = Spans::with_capacity(code.len() * 2);
        let mut class = None;
        let mut lines = LinesWithEndings::from(code);
        let mut shown = 0;
        for line in lines.by_ref() {
            // After a line that takes too long, the rest is not highlighted.
            let Ok(changes) = parser.line(line) else {
                spans.push(None, &code[shown..]);
                break;
            };
            shown += line.len();
            let mut done = 0;
            for (at, change) in changes {
                spans.push(class, line.get(done..at)?);
                done = at;
                stack.apply(&change).ok()?;
                class = loaded.class(&stack);
            }
            spans.push(class, line.get(done..)?);
        }
        Some(spans.finish())
    }
}

impl Loaded {
    /// The class of the innermost scope that has one.
    fn class(&self, stack: &ScopeStack) -> Option<HighlightClass> {
        let said = stack.as_slice().iter().rev().find_map(|scope| {
            let mut rules = self.rules.iter();
            rules.find(|(prefix, _)| prefix.is_prefix_of(*scope))
        });
        let class = said.and_then(|(_, class)| *class);
        let is_key = |scope: &Scope| self.key.is_some_and(|key| key.is_prefix_of(*scope));
        match class {
            Some(HighlightClass::String) if stack.as_slice().iter().any(is_key) => {
                Some(HighlightClass::Attribute)
            }
            class => class,
        }
    }
}

fn load() -> Loaded {
    let rules = RULES
        .iter()
        .filter_map(|(prefix, class)| Some((Scope::new(prefix).ok()?, *class)))
        .collect();
    Loaded {
        syntaxes: two_face::syntax::extra_newlines(),
        expressions: Expressions::default(),
        rules,
        key: Scope::new("meta.mapping.key").ok(),
    }
}

fn find<'s>(syntaxes: &'s SyntaxSet, language: &str) -> Option<&'s SyntaxReference> {
    // Names that authors use besides those of grammars and file extensions.
    let token = match language {
        "dotenv" => "env",
        "docker" => "dockerfile",
        "golang" => "go",
        "hcl" | "opentofu" => "tf",
        "jsonc" | "json5" => "json",
        "properties" | "conf" | "cfg" => "ini",
        "patch" => "diff",
        "python3" => "python",
        other => other,
    };
    let found = syntaxes.find_syntax_by_token(token);
    found.filter(|syntax| syntax.name != "Plain Text")
}

/// Prefixes of scopes, most specific first; `None` ends the search without a class.
const RULES: &[(&str, Option<HighlightClass>)] = &[
    ("comment", Some(HighlightClass::Comment)),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    ("string", Some(HighlightClass::String)),
    ("constant.character.escape", Some(HighlightClass::Number)),
    ("constant.other.placeholder", Some(HighlightClass::Variable)),
    ("constant", Some(HighlightClass::Number)),
    ("keyword.operator.word", Some(HighlightClass::Keyword)),
    ("keyword.operator.logical", Some(HighlightClass::Keyword)),
    ("keyword.operator", None),
    ("keyword", Some(HighlightClass::Keyword)),
    ("storage.type.function", Some(HighlightClass::Keyword)),
    ("storage", Some(HighlightClass::Keyword)),
    ("entity.name.function", Some(HighlightClass::Function)),
    ("entity.name.tag", Some(HighlightClass::Type)),
    ("entity.name.section", Some(HighlightClass::Heading)),
    (
        "entity.other.attribute-name",
        Some(HighlightClass::Attribute),
    ),
    ("entity.other.inherited-class", Some(HighlightClass::Type)),
    ("entity.name", Some(HighlightClass::Type)),
    ("support.function", Some(HighlightClass::Function)),
    (
        "support.type.property-name",
        Some(HighlightClass::Attribute),
    ),
    ("support", Some(HighlightClass::Type)),
    ("variable.function", Some(HighlightClass::Function)),
    ("variable.other.readwrite.declaration", None),
    ("variable.language", Some(HighlightClass::Variable)),
    ("variable.parameter.option", Some(HighlightClass::Attribute)),
    ("variable.other.member", None),
    ("variable.declaration", Some(HighlightClass::Attribute)),
    ("markup.inserted", Some(HighlightClass::Inserted)),
    ("markup.deleted", Some(HighlightClass::Deleted)),
    ("markup.heading", Some(HighlightClass::Heading)),
    ("markup.raw", Some(HighlightClass::String)),
    ("markup.underline.link", Some(HighlightClass::String)),
    ("meta.diff.header", Some(HighlightClass::Heading)),
    ("meta.diff.range", Some(HighlightClass::Heading)),
];

#[cfg(test)]
mod tests;
