//! The limit on what an engine does with one input: steps, bytes, values or findings. Every engine charges one, so that
//! nothing in a repository can keep it busy, and tests can tell what any input costs (`steps`).

use super::steps;

/// What may be spent on an input, and what is. Once it is exceeded, it stays so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    spent: u64,
}

/// More was asked for than is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded;

impl Budget {
    pub const fn new(limit: u64) -> Budget {
        Budget { limit, spent: 0 }
    }

    /// Charges work, before it is done where that can be told.
    #[inline]
    pub fn charge(&mut self, work: u64) -> Result<(), Exceeded> {
        self.spent = self.spent.saturating_add(work);
        if self.is_exceeded() {
            return Err(Exceeded);
        }
        steps::count(work as usize);
        Ok(())
    }

    /// Whether an engine must stop.
    #[inline]
    pub fn is_exceeded(&self) -> bool {
        self.spent > self.limit
    }

    /// Adds what a part spent that had a budget of its own.
    pub fn add(&mut self, part: Budget) {
        self.spent = self.spent.saturating_add(part.spent);
    }

    /// Ends all further work.
    pub fn exhaust(&mut self) {
        self.spent = u64::MAX;
    }

    pub fn spent(&self) -> u64 {
        self.spent
    }

    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_is_exceeded_stays_so() {
        let mut budget = Budget::new(10);
        assert_eq!(budget.charge(10), Ok(()));
        assert_eq!((budget.left(), budget.is_exceeded()), (0, false));
        assert_eq!(budget.charge(u64::MAX), Err(Exceeded));
        assert_eq!(budget.charge(0), Err(Exceeded));
        assert_eq!((budget.spent(), budget.left()), (u64::MAX, 0));
    }
}
