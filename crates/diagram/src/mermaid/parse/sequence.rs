//! `sequenceDiagram`. A statement is a line, or ends at `;`. Keywords may be in upper case.

mod arrow;
mod cast;

use super::cursor::excerpt;
use super::lines::MermaidSource;
use super::text::{entity_length, label};
use super::{Error, MOST_LEVELS, MOST_STEPS, check_count, colour, text};
use crate::{FrameKind, Message, Note, ParticipantRole, Sequence, SequenceStep, Side};
use cast::Cast;

pub(super) struct Parsed {
    pub sequence: Sequence,
    /// That of a `title` line.
    pub title: Option<String>,
}

pub(super) fn parse(document: &MermaidSource) -> Result<Parsed, Error> {
    let mut reader = SequenceParser::default();
    for (line, number) in document.body.lines().zip(1..) {
        let mut rest = line;
        while !rest.is_empty() {
            let (statement, after) = split_statement(rest);
            base::steps::count(statement.len() + 1);
            reader.read_statement(statement.trim(), number)?;
            rest = after;
        }
    }
    reader.finish()
}

#[derive(Default)]
struct SequenceParser {
    cast: Cast,
    steps: Vec<SequenceStep>,
    /// The frames and boxes around the current line, innermost last.
    open: Vec<OpenStatement>,
    title: Option<String>,
    numbering: Numbering,
    /// Participants whose life line ends with the next message.
    leaving: Vec<usize>,
}

struct OpenStatement {
    word: &'static str,
    line: usize,
}

/// The numbers of `autonumber`, in hundredths.
struct Numbering {
    is_shown: bool,
    next: u64,
    step: u64,
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering {
            is_shown: false,
            next: 100,
            step: 100,
        }
    }
}

impl SequenceParser {
    fn read_statement(&mut self, statement: &str, line: usize) -> Result<(), Error> {
        if statement.is_empty() || statement.starts_with('#') || statement.starts_with("%%") {
            return Ok(());
        }
        let (word, rest) = statement
            .split_once(char::is_whitespace)
            .unwrap_or((statement, ""));
        let keyword = word.to_ascii_lowercase();
        let rest = rest.trim();
        match keyword.as_str() {
            "participant" => self.cast.declare(rest, ParticipantRole::System, line),
            "actor" => self.cast.declare(rest, ParticipantRole::Actor, line),
            "create" => self.read_creation(rest, line),
            "destroy" => {
                let participant = self.mentioned(rest, line)?;
                self.leaving.push(participant);
                Ok(())
            }
            "box" => self.open_box(rest, line),
            "end" if rest.is_empty() => self.close(line),
            "loop" => self.open_frame("loop", FrameKind::Loop, rest, line),
            "alt" => self.open_frame("alt", FrameKind::Alt, rest, line),
            "opt" => self.open_frame("opt", FrameKind::Opt, rest, line),
            "par" | "par_over" => self.open_frame("par", FrameKind::Par, rest, line),
            "critical" => self.open_frame("critical", FrameKind::Critical, rest, line),
            "break" => self.open_frame("break", FrameKind::Break, rest, line),
            "rect" => {
                let tint = colour::hue(rest).and_then(colour::Hue::tint);
                self.open_frame("rect", FrameKind::Rect(tint), "", line)
            }
            "else" => self.next_part("else", "alt", rest, line),
            "and" => self.next_part("and", "par", rest, line),
            "option" => self.next_part("option", "critical", rest, line),
            "activate" => {
                let participant = self.mentioned(rest, line)?;
                self.activate(participant)
            }
            "deactivate" => {
                let participant = self.mentioned(rest, line)?;
                self.deactivate(participant, line)
            }
            "note" => self.read_note(rest, line),
            "autonumber" => self.read_numbering(rest, line),
            "link" | "links" => self.read_links(rest, line),
            // Mermaid shows neither.
            "properties" | "details" => Ok(()),
            "title" | "title:" => {
                self.title = text::plain(rest);
                Ok(())
            }
            _ => self.read_message(statement, line),
        }
    }

    fn mentioned(&mut self, name: &str, line: usize) -> Result<usize, Error> {
        if self.open.last().is_some_and(|open| open.word == "box") {
            let message = "only participants can be in a `box`; is its `end` missing?";
            return Err(Error::at(line, message));
        }
        self.cast.mention(name, line)
    }

