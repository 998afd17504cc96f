//! Splits the words of a command into flags, their values and the rest. Flags with a value are listed per tool. After
//! an unknown flag, a word may be its value or a name.

use crate::{Sense, Word};

pub struct Args<'w> {
    pub words: &'w [Word],
    /// Positions of words that are neither flags nor their values, without the tool's name.
    pub plain: Vec<usize>,
    /// Flags by name without dashes, each with the position and text of its value.
    flags: Vec<(&'w str, Option<(usize, &'w str)>)>,
    /// Whether every flag is known, so that plain words are certainly not flag values.
    pub is_certain: bool,
}

/// Flags with and without a value, each without dashes.
pub struct Flags {
    pub with_value: &'static [&'static str],
    pub alone: &'static [&'static str],
}

impl<'w> Args<'w> {
    pub fn parse(words: &'w [Word], known: &[&Flags]) -> Args<'w> {
        let mut args = Args {
            words,
            plain: Vec::new(),
            flags: Vec::new(),
            is_certain: true,
        };
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            let name = text.trim_start_matches('-');
            let dashes = text.len() - name.len();
            if text == "--" {
                // The remaining words belong to another program.
                break;
            }
            if dashes == 0 || name.is_empty() {
                args.plain.push(at);
            } else if let Some((name, value)) = name.split_once('=') {
                args.flags.push((name, Some((at, value))));
            } else if known.iter().any(|flags| flags.with_value.contains(&name)) {
                let value = words.get(at + 1).map(|value| (at + 1, value.text.as_str()));
                args.flags.push((name, value));
                at += 1;
            } else if known.iter().any(|flags| flags.alone.contains(&name)) {
                args.flags.push((name, None));
            } else {
                args.short(at, name, dashes, known);
            }
            at += 1;
        }
        args
    }

    /// `-nflux-system`, `-it`: short flags in one word.
    fn short(&mut self, at: usize, name: &'w str, dashes: usize, known: &[&Flags]) {
        let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
        let is_alone = |c: char| {
            let mut buffer = [0; 4];
            let flag: &str = c.encode_utf8(&mut buffer);
            known.iter().any(|flags| flags.alone.contains(&flag))
        };
        if dashes == 1 && known.iter().any(|flags| flags.with_value.contains(&first)) {
            self.flags.push((first, Some((at, rest))));
        } else if dashes == 1 && name.chars().all(is_alone) {
            self.flags.push((name, None));
        } else {
            self.is_certain = false;
        }
    }

    /// Position and text of the value of a flag with one of these names.
    pub fn value(&self, names: &[&str]) -> Option<(usize, &'w str)> {
        let mut flags = self.flags.iter().rev();
        flags.find_map(|(name, value)| value.filter(|_| names.contains(name)))
    }

    pub fn has(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|(name, _)| names.contains(name))
    }

    /// A plain word, by its turn.
    pub fn word(&self, turn: usize) -> Option<&'w Word> {
        self.plain.get(turn).map(|at| &self.words[*at])
    }

    /// The plain word at position `turn`, if it is literal text.
    pub fn said(&self, turn: usize) -> Option<&'w str> {
        let word = self.word(turn)?;
        (word.sense == Sense::Plain && !word.text.is_empty()).then_some(word.text.as_str())
    }
}
