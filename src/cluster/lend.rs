//! Objects that take values from others of their cluster: they are described once more when all of it is known.

use std::cell::Cell;

use super::known::Known;
use super::unit::Applied;
use crate::sources;
use crate::sources::lent::Lent;

/// So many bytes are lent in one cluster; more are nobody's intention.
const MAX_LENT: usize = 64 << 20;

/// Describes the borrowers among what is applied.
pub fn lend<'a>(applied: impl IntoIterator<Item = &'a mut Applied>, known: &Known) {
    let left = Cell::new(MAX_LENT);
    let lender = |namespace: &str, name: &str, key: &str| {
        let lent = known.entry(namespace, name, key);
        let Lent::Entry(entry) = lent else {
            return lent;
        };
        let length = entry.value.as_ref().map_or(0, |value| value.len());
        match left.get().checked_sub(length) {
            Some(rest) => {
                left.set(rest);
                lent
            }
            None => Lent::Unknown,
        }
    };
    let applied = applied.into_iter();
    for applied in applied.filter(|applied| applied.has_borrowers) {
        for object in &mut applied.objects {
            if let Some(borrower) = object.statement.borrower.clone() {
                sources::borrow(&borrower, &lender, &mut object.statement);
            }
        }
    }
}
