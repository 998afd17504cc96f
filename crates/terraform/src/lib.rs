//! Terraform and OpenTofu: turns the files of a module into values, as far as the files determine them. Reads through
//! [`base::Files`]; no state, no provider and no registry.

mod document;
mod evaluate;
mod exposed;
mod function;
mod module;
mod order;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

pub use document::Documents;
pub use evaluate::{Bindings, Instance, Instances, Run, ScopeId};
pub use exposed::plain_secrets;
pub use module::{Module, Modules, Origin, read_file};
pub use order::{Address, Reason, ResourceOrder, Wait, waits};
pub use syntax::{Attribute, Block, Body, Expr};
pub use value::{Data, HERE, Shown, Table, Value};
