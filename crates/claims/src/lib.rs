//! What documents state: sentences about files and the contents that decide them, facts in prose, the head of a decision
//! and its words for statuses and days. Text in, facts out: reads no files.

pub mod asciidoc;
mod content;
pub mod day;
pub mod outline;
mod path;
pub mod plain;
pub mod promql;
pub mod prose;
pub mod quantity;
pub mod reference;
mod sentence;
pub mod status;

pub use content::{AskedFile, Containment};
pub use path::looks_like_path;
pub use sentence::{FileFact, Sentence, SentenceSubject, Unclear};
