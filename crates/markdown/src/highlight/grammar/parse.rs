//! Sublime Text's grammars on a line of code, as syntect follows them, with one difference: an expression that goes back
//! on itself too often is an error, and not a matter of minutes. Grammars and scopes are syntect's; its own parser
//! leaves the expressions to Oniguruma without a limit. A test compares the two.

use std::collections::HashMap as Contexts;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use onig::{MatchParam, Regex, RegexOptions, Region, SearchOptions, Syntax};
use syntect::parsing::syntax_definition::{
    Context, ContextId, ContextReference, MatchOperation, MatchPattern, Pattern, context_iter,
};
use syntect::parsing::{ScopeStackOp, SyntaxReference, SyntaxSet};

use base::hash::HashMap;

/// As often may an expression go back on itself at one place of a line. Where that is not enough, it is tried again with
/// more, as long as there is some left for the code; then it does not match.
const RETRIES: [u32; 4] = [100, 1_000, 10_000, 100_000];
/// The budget for retries: this many per byte of code, plus a fixed number.
const RETRIES_PER_BYTE: usize = 200;
const RETRIES_BESIDES: usize = 30_000;
/// The same for bytes that searches may look at. Code that people write takes a tenth of it.
const LOOKED_PER_BYTE: usize = 10_000;
const LOOKED_BESIDES: usize = 500_000;
/// From so many bytes on, a search is taken to look at each of them more than once.
const SHORT: usize = 64;
/// A line that is longer is shown as it is: searches take time that grows faster than it.
const MAX_LINE: usize = 700;
/// Contexts within contexts, as syntect has it.
const MAX_STACK: usize = 100;

/// The code is not worth the time, or the grammar is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp;

/// Compiled expressions, for all blocks of code: compiling takes longer than most searches.
#[derive(Default)]
pub struct Expressions {
    compiled: Mutex<HashMap<usize, Arc<Regex>>>,
    /// What grammars begin with, by their position.
    starts: Mutex<HashMap<usize, ContextReference>>,
}

impl Expressions {
    fn regex(&self, pattern: &MatchPattern) -> Result<Arc<Regex>, GivenUp> {
        // Patterns lie in the set of grammars, which stays where it is.
        let key = std::ptr::from_ref(pattern).addr();
        let known = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(regex) = known().get(&key) {
            return Ok(regex.clone());
        }
        let regex = Arc::new(compiled(pattern.regex().regex_str())?);
        known().insert(key, regex.clone());
        Ok(regex)
    }
}

impl Expressions {
    /// The context that a grammar begins with.
    fn start<'s>(&self, syntaxes: &'s SyntaxSet, syntax: &SyntaxReference) -> Option<&'s Context> {
        let mut all = syntaxes.syntaxes().iter();
        let at = all.position(|one| std::ptr::eq(one, syntax))?;
        let known = || self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        let start = known().get(&at).cloned();
        let start = start.or_else(|| find_start(syntaxes, at))?;
        let context = start.resolve(syntaxes).ok();
        known().entry(at).or_insert(start);
        context
    }
}

fn compiled(expression: &str) -> Result<Regex, GivenUp> {
    let options = RegexOptions::REGEX_OPTION_CAPTURE_GROUP;
    Regex::with_options(expression, options, Syntax::default()).map_err(|_| GivenUp)
}

/// What there is between two lines.
pub struct Parser<'s> {
    syntaxes: &'s SyntaxSet,
    expressions: &'s Expressions,
    /// Those of `expressions` that this code has used.
    used: HashMap<usize, Arc<Regex>>,
    prototypes: Contexts<ContextId, &'s Context>,
    stack: Vec<Level<'s>>,
    is_first: bool,
    /// Levels that a pattern of an outer context has pushed: prototypes below do not count for them.
    outer: Vec<usize>,
    left: usize,
    retries_left: usize,
    /// Whether an expression was taken not to match because it took too long.
    is_cut: bool,
    region: Region,
}

struct Level<'s> {
    context: &'s Context,
    prototypes: Vec<&'s Context>,
    /// What expressions of the context refer back to.
    captures: Option<Rc<(Region, String)>>,
}

struct Match<'s> {
    region: Region,
    start: usize,
    end: usize,
    pattern: &'s MatchPattern,
    is_from_outside: bool,
    would_loop: bool,
}

type Found = HashMap<usize, Option<Region>>;
pub type Changes = Vec<(usize, ScopeStackOp)>;

