//! The participants of a sequence, in the order of their first mention, and the boxes around them.

use std::collections::HashMap;

use super::super::{Error, MOST_NODES, check_count, text};
use crate::{
    Message, Note, Participant, ParticipantBox, ParticipantRole, Sequence, SequenceStep, Side, Tint,
};

#[derive(Default)]
pub(super) struct Cast {
    members: Vec<Member>,
    ids: HashMap<String, usize>,
    boxes: Vec<OpenBox>,
    is_in_box: bool,
}

struct Member {
    id: String,
    participant: Participant,
    in_box: Option<usize>,
    /// Number of open bars on its life line.
    active: usize,
}

struct OpenBox {
    label: String,
    tint: Option<Tint>,
    members: Vec<usize>,
}

impl Cast {
    /// `A`, `A as Label`, or `A@{ "type": "actor" } as Label`.
    pub fn declare(&mut self, rest: &str, role: ParticipantRole, line: usize) -> Result<(), Error> {
        let (head, properties, tail) = split_properties(rest);
        let (name, alias) = match properties {
            Some(_) => (head, tail.trim().strip_prefix("as ")),
            None => match find_as(head) {
                Some(at) => (&head[..at], Some(head[at..].trim_start()[2..].trim())),
                None => (head, None),
            },
        };
        let member = self.mention(name, line)?;
        let participant = &mut self.members[member].participant;
        participant.role = match property(properties, "type") {
            Some("actor") => ParticipantRole::Actor,
            Some(_) => ParticipantRole::System,
            None => role,
        };
        if let Some(label) = alias.or_else(|| property(properties, "alias")) {
            participant.label = text::label(super::without_wrap(label));
        }
        self.put_in_box(member, line)
    }

    /// The participant with this id, added when it is first mentioned.
    pub fn mention(&mut self, name: &str, line: usize) -> Result<usize, Error> {
        let id = name.trim();
        let id = text::between(id, '"').unwrap_or(id).trim();
        if id.is_empty() {
            return Err(Error::at(line, "expected the name of a participant"));
        }
        if let Some(found) = self.ids.get(id) {
            return Ok(*found);
        }
        check_count("participants", self.members.len() + 1, MOST_NODES)?;
        self.ids.insert(id.to_owned(), self.members.len());
        self.members.push(Member {
            id: id.to_owned(),
            participant: Participant::new(text::label(id)),
            in_box: None,
            active: 0,
        });
        Ok(self.members.len() - 1)
    }

    pub fn name(&self, member: usize) -> &str {
        &self.members[member].id
    }

    pub fn link(&mut self, member: usize, href: &str) {
        let known = &mut self.members[member].participant.href;
        if known.is_none() && !href.is_empty() {
            *known = Some(href.to_owned());
        }
    }

    pub fn activate(&mut self, member: usize) {
        self.members[member].active += 1;
    }

    /// False if it was not active.
    pub fn deactivate(&mut self, member: usize) -> bool {
        let active = &mut self.members[member].active;
        let was_active = *active > 0;
        *active = active.saturating_sub(1);
        was_active
    }

    pub fn open_box(&mut self, label: String, tint: Option<Tint>) {
        self.is_in_box = true;
        self.boxes.push(OpenBox {
            label,
            tint,
            members: Vec::new(),
        });
    }

    pub fn close_box(&mut self) {
        self.is_in_box = false;
    }

    fn put_in_box(&mut self, member: usize, line: usize) -> Result<(), Error> {
        let Some(current) = self.boxes.len().checked_sub(1).filter(|_| self.is_in_box) else {
            return Ok(());
        };
        match self.members[member].in_box {
            None => {
                self.members[member].in_box = Some(current);
                self.boxes[current].members.push(member);
                Ok(())
            }
            Some(known) if known == current => Ok(()),
            Some(_) => Err(Error::at(
                line,
                "this participant is in another `box` already",
            )),
        }
    }

    /// The sequence, with the members of every box side by side.
    pub fn finish(self, steps: Vec<SequenceStep>) -> Sequence {
        let mut order = Vec::with_capacity(self.members.len());
        let mut boxes = Vec::new();
        let mut is_boxed = vec![false; self.boxes.len()];
        for (at, member) in self.members.iter().enumerate() {
            let Some(in_box) = member.in_box else {
                order.push(at);
                continue;
            };
            if is_boxed[in_box] {
                continue;
            }
            is_boxed[in_box] = true;
            let frame = &self.boxes[in_box];
            boxes.push(ParticipantBox {
                label: frame.label.clone(),
                first: order.len(),
                last: order.len() + frame.members.len() - 1,
                tint: frame.tint,
            });
            order.extend(&frame.members);
        }
        let mut place = vec![0; order.len()];
        for (to, from) in order.iter().enumerate() {
            place[*from] = to;
        }
        let participants = order.iter().map(|at| self.members[*at].participant.clone());
        Sequence {
            participants: participants.collect(),
            boxes,
            steps: steps.into_iter().map(|step| moved(step, &place)).collect(),
        }
    }
}

/// The step with every participant at the new place.
fn moved(step: SequenceStep, place: &[usize]) -> SequenceStep {
    match step {
        SequenceStep::Message(message) => SequenceStep::Message(Message {
            from: place[message.from],
            to: place[message.to],
            ..message
        }),
        SequenceStep::Note(note) => {
            let side = match note.side {
                Side::LeftOf(at) => Side::LeftOf(place[at]),
                Side::RightOf(at) => Side::RightOf(place[at]),
                Side::Over(first, last) => Side::Over(place[first], place[last]),
            };
            SequenceStep::Note(Note { side, ..note })
        }
        SequenceStep::Activate(at) => SequenceStep::Activate(place[at]),
        SequenceStep::Deactivate(at) => SequenceStep::Deactivate(place[at]),
        SequenceStep::Destroy(at) => SequenceStep::Destroy(place[at]),
        SequenceStep::Open { .. } | SequenceStep::Next { .. } | SequenceStep::Close => step,
    }
}

/// The text before, in and after `@{ … }`.
fn split_properties(text: &str) -> (&str, Option<&str>, &str) {
    let parts = text.split_once("@{").and_then(|(head, rest)| {
        let (properties, tail) = rest.split_once('}')?;
        Some((head, Some(properties), tail))
    });
    parts.unwrap_or((text, None, ""))
}

/// The value of `"key": "value"`.
fn property<'a>(properties: Option<&'a str>, key: &str) -> Option<&'a str> {
    let mut pairs = properties?
        .split(',')
        .filter_map(|pair| pair.split_once(':'));
    let (_, value) = pairs.find(|(name, _)| name.trim().trim_matches(['"', '\'']) == key)?;
    Some(value.trim().trim_matches(['"', '\'']))
}

/// The offset of ` as `.
fn find_as(text: &str) -> Option<usize> {
    text.match_indices(char::is_whitespace)
        .map(|(at, _)| at)
        .find(|at| {
            let word = text[*at..].trim_start();
            let mut letters = word.bytes();
            let is_as = letters
                .next()
                .is_some_and(|b| b.eq_ignore_ascii_case(&b'a'))
                && letters
                    .next()
                    .is_some_and(|b| b.eq_ignore_ascii_case(&b's'));
            is_as && word[2..].starts_with(char::is_whitespace)
        })
}
