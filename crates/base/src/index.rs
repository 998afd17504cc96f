//! Positions with a type of their own, and vectors that only such positions index. With them the compiler refuses a
//! position in one list where one in another is meant.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Deref, Index, IndexMut};

/// A position in a list. Declare one with `index_type!`.
pub trait Ix: Copy + Ord + Hash + Debug + Send + Sync + 'static {
    fn from_usize(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Declares a type for positions in one kind of list: `index_type! { pub struct UnitIx; }`.
#[macro_export]
macro_rules! index_type {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident;) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(usize);

        // Few lists need all of these.
        #[allow(dead_code)]
        impl $name {
            /// Position of the first item, if there is one.
            pub const FIRST: Self = Self(0);

            pub const fn from_usize(index: usize) -> Self {
                Self(index)
            }

            pub const fn index(self) -> usize {
                self.0
            }
        }

        impl $crate::index::Ix for $name {
            fn from_usize(index: usize) -> Self {
                Self(index)
            }

            fn index(self) -> usize {
                self.0
            }
        }
    };
}

/// A vector that positions of type `I` index. It can be read as a slice, but not sorted as one: that would make
/// positions invalid.
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I) -> I>,
}

impl<I: Ix, T> IndexVec<I, T> {
    pub const fn new() -> Self {
        IndexVec {
            items: Vec::new(),
            index: PhantomData,
        }
    }

    /// `count` copies of a value.
    pub fn from_elem(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        vec![value; count].into()
    }

    /// Adds an item and returns its position.
    pub fn push(&mut self, item: T) -> I {
        let index = self.next_index();
        self.items.push(item);
        index
    }

    /// The position of the item that is pushed next.
    pub fn next_index(&self) -> I {
        I::from_usize(self.items.len())
    }

    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Removes the other items. Positions from before are not valid any more.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.items.retain(keep);
    }

    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    pub fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.index())
    }

    /// All positions, in order.
    pub fn indices(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        (0..self.items.len()).map(I::from_usize)
    }

    /// All items, each with its position.
    pub fn iter_enumerated(
        &self,
    ) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        let items = self.items.iter().enumerate();
        items.map(|(index, item)| (I::from_usize(index), item))
    }

    /// All items to change, each with its position.
    pub fn iter_mut_enumerated(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        let items = self.items.iter_mut().enumerate();
        items.map(|(index, item)| (I::from_usize(index), item))
    }

    /// The position of the first item that a condition holds for.
    pub fn find_index(&self, is_it: impl FnMut(&T) -> bool) -> Option<I> {
        self.items.iter().position(is_it).map(I::from_usize)
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Ix, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Ix, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

impl<I, T> Deref for IndexVec<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IndexVec {
            items,
            index: PhantomData,
        }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        items.into_iter().collect::<Vec<T>>().into()
    }
}

impl<I, T> Extend<T> for IndexVec<I, T> {
    fn extend<A: IntoIterator<Item = T>>(&mut self, items: A) {
        self.items.extend(items);
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

// Derived ones would ask the same of `I`.
impl<I, T: Clone> Clone for IndexVec<I, T> {
    fn clone(&self) -> Self {
        self.items.clone().into()
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T: Debug> Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    index_type! {
        struct LetterIx;
    }

    fn letters() -> IndexVec<LetterIx, char> {
        ['a', 'b', 'c'].into_iter().collect()
    }

    #[test]
    fn a_pushed_item_is_found_at_the_position_that_is_returned() {
        let mut letters = letters();
        let next = letters.next_index();
        let pushed = letters.push('d');
        assert_eq!(next, pushed);
        assert_eq!(letters[pushed], 'd');
        letters[pushed] = 'e';
        assert_eq!(letters.get(pushed), Some(&'e'));
        assert_eq!(letters.get(letters.next_index()), None);
    }

    #[test]
    fn positions_come_in_order_with_their_items() {
        let letters = letters();
        let all: Vec<LetterIx> = letters.indices().collect();
        assert!(all.is_sorted() && all.len() == letters.len());
        for (index, letter) in letters.iter_enumerated() {
            assert_eq!(letters[index], *letter);
            assert_eq!(letters.find_index(|other| other == letter), Some(index));
        }
        assert_eq!(letters.find_index(|letter| *letter == 'z'), None);
    }

    #[test]
    fn it_reads_as_a_slice() {
        let letters = letters();
        assert_eq!(letters.first(), Some(&'a'));
        assert_eq!(letters.iter().rev().collect::<String>(), "cba");
        assert_eq!(format!("{letters:?}"), "['a', 'b', 'c']");
    }
}
