//! Dynamic blocks: one block per element of an expression.

use super::{Bindings, MAX_INSTANCES, ModuleRun, ScopeId, elements};
use crate::syntax::{Block, ExprKind};
use crate::value::{HclData, HclValue};

impl ModuleRun<'_> {
    /// The content of a dynamic block, with the bindings of each iteration; `None` if their number is unknown.
    pub fn dynamic<'b>(
        &mut self,
        scope: ScopeId,
        bindings: &Bindings,
        block: &'b Block,
    ) -> Option<Vec<(Bindings, &'b Block)>> {
        let content = block.body.blocks("content").next()?;
        let each = self.eval(scope, bindings, block.body.get("for_each")?);
        let all = elements(&each).filter(|all| all.len() <= MAX_INSTANCES && !each.is_secret)?;
        let _ = self.steps.charge(all.len() as u64);
        let iterator = match block.body.get("iterator").map(|expr| &expr.kind) {
            Some(ExprKind::Name(name)) => name,
            _ => block.labels.first()?,
        };
        let is_list = matches!(each.data, HclData::List(_));
        let bound = all.into_iter().map(|(key, value)| {
            let place = value.place;
            // Lists and sets are not distinguished here. Elements of a set are their own keys; the keys of a list
            // are hardly ever used.
            let own = is_list.then(|| value.set_key()).flatten();
            let key = HclValue::text(own.unwrap_or(key), place);
            let both = vec![("key".into(), key), ("value".into(), value)];
            let mut bindings = bindings.clone();
            bindings.retain(|(name, _)| name != iterator);
            bindings.push((iterator.clone(), HclValue::map(both, place)));
            (bindings, content)
        });
        Some(bound.collect())
    }
}
