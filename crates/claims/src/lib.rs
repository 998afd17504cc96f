//! Sentences that state facts about files, and the contents that decide them. Text in, facts out: reads no files.

mod content;
mod path;
mod sentence;

pub use content::{AskedFile, Containment};
pub use path::looks_like_path;
pub use sentence::{FileFact, Sentence, SentenceSubject, Unclear};
