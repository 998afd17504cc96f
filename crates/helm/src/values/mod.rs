//! The values that each chart sees.

pub mod coalesce;
pub mod dependencies;
