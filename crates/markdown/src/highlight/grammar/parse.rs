//! Applies Sublime Text's grammars to a line of code, like syntect's parser, but with a limit on backtracking: syntect
//! leaves expressions to Oniguruma without one. Grammars and scopes are syntect's. A test compares the two parsers.

use std::collections::HashMap as Contexts;
use std::rc::Rc;
use std::sync::Arc;

use onig::{MatchParam, Regex, Region, SearchOptions};
use syntect::parsing::syntax_definition::{
    Context, ContextId, ContextReference, MatchOperation, MatchPattern, context_iter,
};
use syntect::parsing::{ScopeStackOp, SyntaxReference, SyntaxSet};

use super::expression::{Expressions, compiled, reference, with_captures};
use base::budget::Budget;
use base::hash::HashMap;

/// Backtracking limits per position. An expression that exceeds one is tried again with the next, while the budget
/// lasts; then it does not match.
const RETRIES: [u32; 4] = [100, 1_000, 10_000, 100_000];
/// The budget for retries: this many per byte of code, plus a fixed number.
const RETRIES_PER_BYTE: usize = 200;
const RETRIES_BASE: usize = 30_000;
/// The budget for bytes that searches visit. Real code takes a tenth of it.
const VISITED_PER_BYTE: usize = 10_000;
const VISITED_BASE: usize = 500_000;
/// Longer searches are assumed to visit each byte more than once.
const SHORT: usize = 64;
/// Longer lines are not highlighted, because searches take more than linear time.
const MAX_LINE: usize = 700;
/// Maximum number of nested contexts, as in syntect.
const MAX_STACK: usize = 100;

/// The budget is exhausted, or the grammar is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aborted;

/// The state between two lines.
pub struct Parser<'s> {
    syntaxes: &'s SyntaxSet,
    expressions: &'s Expressions,
    /// The expressions that this code has used.
    used: HashMap<usize, Arc<Regex>>,
    prototypes: Contexts<ContextId, &'s Context>,
    pub(super) stack: Vec<Level<'s>>,
    is_first: bool,
    /// Levels pushed by a pattern of an outer context: prototypes below do not apply to them.
    outer: Vec<usize>,
    visited: Budget,
    retries: Budget,
    /// Whether an expression was treated as not matching because it exceeded the budget.
    is_cut: bool,
    region: Region,
}

pub struct Level<'s> {
    pub context: &'s Context,
    pub prototypes: Vec<&'s Context>,
    /// The captures that back-references of the context refer to.
    pub captures: Option<Rc<(Region, String)>>,
}

pub struct Match<'s> {
    pub region: Region,
    pub start: usize,
    pub end: usize,
    pub pattern: &'s MatchPattern,
    pub is_from_outside: bool,
    pub would_loop: bool,
}

type SearchCache = HashMap<usize, Option<Region>>;
pub type Changes = Vec<(usize, ScopeStackOp)>;

