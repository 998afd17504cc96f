//! The effect of a match: scopes to push and pop, and contexts to enter and leave. Follows syntect's parser step by
//! step, so that both give the same scopes.

use std::rc::Rc;

use syntect::parsing::ScopeStackOp;
use syntect::parsing::syntax_definition::{Context, MatchOperation};

use super::parse::{Aborted, Changes, Level, Match, Parser};

impl<'s> Parser<'s> {
    pub(super) fn execute(
        &mut self,
        line: &str,
        best: &Match<'s>,
        changes: &mut Changes,
    ) -> Result<(), Aborted> {
        let pattern = best.pattern;
        let context = self.stack.last().ok_or(Aborted)?.context;
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
        self.update_stack(line, best)
    }

    fn meta_before(
        &self,
        at: usize,
        context: &Context,
        operation: &MatchOperation,
        changes: &mut Changes,
    ) -> Result<(), Aborted> {
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
    ) -> Result<(), Aborted> {
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
        let next: Result<Vec<&Context>, Aborted> =
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

    fn update_stack(&mut self, line: &str, best: &Match<'s>) -> Result<(), Aborted> {
        let pattern = best.pattern;
        let (references, mut kept) = match &pattern.operation {
            MatchOperation::Push(references) => (references, Vec::new()),
            // Prototypes of a context stay until its level is popped.
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
