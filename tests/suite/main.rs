//! Everything that is tested through the public door, as one binary.

mod case;
mod cli;
mod compose;
mod hostile;
mod tidy;
