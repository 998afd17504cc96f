//! Components that provide an API type: by CRDs that they apply, or by charts that are known to contain CRDs.

use crate::cluster::Destination;
use crate::sources::charts::Brings;
use base::hash::HashMap;

/// The cluster that it is brought to, its group and its kind; for a whole group, the kind is empty.
type Api<'a> = (Destination, &'a str, &'a str);

#[derive(Default)]
pub struct Apis<'a>(HashMap<Api<'a>, Vec<(Brings, usize)>>);

impl<'a> Apis<'a> {
    pub fn add(&mut self, api: Api<'a>, brings: Brings, component: usize) {
        self.0.entry(api).or_default().push((brings, component));
    }

    /// The component that provides a type. Actual providers come first, then those that name this kind, then the
    /// lowest `rank`.
    pub fn find<R: Ord>(
        &self,
        (at, group, kind): Api<'_>,
        rank: impl Fn(usize) -> R,
    ) -> Option<(usize, Brings)> {
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
        let mut apis = Apis::default();
        apis.add((Destination::HERE, "cert-manager.io", ""), Brings::Not, 1);
        let first = |_: usize| 0;
        let issuer = (Destination::HERE, "cert-manager.io", "Issuer");
        assert_eq!(apis.find(issuer, first), Some((1, Brings::Not)));
        apis.add(
            (Destination::HERE, "cert-manager.io", ""),
            Brings::Perhaps,
            2,
        );
        assert_eq!(apis.find(issuer, first), Some((2, Brings::Perhaps)));
        apis.add(
            (Destination::HERE, "cert-manager.io", ""),
            Brings::Surely,
            3,
        );
        assert_eq!(apis.find(issuer, first), Some((3, Brings::Surely)));
        let liked = |component: usize| component != 2;
        assert_eq!(apis.find(issuer, liked), Some((2, Brings::Perhaps)));
        apis.add(issuer, Brings::Surely, 4);
        assert_eq!(apis.find(issuer, liked), Some((4, Brings::Surely)));
    }
}