    fn push(&mut self, step: SequenceStep) -> Result<(), Error> {
        check_count("steps", self.steps.len() + 1, MOST_STEPS)?;
        self.steps.push(step);
        Ok(())
    }

    fn read_creation(&mut self, rest: &str, line: usize) -> Result<(), Error> {
        let lower = rest.to_ascii_lowercase();
        if lower.starts_with("participant ") || lower.starts_with("actor ") {
            return self.read_statement(rest, line);
        }
        Err(Error::at(
            line,
            "write `create participant` or `create actor`",
        ))
    }

    fn open_box(&mut self, rest: &str, line: usize) -> Result<(), Error> {
        if self.open.iter().any(|open| open.word == "box") {
            return Err(Error::at(line, "a `box` cannot be in another one"));
        }
        self.open.push(OpenStatement { word: "box", line });
        let function_end = rest
            .split_once('(')
            .filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphabetic()))
            .and_then(|_| rest.find(')'))
            .map(|end| end + 1);
        let word_end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (first, after) = rest.split_at(function_end.unwrap_or(word_end));
        match colour::hue(first) {
            Some(hue) => self.cast.open_box(label(without_wrap(after)), hue.tint()),
            None => self.cast.open_box(label(without_wrap(rest)), None),
        }
        Ok(())
    }

    fn open_frame(
        &mut self,
        word: &'static str,
        kind: FrameKind,
        condition: &str,
        line: usize,
    ) -> Result<(), Error> {
        self.open.push(OpenStatement { word, line });
        check_count("levels of frames", self.open.len(), MOST_LEVELS)?;
        let text = label(without_wrap(condition));
        self.push(SequenceStep::Open { kind, text })
    }

    fn next_part(
        &mut self,
        word: &str,
        owner: &str,
        condition: &str,
        line: usize,
    ) -> Result<(), Error> {
        if self.open.last().is_none_or(|open| open.word != owner) {
            return Err(Error::at(line, format!("`{word}` outside of `{owner}`")));
        }
        let text = label(without_wrap(condition));
        self.push(SequenceStep::Next { text })
    }

    fn close(&mut self, line: usize) -> Result<(), Error> {
        match self.open.pop() {
            None => Err(Error::at(line, "`end` without a frame or `box`")),
            Some(open) if open.word == "box" => {
                self.cast.close_box();
                Ok(())
            }
            Some(_) => self.push(SequenceStep::Close),
        }
    }

    fn activate(&mut self, participant: usize) -> Result<(), Error> {
        self.cast.activate(participant);
        self.push(SequenceStep::Activate(participant))
    }

    fn deactivate(&mut self, participant: usize, line: usize) -> Result<(), Error> {
        if !self.cast.deactivate(participant) {
            let name = excerpt(self.cast.name(participant));
            return Err(Error::at(line, format!("`{name}` is not active here")));
        }
        self.push(SequenceStep::Deactivate(participant))
    }

    /// `left of A: text`, `right of A: text` or `over A,B: text`.
    fn read_note(&mut self, rest: &str, line: usize) -> Result<(), Error> {
        let (place, text) = rest.split_once(':').unwrap_or((rest, ""));
        let lower = place.to_ascii_lowercase();
        let side = if lower.starts_with("left of ") {
            Side::LeftOf(self.mentioned(&place[8..], line)?)
        } else if lower.starts_with("right of ") {
            Side::RightOf(self.mentioned(&place[9..], line)?)
        } else if lower.starts_with("over ") {
            let names = &place[5..];
            let (first, last) = names.split_once(',').unwrap_or((names, names));
            let first = self.mentioned(first, line)?;
            Side::Over(first, self.mentioned(last, line)?)
        } else {
            let message =
                "write `Note left of A: text`, `Note right of A: text` or `Note over A,B: text`";
            return Err(Error::at(line, message));
        };
        let text = label(without_wrap(text));
        self.push(SequenceStep::Note(Note { side, text }))
    }

    /// `autonumber`, `autonumber 10`, `autonumber 10 5` or `autonumber off`.
    fn read_numbering(&mut self, rest: &str, line: usize) -> Result<(), Error> {
        self.numbering.is_shown = !rest.eq_ignore_ascii_case("off");
        if !self.numbering.is_shown {
            return Ok(());
        }
        let mut numbers = rest.split_whitespace().map(hundredths);
        let (start, step) = (numbers.next(), numbers.next());
        if [start, step].contains(&Some(None)) || numbers.next().is_some() {
            return Err(Error::at(
                line,
                "write `autonumber`, `autonumber START STEP` or `autonumber off`",
            ));
        }
        self.numbering.next = start.flatten().unwrap_or(self.numbering.next);
        self.numbering.step = step.flatten().unwrap_or(100);
        Ok(())
    }

    /// `A: label @ url`, or `A: {"label": "url"}`, of which the first counts.
    fn read_links(&mut self, rest: &str, line: usize) -> Result<(), Error> {
        let Some((name, target)) = rest.split_once(':') else {
            return Err(Error::at(line, "write `link A: label @ url`"));
        };
        let participant = self.mentioned(name, line)?;
        let href = if target.trim_start().starts_with('{') {
            target.split('"').nth(3)
        } else {
            target.split_once('@').map(|(_, url)| url)
        };
        self.cast.link(participant, href.unwrap_or_default().trim());
        Ok(())
    }

    fn read_message(&mut self, statement: &str, line: usize) -> Result<(), Error> {
        let Some(signal) = arrow::read(statement) else {
            return Err(unexpected(statement, line));
        };
        let from = self.mentioned(signal.from, line)?;
        let to = self.mentioned(signal.to, line)?;
        let number = self.numbering.is_shown.then(|| shown(self.numbering.next));
        self.numbering.next = self.numbering.next.saturating_add(self.numbering.step);
        self.push(SequenceStep::Message(Message {
            line: signal.line,
            tips: signal.tips,
            number,
            ..Message::new(from, to, label(without_wrap(signal.text)))
        }))?;
        match signal.suffix {
            Some('+') => self.activate(to)?,
            Some('-') => self.deactivate(from, line)?,
            _ => {}
        }
        self.end_life_lines()
    }

    fn end_life_lines(&mut self) -> Result<(), Error> {
        for participant in std::mem::take(&mut self.leaving) {
            self.push(SequenceStep::Destroy(participant))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed, Error> {
        if let Some(open) = self.open.last() {
            let message = format!("this `{}` has no `end`", open.word);
            return Err(Error::at(open.line, message));
        }
        self.end_life_lines()?;
        Ok(Parsed {
            sequence: self.cast.finish(self.steps),
            title: self.title,
        })
    }
}

fn unexpected(statement: &str, line: usize) -> Error {
    let message = format!(
        "`{}` is no statement of a sequence diagram",
        excerpt(statement)
    );
    Error::at(line, message)
}

/// Splits at the first `;` that ends a statement. One in the text of a message or at the end of an entity does not.
fn split_statement(line: &str) -> (&str, &str) {
    let mut entity_end = 0;
    for (at, c) in line.char_indices() {
        if (c == '#' || c == '&') && at >= entity_end {
            entity_end = entity_length(&line[at..]).map_or(entity_end, |length| at + length);
        }
        if c == ';' && at >= entity_end {
            let after = &line[at + 1..];
            let next = after.split(';').next().unwrap_or_default().trim();
            if next.is_empty()
                || next.starts_with("%%")
                || arrow::read(next).is_some()
                || starts_with_keyword(next)
            {
                return (&line[..at], after);
            }
        }
    }
    (line, "")
}

fn starts_with_keyword(statement: &str) -> bool {
    const KEYWORDS: [&str; 14] = [
        "participant",
        "actor",
        "note",
        "end",
        "loop",
        "alt",
        "else",
        "opt",
        "par",
        "and",
        "activate",
        "deactivate",
        "autonumber",
        "rect",
    ];
    let word = statement.split_whitespace().next().unwrap_or_default();
    KEYWORDS
        .iter()
        .any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// Without `wrap:` or `nowrap:`, which say whether long lines are broken.
fn without_wrap(text: &str) -> &str {
    let text = text.trim();
    let bare = text.strip_prefix(':').unwrap_or(text);
    let rest = bare.strip_prefix("no").unwrap_or(bare);
    rest.strip_prefix("wrap:").unwrap_or(text)
}

/// `1.5` as 150.
fn hundredths(number: &str) -> Option<u64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if decimals.len() > 2 || whole.len() > 9 || number.len() < 2 && number == "." {
        return None;
    }
    let digits = format!("{whole}{decimals:0<2}");
    digits.parse().ok()
}

/// 150 as `1.5`.
fn shown(hundredths: u64) -> String {
    let decimals = format!(".{:02}", hundredths % 100);
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("{}{decimals}", hundredths / 100)
}
