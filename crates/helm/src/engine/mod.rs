//! Go's text templates: parsed into a tree, and run on values within limits.

mod call;
mod field;
mod lex;
mod limit;
mod named;
mod operand;
pub mod parse;
pub mod print;
mod repeat;
pub mod run;
pub mod trace;
pub mod tree;
pub mod value;

pub use lex::unquoted;
pub use limit::{Fail, FailKind};
pub use named::NamedTemplates;
pub use parse::parse;
pub use run::{MissingKey, Run};
pub use tree::ParsedTemplate;
pub use value::{Entries, MapKind, Val};
