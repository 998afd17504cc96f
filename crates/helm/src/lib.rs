//! Go templates with the functions of Sprig and Helm, on values that know nothing of files.

mod template;

pub use template::{Fault, Library, Missing, Value, Written, normal, run};
