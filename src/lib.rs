//! `catalog` turns a GitOps repository into a service catalogue.
//!
//! Data flows one way, in the order of the modules below: a module uses only those above it.
//! A test holds that order, so reading the list from top to bottom is reading the program.

#[rustfmt::skip]
pub mod diagnostic;
pub mod cmd;
pub mod compose;
pub mod config;
pub mod export;
pub mod fact;
pub mod model;
pub mod pipeline;
pub mod repo;
pub mod source;
pub mod yaml;
