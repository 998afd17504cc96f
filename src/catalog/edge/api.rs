//! Components that provide an API type: by CRDs that they apply, or by charts that are known to contain CRDs.

use super::ComponentIx;
use crate::cluster::Destination;
use crate::sources::charts::Brings;
use base::hash::HashMap;

/// The cluster that it is brought to, its group and its kind; for a whole group, the kind is empty.
type Api<'a> = (Destination, &'a str, &'a str);

#[derive(Default)]
pub struct Apis<'a>(HashMap<Api<'a>, Vec<(Brings, ComponentIx)>>);

impl<'a> Apis<'a> {
    pub fn add(&mut self, api: Api<'a>, brings: Brings, component: ComponentIx) {
        self.0.entry(api).or_default().push((brings, component));
    }

    /// The component that provides a type and runs its operator: none if one may bring the CRD and another the operator.
    pub fn only(&self, (at, group, kind): Api<'_>) -> Option<ComponentIx> {
        let exact = self.0.get(&(at, group, kind)).into_iter().flatten();
        let whole = self.0.get(&(at, group, "")).into_iter().flatten();
        let mut all = exact.chain(whole).map(|(_, component)| *component);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// The component that provides a type. Actual providers come first, then those that name this kind, then the
    /// lowest `rank`.
    pub fn find<R: Ord>(
        &self,
        (at, group, kind): Api<'_>,
        rank: impl Fn(ComponentIx) -> R,
    ) -> Option<(ComponentIx, Brings)> {
        let exact = self.0.get(&(at, group, kind)).into_iter().flatten();
        let whole = self.0.get(&(at, group, "")).into_iter().flatten();
        let all = exact
            .map(|one| (false, one))
            .chain(whole.map(|one| (true, one)));
        let found = all.min_by_key(|(is_whole, (brings, component))| {
            let is_off = *brings == Brings::Not;
            (is_off, *is_whole, rank(*component), *brings)
        });
        found.map(|(_, (brings, component))| (*component, *brings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_without_its_definitions_brings_a_type_only_where_nobody_else_does() {
        let [one, two, three, four] = [1, 2, 3, 4].map(ComponentIx::from_usize);
        let mut apis = Apis::default();
        apis.add((Destination::HERE, "cert-manager.io", ""), Brings::Not, one);
        let first = |_: ComponentIx| 0;
        let issuer = (Destination::HERE, "cert-manager.io", "Issuer");
        assert_eq!(apis.find(issuer, first), Some((one, Brings::Not)));
        assert_eq!(apis.only(issuer), Some(one));
        apis.add(
            (Destination::HERE, "cert-manager.io", ""),
            Brings::Perhaps,
            two,
        );
        assert_eq!(apis.find(issuer, first), Some((two, Brings::Perhaps)));
        apis.add(
            (Destination::HERE, "cert-manager.io", ""),
            Brings::Surely,
            three,
        );
        assert_eq!(apis.find(issuer, first), Some((three, Brings::Surely)));
        assert_eq!(apis.only(issuer), None);
        let liked = |component: ComponentIx| component != two;
        assert_eq!(apis.find(issuer, liked), Some((two, Brings::Perhaps)));
        apis.add(issuer, Brings::Surely, four);
        assert_eq!(apis.find(issuer, liked), Some((four, Brings::Surely)));
    }
}
