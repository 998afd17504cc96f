//! Sequence diagrams: participants side by side, and messages from top to bottom. Plain data.

use super::{Line, Tint, Tip};

/// Messages between participants, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    pub participants: Vec<Participant>,
    /// Boxes around adjacent participants.
    pub boxes: Vec<ParticipantBox>,
    pub steps: Vec<SequenceStep>,
}

/// A participant of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub label: String,
    pub href: Option<String>,
    pub role: ParticipantRole,
}

impl Participant {
    pub fn new(label: impl Into<String>) -> Participant {
        Participant {
            label: label.into(),
            href: None,
            role: ParticipantRole::System,
        }
    }
}

/// How a participant is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticipantRole {
    /// A box.
    System,
    /// A figure of a person.
    Actor,
}

/// A box around the participants from `first` to `last`, inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticipantBox {
    pub label: String,
    pub first: usize,
    pub last: usize,
    pub tint: Option<Tint>,
}

/// A step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceStep {
    Message(Message),
    Note(Note),
    /// A frame begins: `label` is its kind, such as `loop`, and `text` its condition.
    Open {
        kind: FrameKind,
        text: String,
    },
    /// The next part of the innermost frame, with its condition.
    Next {
        text: String,
    },
    /// The innermost frame ends.
    Close,
    /// A bar on a participant's life line begins or ends.
    Activate(usize),
    Deactivate(usize),
    /// The life line of a participant ends.
    Destroy(usize),
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    Loop,
    Alt,
    Opt,
    Par,
    Critical,
    Break,
    /// A coloured area without a name.
    Rect(Option<Tint>),
}

/// A note beside or over participants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub side: Side,
    pub text: String,
}

/// The position of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    LeftOf(usize),
    RightOf(usize),
    /// From one participant to another, which may be the same.
    Over(usize, usize),
}

/// A message from one participant to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub text: String,
    /// `Line::Dashed` for a reply.
    pub line: Line,
    pub tips: [Tip; 2],
    /// Shown before the text.
    pub number: Option<String>,
}

impl Message {
    /// A call.
    pub fn new(from: usize, to: usize, text: impl Into<String>) -> Message {
        Message {
            from,
            to,
            text: text.into(),
            line: Line::Solid,
            tips: [Tip::None, Tip::Arrow],
            number: None,
        }
    }
}
