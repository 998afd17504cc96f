//! Everything that is tested through the public door, as one binary.
#![allow(clippy::unwrap_used)]

mod argocd;
mod backstage;
mod case;
mod check;
mod ci;
mod cli;
mod component;
mod compose;
mod corpus;
mod diagram;
mod diff;
mod entry;
mod example;
mod findings;
mod graph;
mod guide;
mod help;
mod hostile;
mod html;
mod init;
mod knowledge;
mod manuscript;
mod platform;
mod prose;
mod publish;
mod readme;
mod rebuild;
mod rehearse;
mod rules;
mod runbook;
mod serve;
mod site;
mod stale;
mod tidy;
mod version;