impl<'s> Parser<'s> {
    /// None where the grammar has no beginning.
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
            left: LOOKED_BESIDES + bytes.saturating_mul(LOOKED_PER_BYTE),
            retries_left: RETRIES_BESIDES + bytes.saturating_mul(RETRIES_PER_BYTE),
            is_cut: false,
            region: Region::with_capacity(8),
        })
    }

    #[cfg(test)]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub fn line(&mut self, line: &str) -> Result<Changes, GivenUp> {
        let mut changes = Changes::new();
        if line.len() > MAX_LINE {
            return Ok(changes);
        }
        if std::mem::take(&mut self.is_first) {
            let top = self.stack.last().ok_or(GivenUp)?;
            let first = top.context.meta_content_scope.first();
            changes.extend(first.map(|scope| (0, ScopeStackOp::Push(*scope))));
        }
        let mut at = 0;
        let mut found = Found::default();
        // Where a pattern pushed and took nothing, and how high the stack was then: a pop that takes nothing would loop.
        let mut pushed_at = (0, 0);
        while let Some(best) = self.best(line, at, pushed_at, &mut found)? {
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

    /// The match that comes first; of several, the one of the pattern that comes first.
    fn best(
        &mut self,
        line: &str,
        at: usize,
        pushed_at: (usize, usize),
        found: &mut Found,
    ) -> Result<Option<Match<'s>>, GivenUp> {
        let height = self.stack.len();
        while self.outer.last().is_some_and(|start| *start >= height) {
            self.outer.pop();
        }
        let may_loop = pushed_at == (at, height);
        let syntaxes = self.syntaxes;
        let mut best: Option<Match<'s>> = None;
        for (context, captures, is_from_outside) in self.contexts()? {
            for (context, index) in context_iter(syntaxes, context) {
                let pattern = context.match_at(index).map_err(|_| GivenUp)?;
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

    /// The contexts whose patterns count, in order, with what their expressions refer back to, and whether they were
    /// brought along by a context further down.
    #[allow(clippy::type_complexity)]
    fn contexts(
        &mut self,
    ) -> Result<Vec<(&'s Context, Option<Rc<(Region, String)>>, bool)>, GivenUp> {
        let top = self.stack.last().ok_or(GivenUp)?;
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
        found: &mut Found,
    ) -> Result<Option<Region>, GivenUp> {
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
                let expression = referring(pattern.regex().regex_str(), region, text);
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

    /// Whether an expression matches from a place of the line on; `region` says where.
    fn matches(&mut self, regex: &Regex, line: &str, at: usize) -> Result<bool, GivenUp> {
        let length = line.len() - at + 1;
        let looked = length * (1 + length / SHORT);
        for (nth, retries) in RETRIES.into_iter().enumerate() {
            self.left = self.left.checked_sub(looked).ok_or(GivenUp)?;
            // The first try is free; any other may take as much at many places of the line.
            let cost = retries as usize * (1 + length / SHORT);
            match self.retries_left.checked_sub(cost) {
                _ if nth == 0 => {}
                Some(left) => self.retries_left = left,
                None => break,
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

    fn expression(&mut self, pattern: &MatchPattern) -> Result<Arc<Regex>, GivenUp> {
        let key = std::ptr::from_ref(pattern).addr();
        if let Some(regex) = self.used.get(&key) {
            return Ok(regex.clone());
        }
        let regex = self.expressions.regex(pattern)?;
        self.used.insert(key, regex.clone());
        Ok(regex)
    }

    fn context(&mut self, id: ContextId) -> Result<&'s Context, GivenUp> {
        if let Some(context) = self.prototypes.get(&id) {
            return Ok(context);
        }
        let reference = reference(serde_json::to_value(id).map_err(|_| GivenUp)?);
        let context = self.resolve(&reference.ok_or(GivenUp)?)?;
        self.prototypes.insert(id, context);
        Ok(context)
    }

    fn resolve(&self, reference: &ContextReference) -> Result<&'s Context, GivenUp> {
        reference.resolve(self.syntaxes).map_err(|_| GivenUp)
    }

    fn execute(
        &mut self,
        line: &str,
        best: &Match<'s>,
        changes: &mut Changes,
    ) -> Result<(), GivenUp> {
        let pattern = best.pattern;
        let context = self.stack.last().ok_or(GivenUp)?.context;
        self.meta_before(best.start, context, &pattern.operation, changes)?;
        let scopes = pattern.scope.iter();
        changes.extend(scopes.map(|scope| (best.start, ScopeStackOp::Push(*scope))));
        if let Some(captures) = &pattern.captures {
            let mut inner: Vec<((usize, i32), ScopeStackOp)> = Vec::new();
            for (index, scopes) in captures {
                let Some((start, end)) = best.region.pos(*index).filter(|(a, b)| a != b) else {
                    continue;
                };
                let length = i32::try_from(end - start).unwrap_or(i32::MAX);
                let begun = scopes.iter();
                inner.extend(begun.map(|scope| ((start, -length), ScopeStackOp::Push(*scope))));
                inner.push(((end, i32::MIN), ScopeStackOp::Pop(scopes.len())));
            }
            inner.sort_by_key(|(at, _)| *at);
            changes.extend(inner.into_iter().map(|((at, _), change)| (at, change)));
        }
        if !pattern.scope.is_empty() {
            changes.push((best.end, ScopeStackOp::Pop(pattern.scope.len())));
        }
        self.meta_after(best.end, context, &pattern.operation, changes)?;
        self.operate(line, best)
    }

    fn meta_before(
        &self,
        at: usize,
        context: &Context,
        operation: &MatchOperation,
        changes: &mut Changes,
    ) -> Result<(), GivenUp> {
        let (references, is_set) = match operation {
            MatchOperation::Pop => {
                let scopes = context.meta_content_scope.len();
                changes.extend((scopes > 0).then_some((at, ScopeStackOp::Pop(scopes))));
                return Ok(());
            }
            MatchOperation::None => return Ok(()),
            MatchOperation::Push(references) => (references, false),
            MatchOperation::Set(references) => (references, true),
        };
        if is_set && context.clear_scopes.is_some() {
            changes.push((at, ScopeStackOp::Restore));
        }
        for reference in references {
            let next = self.resolve(reference)?;
            if let Some(amount) = next.clear_scopes.filter(|_| !is_set) {
                changes.push((at, ScopeStackOp::Clear(amount)));
            }
            let scopes = next.meta_scope.iter();
            changes.extend(scopes.map(|scope| (at, ScopeStackOp::Push(*scope))));
        }
        Ok(())
    }

    fn meta_after(
        &self,
        at: usize,
        context: &Context,
        operation: &MatchOperation,
        changes: &mut Changes,
    ) -> Result<(), GivenUp> {
        let (references, is_set) = match operation {
            MatchOperation::Pop => {
                let scopes = context.meta_scope.len();
                changes.extend((scopes > 0).then_some((at, ScopeStackOp::Pop(scopes))));
                let is_cleared = context.clear_scopes.is_some();
                changes.extend(is_cleared.then_some((at, ScopeStackOp::Restore)));
                return Ok(());
            }
            MatchOperation::None => return Ok(()),
            MatchOperation::Push(references) => (references, false),
            MatchOperation::Set(references) => (references, true),
        };
        let next: Result<Vec<&Context>, GivenUp> =
            references.iter().map(|one| self.resolve(one)).collect();
        let next = next?;
        let (own, content) = (context.meta_scope.len(), context.meta_content_scope.len());
        let is_pushed_again = is_set && own + content > 0
            || next.iter().any(|next| {
                !next.meta_content_scope.is_empty() || next.clear_scopes.is_some() && is_set
            });
        if !is_pushed_again {
            return Ok(());
        }
        let mut popped: usize = next.iter().map(|next| next.meta_scope.len()).sum();
        if is_set {
            popped += own + content;
        }
        changes.extend((popped > 0).then_some((at, ScopeStackOp::Pop(popped))));
        for next in next {
            if let Some(amount) = next.clear_scopes.filter(|_| is_set) {
                changes.push((at, ScopeStackOp::Clear(amount)));
            }
            let scopes = next.meta_scope.iter().chain(&next.meta_content_scope);
            changes.extend(scopes.map(|scope| (at, ScopeStackOp::Push(*scope))));
        }
        Ok(())
    }

    fn operate(&mut self, line: &str, best: &Match<'s>) -> Result<(), GivenUp> {
        let pattern = best.pattern;
        let (references, mut kept) = match &pattern.operation {
            MatchOperation::Push(references) => (references, Vec::new()),
            // Prototypes that a context pushed stay until its level is popped.
            MatchOperation::Set(references) => {
                let left = self.stack.pop();
                (
                    references,
                    left.map(|level| level.prototypes).unwrap_or_default(),
                )
            }
            MatchOperation::Pop => {
                self.stack.pop();
                return Ok(());
            }
            MatchOperation::None => return Ok(()),
        };
        for (nth, one) in references.iter().enumerate() {
            let mut prototypes = std::mem::take(&mut kept);
            if let Some(with) = pattern
                .with_prototype
                .as_ref()
                .filter(|_| nth + 1 == references.len())
            {
                prototypes.push(self.resolve(with)?);
            }
            let context = self.resolve(one)?;
            let refers = context.uses_backrefs || prototypes.iter().any(|one| one.uses_backrefs);
            let captures = refers.then(|| Rc::new((best.region.clone(), line.to_owned())));
            self.stack.push(Level {
                context,
                prototypes,
                captures,
            });
        }
        Ok(())
    }
}

/// The one of its contexts that pushes another at once.
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

/// A context by its id, which syntect lets nobody make but who reads it.
fn reference(id: serde_json::Value) -> Option<ContextReference> {
    serde_json::from_value(serde_json::json!({ "Direct": id })).ok()
}

/// An expression with what was captured elsewhere in the place of its references.
fn referring(expression: &str, region: &Region, text: &str) -> String {
    let mut made = String::with_capacity(expression.len());
    let mut is_escaped = false;
    for c in expression.chars() {
        match (is_escaped, c.to_digit(10)) {
            (true, Some(group)) => {
                let captured = region.pos(group as usize);
                let captured = captured.and_then(|(start, end)| text.get(start..end));
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
