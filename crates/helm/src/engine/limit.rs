//! Limits of a run, and its failures.

use base::budget::Budget;

/// Limit on nodes run, values visited and text written in blocks of 64 bytes.
const MAX_WORK: u64 = 5_000_000;
/// Work of a map: its entries take about as many blocks of 64 bytes.
const WORK_OF_MAP: u64 = 10;
/// Limit on text that one run writes, intermediate results included.
const MAX_TEXT: u64 = 256 * 1024 * 1024;
/// Limit on one text.
pub const MAX_ONE_TEXT: usize = 32 * 1024 * 1024;
/// Maximum nesting of templates, actions and parentheses.
const MAX_DEPTH: usize = 1_500;
/// Maximum nesting of values.
pub const MAX_NESTED: usize = 400;

/// Why a template fails.
#[derive(Debug, Clone)]
pub struct Fail {
    pub message: String,
    pub kind: FailKind,
    /// The message of `fail` or `required`.
    pub stated: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailKind {
    /// An error that Helm reports too.
    Error,
    /// `fail` or `required`: the message is for people.
    Stated,
    /// A limit of this engine.
    Limit,
}

impl Fail {
    pub fn new(message: impl Into<String>) -> Fail {
        Fail {
            message: message.into(),
            kind: FailKind::Error,
            stated: None,
        }
    }

    /// A message for people.
    pub fn stated(message: &str) -> Fail {
        Fail {
            message: message.to_owned(),
            kind: FailKind::Stated,
            stated: Some(message.to_owned()),
        }
    }

    pub fn limit(message: impl Into<String>) -> Fail {
        Fail {
            message: message.into(),
            kind: FailKind::Limit,
            stated: None,
        }
    }
}

/// The rest of the budget.
#[derive(Debug)]
pub struct Spent {
    work: Budget,
    text: Budget,
    depth: usize,
}

impl Default for Spent {
    fn default() -> Spent {
        Spent {
            work: Budget::new(MAX_WORK),
            text: Budget::new(MAX_TEXT),
            depth: 0,
        }
    }
}

impl Spent {
    /// Charges work before it is done.
    pub fn charge(&mut self, work: u64) -> Result<(), Fail> {
        let charged = self.work.charge(work);
        charged.map_err(|_| Fail::limit("the template does too much work, or never ends"))
    }

    /// Charges a map before it is made.
    pub fn charge_map(&mut self) -> Result<(), Fail> {
        self.charge(WORK_OF_MAP)
    }

    /// Charges a text before values are read from it: each value has a sign or a line, and some are maps.
    pub fn charge_reading(&mut self, text: &str) -> Result<(), Fail> {
        self.charge_text(text.len().saturating_mul(4))?;
        let signs = text.bytes().filter(|byte| b"\n,:-[{".contains(byte));
        self.charge(signs.count() as u64 * WORK_OF_MAP / 2)
    }

    /// Charges text before it is written.
    pub fn charge_text(&mut self, length: usize) -> Result<(), Fail> {
        let charged = self.text.charge(length as u64);
        if length > MAX_ONE_TEXT || charged.is_err() {
            return Err(Fail::limit("the template writes too much text"));
        }
        self.charge(length as u64 / 64)
    }

    pub fn enter(&mut self) -> Result<(), Fail> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            Err(Fail::limit("templates are nested too deeply, or endlessly"))
        } else {
            Ok(())
        }
    }

    pub fn reset_depth(&mut self) {
        self.depth = 0;
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}