impl<'s> Parser<'s> {
    /// `None` if the grammar has no start context.
    pub fn new(
        syntaxes: &'s SyntaxSet,
        syntax: &SyntaxReference,
        expressions: &'s Expressions,
        bytes: usize,
    ) -> Option<Parser<'s>> {
        let level = Level {
            context: expressions.start(syntaxes, syntax)?,
            prototypes: Vec::new(),
            captures: None,
        };
        Some(Parser {
            syntaxes,
            expressions,
            used: HashMap::default(),
            prototypes: Contexts::new(),
            stack: vec![level],
            is_first: true,
            outer: Vec::new(),
            visited: Budget::new((VISITED_BASE + bytes.saturating_mul(VISITED_PER_BYTE)) as u64),
            retries: Budget::new((RETRIES_BASE + bytes.saturating_mul(RETRIES_PER_BYTE)) as u64),
            is_cut: false,
            region: Region::with_capacity(8),
        })
    }

    #[cfg(test)]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn line(&mut self, line: &str) -> Result<Changes, Aborted> {
        let mut changes = Changes::new();
        if line.len() > MAX_LINE {
            return Ok(changes);
        }
        if std::mem::take(&mut self.is_first) {
            let top = self.stack.last().ok_or(Aborted)?;
            let first = top.context.meta_content_scope.first();
            changes.extend(first.map(|scope| (0, ScopeStackOp::Push(*scope))));
        }
        let mut at = 0;
        let mut found = SearchCache::default();
        // Position and stack height after a push that consumed nothing: a pop that consumes nothing would loop.
        let mut pushed_at = (0, 0);
        while let Some(best) = self.leftmost_match(line, at, pushed_at, &mut found)? {
            if best.would_loop {
                let next = line[at..].char_indices().nth(1);
                let Some((length, _)) = next else {
                    break;
                };
                at += length;
                continue;
            }
            let is_push = matches!(best.pattern.operation, MatchOperation::Push(_));
            if best.end <= at && is_push {
                pushed_at = (best.end, self.stack.len() + 1);
            }
            at = best.end;
            if best.is_from_outside {
                self.outer.push(self.stack.len());
            }
            self.execute(line, &best, &mut changes)?;
        }
        Ok(changes)
    }

    /// The leftmost match; among several, that of the first pattern.
    fn leftmost_match(
        &mut self,
        line: &str,
        at: usize,
        pushed_at: (usize, usize),
        found: &mut SearchCache,
    ) -> Result<Option<Match<'s>>, Aborted> {
        let height = self.stack.len();
        while self.outer.last().is_some_and(|start| *start >= height) {
            self.outer.pop();
        }
        let may_loop = pushed_at == (at, height);
        let syntaxes = self.syntaxes;
        let mut best: Option<Match<'s>> = None;
        for (context, captures, is_from_outside) in self.contexts()? {
            for (context, index) in context_iter(syntaxes, context) {
                let pattern = context.match_at(index).map_err(|_| Aborted)?;
                let region = self.search(line, at, pattern, captures.as_deref(), found)?;
                let Some((region, (start, end))) = region.and_then(|region| {
                    let whole = region.pos(0)?;
                    Some((region, whole))
                }) else {
                    continue;
                };
                let is_better = best.as_ref().is_none_or(|best| {
                    start < best.start || start == best.start && best.would_loop
                });
                if !is_better {
                    continue;
                }
                let is_pop = matches!(pattern.operation, MatchOperation::Pop);
                let is_push = matches!(pattern.operation, MatchOperation::Push(_));
                let would_loop = may_loop && end <= at && is_pop;
                if is_push && height >= MAX_STACK {
                    return Ok(None);
                }
                best = Some(Match {
                    region,
                    start,
                    end,
                    pattern,
                    is_from_outside,
                    would_loop,
                });
                if start == at && !would_loop {
                    return Ok(best);
                }
            }
        }
        Ok(best)
    }

    /// The contexts whose patterns apply, in order, with their captures, and whether they come from an outer context.
    #[allow(clippy::type_complexity)]
    fn contexts(
        &mut self,
    ) -> Result<Vec<(&'s Context, Option<Rc<(Region, String)>>, bool)>, Aborted> {
        let top = self.stack.last().ok_or(Aborted)?;
        let (context, captures) = (top.context, top.captures.clone());
        let prototype = match context.prototype {
            Some(id) => Some(self.context(id)?),
            None => None,
        };
        let from = self.outer.last().copied().unwrap_or(0);
        let levels = self.stack.get(from..).unwrap_or_default().iter();
        let outside = levels.flat_map(|level| {
            let prototypes = level.prototypes.iter();
            prototypes.map(|context| (*context, level.captures.clone(), true))
        });
        let own = prototype.map(|context| (context, None, false));
        Ok(outside
            .chain(own)
            .chain([(context, captures, false)])
            .collect())
    }

    fn search(
        &mut self,
        line: &str,
        at: usize,
        pattern: &MatchPattern,
        captures: Option<&(Region, String)>,
        found: &mut SearchCache,
    ) -> Result<Option<Region>, Aborted> {
        let key = std::ptr::from_ref(pattern).addr();
        match found.get(&key) {
            Some(None) => return Ok(None),
            Some(Some(region)) if region.pos(0).is_some_and(|(start, _)| start >= at) => {
                return Ok(Some(region.clone()));
            }
            _ => {}
        }
        let back = captures.filter(|_| pattern.has_captures);
        let regex = match back {
            Some((region, text)) => {
                let expression = with_captures(pattern.regex().regex_str(), region, text);
                Arc::new(compiled(&expression)?)
            }
            None => self.expression(pattern)?,
        };
        let is_match = self.matches(&regex, line, at)?;
        let region = &self.region;
        let does_something = match (&pattern.operation, region.pos(0)) {
            (_, None) => false,
            (MatchOperation::None, Some((start, end))) => start != end,
            (MatchOperation::Push(_), _) => self.stack.len() < MAX_STACK,
            _ => true,
        };
        if back.is_none() && !is_match {
            found.insert(key, None);
        }
        if !is_match || !does_something {
            return Ok(None);
        }
        if back.is_none() {
            found.insert(key, Some(region.clone()));
        }
        Ok(Some(region.clone()))
    }

    /// Searches for an expression from a position on; `region` has the result.
    fn matches(&mut self, regex: &Regex, line: &str, at: usize) -> Result<bool, Aborted> {
        let length = line.len() - at + 1;
        let looked = length * (1 + length / SHORT);
        for (nth, retries) in RETRIES.into_iter().enumerate() {
            self.visited.charge(looked as u64).map_err(|_| Aborted)?;
            // The first attempt is free; others may cost that much at many positions.
            let cost = u64::from(retries) * (1 + length / SHORT) as u64;
            if nth > 0 && (self.retries.left() < cost || self.retries.charge(cost).is_err()) {
                break;
            }
            let mut param = MatchParam::default();
            param.set_retry_limit_in_match(retries);
            let options = SearchOptions::SEARCH_OPTION_NONE;
            let region = Some(&mut self.region);
            let searched = regex.search_with_param(line, at, line.len(), options, region, param);
            if let Ok(matched) = searched {
                return Ok(matched.is_some());
            }
        }
        self.is_cut = true;
        Ok(false)
    }

    fn expression(&mut self, pattern: &MatchPattern) -> Result<Arc<Regex>, Aborted> {
        let key = std::ptr::from_ref(pattern).addr();
        if let Some(regex) = self.used.get(&key) {
            return Ok(regex.clone());
        }
        let regex = self.expressions.regex(pattern)?;
        self.used.insert(key, regex.clone());
        Ok(regex)
    }

    fn context(&mut self, id: ContextId) -> Result<&'s Context, Aborted> {
        if let Some(context) = self.prototypes.get(&id) {
            return Ok(context);
        }
        let reference = reference(serde_json::to_value(id).map_err(|_| Aborted)?);
        let context = self.resolve(&reference.ok_or(Aborted)?)?;
        self.prototypes.insert(id, context);
        Ok(context)
    }

    pub(super) fn resolve(&self, reference: &ContextReference) -> Result<&'s Context, Aborted> {
        reference.resolve(self.syntaxes).map_err(|_| Aborted)
    }
}
