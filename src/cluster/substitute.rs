//! Flux's post-build substitution: `${name}` and its operators, as kustomize-controller's `envsubst` reads them.
//! Text in, text out; the caller says what a variable is worth.
//!
//! Flux substitutes in a resource's serialised YAML, mapping keys included, and then parses that again. We substitute
//! in one scalar or key at a time, so the caller must re-type a plain scalar that changed: `${replicas}` becomes a
//! number, an empty result becomes null. Also the caller's: the `kustomize.toolkit.fluxcd.io/substitute: disabled`
//! mark on a resource, and that nothing is substituted where no variable is available.

mod expression;
mod operator;

use std::borrow::Cow;
use std::collections::BTreeSet;

use smol_str::SmolStr;

use base::budget::Budget;
use expression::{Expression, Operator, Segment, has_expressions, parse};

/// Result of looking up a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    Value(SmolStr),
    /// It exists, but its value is not known (it comes from a Secret): the expression stays as written.
    Opaque,
    /// It is not known whether the variable exists. A default applies; without one the expression stays as written.
    Unknown,
    Unset,
}

/// A text after substitution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substituted {
    pub text: String,
    /// Every variable named, in the order of the text, once.
    pub used: Vec<SmolStr>,
    /// Variables that are not set and have no default. Flux makes them empty, or fails if its feature gate
    /// `StrictPostBuildSubstitutions` is on. That holds even for a variable in an unused default.
    pub unset: Vec<SmolStr>,
    /// Variables that are not set, with the default used for each.
    pub defaulted: Vec<(SmolStr, SmolStr)>,
}

/// An expression that Flux refuses, which fails the whole unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadExpression {
    /// The byte at which the expression starts.
    pub offset: usize,
    pub message: String,
}

/// Remaining budget for all texts of a unit, because one value can be substituted into thousands of them.
#[derive(Debug, Clone, Copy)]
pub struct SubstitutionBudget {
    growth: Budget,
    work: Budget,
}

impl Default for SubstitutionBudget {
    fn default() -> SubstitutionBudget {
        SubstitutionBudget {
            growth: Budget::new(MAX_GROWTH * 16),
            work: Budget::new(MAX_WORK * 4),
        }
    }
}

/// Substitutes every expression in `text` once; values are not expanded again. `$$` becomes `$`. `None` if there is
/// nothing to substitute.
pub fn substitute(
    text: &str,
    lookup: &dyn Fn(&str) -> Lookup,
    budget: &mut SubstitutionBudget,
) -> Result<Option<Substituted>, BadExpression> {
    if !has_expressions(text) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    parse(text, &mut parts)?;
    let mut run = SubstitutionRun {
        lookup,
        limit: text
            .len()
            .saturating_add(MAX_GROWTH.min(budget.growth.left()) as usize),
        work: Budget::new(MAX_WORK.min(budget.work.left())),
        used: NameList::default(),
        unset: NameList::default(),
        defaulted: Vec::new(),
    };
    let made = run.concat(&parts);
    budget.work.add(run.work);
    let (made, _) = made?;
    let grown = made.len().saturating_sub(text.len());
    let _ = budget.growth.charge(grown as u64);
    Ok(Some(Substituted {
        text: made,
        used: run.used.list,
        unset: run.unset.list,
        defaulted: run.defaulted,
    }))
}

/// The variables that a text names, in order, once; up to the first bad expression.
pub fn names(text: &str) -> Vec<SmolStr> {
    fn collect(parts: &[Segment<'_>], names: &mut NameList) {
        for part in parts {
            if let Segment::Expression(expression) = part {
                names.add(expression.name);
                collect(&expression.arguments, names);
            }
        }
    }
    let mut names = NameList::default();
    if has_expressions(text) {
        let mut parts = Vec::new();
        // Names before a bad expression are still useful.
        let _ = parse(text, &mut parts);
        collect(&parts, &mut names);
    }
    names.list
}

/// Whether Flux takes a variable of this name; one that it does not take fails the whole unit.
pub fn is_variable_name(name: &str) -> bool {
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    name.bytes().all(is_word) && !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// How much longer than its source a text may become: replacements nest, and could otherwise grow without end.
const MAX_GROWTH: u64 = 1 << 20;
/// How many bytes may be read and written for one text, counting each comparison of a pattern.
const MAX_WORK: u64 = 1 << 26;

/// One substitution: what it asks, what it may still spend, what it has seen.
struct SubstitutionRun<'a> {
    lookup: &'a dyn Fn(&str) -> Lookup,
    limit: usize,
    work: Budget,
    used: NameList,
    unset: NameList,
    defaulted: Vec<(SmolStr, SmolStr)>,
}

/// An opaque variable leaves its expression in the text, which is then known in part only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Knowledge {
    Whole,
    Partial,
}

