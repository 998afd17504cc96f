//! Terraform and OpenTofu: evaluates modules as far as their files determine the result. Reads through [`base::Files`];
//! no state, provider or registry.

mod document;
mod evaluate;
mod exposed;
mod function;
mod module;
mod order;
mod syntax;
mod terragrunt;
#[cfg(test)]
mod tests;
mod value;

pub use document::Documents;
pub use evaluate::{Bindings, Instance, Instances, ModuleRun, ScopeId};
pub use exposed::plain_secrets;
pub use module::{Module, ModuleSource, Modules, read_file};
pub use order::{BlockAddress, Reason, ResourceOrder, Wait, waits};
pub use syntax::{Attribute, Block, Body, Expr};
pub use value::{HERE, HclData, HclMap, HclValue, Shown};
