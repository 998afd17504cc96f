//! Go's text templates: parsed into a tree, and run on values within limits.

mod field;
mod lex;
mod limit;
pub mod parse;
pub mod print;
pub mod run;
mod tree;
pub mod value;

pub use limit::{Fail, FailKind};
pub use parse::parse;
pub use run::{Missing, Run, Templates};
pub use tree::Parsed;
pub use value::{Entries, MapKind, Val};