type ExpandedText<'p> = (Cow<'p, str>, Knowledge);

impl SubstitutionRun<'_> {
    fn concat(&mut self, parts: &[Segment<'_>]) -> Result<(String, Knowledge), BadExpression> {
        let written = parts.iter().map(Segment::len).sum();
        let mut output = String::with_capacity(written);
        let mut knowledge = Knowledge::Whole;
        let mut offset = 0;
        for part in parts {
            if let Segment::Expression(expression) = part {
                offset = expression.offset;
            }
            let (text, known) = self.part(part)?;
            if output.len() + text.len() > self.limit {
                let message = format!(
                    "substitution adds more than {MAX_GROWTH} bytes to this value, or too many to the \
                     Kustomization"
                );
                return Err(BadExpression { offset, message });
            }
            output.push_str(&text);
            knowledge = knowledge.max(known);
        }
        Ok((output, knowledge))
    }

    fn part<'p>(&mut self, part: &'p Segment<'_>) -> Result<ExpandedText<'p>, BadExpression> {
        match part {
            Segment::Text(text) => Ok((Cow::Borrowed(text), Knowledge::Whole)),
            Segment::Expression(expression) => {
                let (text, knowledge) = self.expression(expression)?;
                self.spend(text.len(), expression)?;
                Ok((text, knowledge))
            }
        }
    }

    fn expression<'p>(
        &mut self,
        expression: &'p Expression<'_>,
    ) -> Result<ExpandedText<'p>, BadExpression> {
        self.used.add(expression.name);
        let found = (self.lookup)(expression.name);
        if found == Lookup::Unset && expression.operator != Operator::Default {
            self.unset.add(expression.name);
        }
        // Arguments are evaluated even where they go unused, as Flux does: they may name variables that are not set.
        let mut arguments = Vec::new();
        let mut knowledge = Knowledge::Whole;
        if expression.operator == Operator::Default {
            let (text, known) = self.concat(&expression.arguments)?;
            arguments.push(Cow::Owned(text));
            knowledge = known;
        } else {
            for argument in &expression.arguments {
                let (text, known) = self.part(argument)?;
                arguments.push(text);
                knowledge = knowledge.max(known);
            }
        }
        let unset = found == Lookup::Unset;
        let value = match found {
            // Flux takes line breaks out of values when it loads them.
            Lookup::Value(value) if value.contains('\n') => value.replace('\n', "").into(),
            Lookup::Value(value) => value,
            Lookup::Unknown if expression.operator == Operator::Default => SmolStr::default(),
            Lookup::Opaque | Lookup::Unknown => {
                return Ok((Cow::Borrowed(expression.source), Knowledge::Partial));
            }
            Lookup::Unset => SmolStr::default(),
        };
        let cost = operator::cost(expression.operator, &value, &arguments);
        self.spend(cost, expression)?;
        if expression.operator == Operator::Default {
            return Ok(match arguments.pop() {
                Some(default) if value.is_empty() => {
                    if unset {
                        let default = (expression.name.into(), default.as_ref().into());
                        self.defaulted.push(default);
                    }
                    (default, knowledge)
                }
                _ => (Cow::Owned(value.into()), Knowledge::Whole),
            });
        }
        if knowledge == Knowledge::Partial {
            return Ok((Cow::Borrowed(expression.source), Knowledge::Partial));
        }
        let text = operator::apply(expression.operator, &value, &arguments, self.limit)
            .map_err(|reason| expression.bad(&reason))?;
        Ok((Cow::Owned(text), Knowledge::Whole))
    }

    fn spend(&mut self, work: usize, expression: &Expression<'_>) -> Result<(), BadExpression> {
        let charged = self.work.charge(work as u64);
        charged.map_err(|_| expression.bad("the substitution takes too much work"))
    }
}

/// Names in the order in which they first came up.
#[derive(Default)]
pub struct NameList {
    pub list: Vec<SmolStr>,
    /// Names in the list beyond the first few.
    seen: BTreeSet<SmolStr>,
}

impl NameList {
    /// Up to this many names, comparing is faster than a lookup.
    const FEW: usize = 8;

    pub fn add(&mut self, name: &str) {
        let first = &self.list[..self.list.len().min(Self::FEW)];
        if first.iter().any(|known| known == name) || self.seen.contains(name) {
            return;
        }
        let name = SmolStr::new(name);
        if self.list.len() >= Self::FEW {
            self.seen.insert(name.clone());
        }
        self.list.push(name);
    }
}

#[cfg(test)]
mod tests;
