//! Any input gives a diagram or an error, soon, and what it gives holds together.

use base::steps::counted;

use super::super::{Authored, MOST_BYTES, parse};
use crate::{DiagramBody, Port, SequenceStep, Side};

const SEEDS: [&str; 6] = [
    "flowchart TD\n  A([Start]) -->|go| B{Ready?}\n  subgraph one [One]\n    B -- yes --> C[(Store)]\n    C -.-> D\n  end\n  B ==> E[[Done]]\n  style E fill:#bbf7d0\n  classDef bad stroke:#b91c1c,stroke-dasharray: 5 5\n  class D bad\n  one --> F@{ shape: cyl, label: \"x\" }\n click A \"u\"\n linkStyle 0 stroke:red\n",
    "sequenceDiagram\n  autonumber\n  actor A as Ann\n  box red Team\n participant B\n end\n  A->>+B: hello\n  Note over A,B: both\n  loop each day\n    B-->>A: yes\n  end\n  alt up\n    A->>B: one\n  else down\n    A-xB: two\n  end\n  rect rgb(200, 220, 255)\n    B->>B: self\n  end\n  B-->>-A: bye\n destroy B\n A->>B: x\n",
    "stateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy : work\n  state Busy {\n    [*] --> Deep\n    --\n x:::c\n  }\n  state c <<choice>>\n  Busy --> c\n  c --> [*]\n  note right of Idle\n    waits\n  end note\n state \"t\" as u\n",
    "classDiagram\n  class Source~T~ {\n    <<interface>>\n    +String name\n    +read(path) Facts\n  }\n  Source <|.. Flux\n  Flux \"1\" *-- \"many\" Unit : owns\n  note for Flux \"reconciles\"\n namespace N {\n class M\n }\n bar ()-- foo\n",
    "erDiagram\n  A ||--o{ B : \"depends on\"\n  A {\n    string id PK \"unique\"\n    int size\n  }\n C one or more optionally to many D : x\n p[Person]\n",
    "---\ntitle: x\n---\n%%{init: {}}%%\nflowchart LR\n accDescr {\n a\n }\n a & b --> c & d\n",
];

const SCRAPS: [&str; 36] = [
    "",
    "\n",
    "end\n",
    "-->",
    "[",
    "}",
    "{",
    "]",
    "(",
    ")",
    "\"",
    "`",
    "999999999",
    "<script>",
    "&#0;",
    "é🙂",
    "%%{",
    "}%%",
    ":::a",
    "---\n",
    "\u{202e}\u{7}",
    "--",
    "|",
    ";",
    ":",
    "@{",
    "~",
    "<<",
    ">>",
    "subgraph x\n",
    "state y {\n",
    "[*]",
    "#",
    "\u{feff}",
    "-.",
    "=",
];

/// A small generator of numbers: the same ones every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

fn assert_sound(authored: &Authored) {
    match &authored.diagram.body {
        DiagramBody::Flow(flow) => {
            let is_port = |port: Port| match port {
                Port::Node(at) => at < flow.nodes.len(),
                Port::Group(at) => at < flow.groups.len(),
            };
            assert!(
                flow.edges
                    .iter()
                    .all(|edge| is_port(edge.from) && is_port(edge.to))
            );
            let groups = flow.nodes.iter().filter_map(|node| node.group);
            assert!(
                groups
                    .chain(flow.groups.iter().filter_map(|group| group.parent))
                    .all(|at| at < flow.groups.len())
            );
            for at in 0..flow.groups.len() {
                let chain = std::iter::successors(Some(at), |at| flow.groups[*at].parent);
                assert!(chain.take(40).count() < 40, "a cycle of groups");
            }
            assert!(flow.fits() && flow.groups.len() <= 300);
        }
        DiagramBody::Sequence(sequence) => {
            let count = sequence.participants.len();
            let mut depth = 0_usize;
            for step in &sequence.steps {
                match step {
                    SequenceStep::Open { .. } => depth += 1,
                    SequenceStep::Close => depth = depth.checked_sub(1).unwrap(),
                    SequenceStep::Next { .. } => assert!(depth > 0),
                    SequenceStep::Message(message) => assert!(message.from.max(message.to) < count),
                    SequenceStep::Note(note) => match note.side {
                        Side::LeftOf(at) | Side::RightOf(at) => assert!(at < count),
                        Side::Over(first, last) => assert!(first.max(last) < count),
                    },
                    SequenceStep::Activate(at)
                    | SequenceStep::Deactivate(at)
                    | SequenceStep::Destroy(at) => {
                        assert!(*at < count)
                    }
                }
            }
            assert_eq!(depth, 0);
            assert!(
                sequence
                    .boxes
                    .iter()
                    .all(|frame| frame.first <= frame.last && frame.last < count)
            );
        }
    }
}

#[test]
fn a_damaged_diagram_is_read_or_refused() {
    for seed in SEEDS {
        assert_sound(&parse(seed).unwrap());
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for _ in 0..6_000 {
        let mut source: Vec<char> = SEEDS[dice.below(SEEDS.len())].chars().collect();
        for _ in 0..=dice.below(4) {
            let start = dice.below(source.len() + 1);
            let end = (start + dice.below(12)).min(source.len());
            source.splice(start..end, SCRAPS[dice.below(SCRAPS.len())].chars());
        }
        let source: String = source.into_iter().collect();
        match parse(&source) {
            Ok(authored) => {
                assert_sound(&authored);
                accepted += 1;
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{source}: {error}"),
        }
    }
    assert!(accepted > 500, "{accepted}");
}

#[test]
fn random_characters_are_read_or_refused() {
    let mut dice = Dice(42);
    for kind in [
        "graph TD\n",
        "sequenceDiagram\n",
        "stateDiagram\n",
        "erDiagram\n",
        "classDiagram\n",
        "",
    ] {
        for _ in 0..800 {
            let mut source = String::from(kind);
            for _ in 0..dice.below(60) {
                if dice.below(3) == 0 {
                    source.push_str(SCRAPS[dice.below(SCRAPS.len())]);
                } else if let Some(c) = char::from_u32(dice.below(0x180) as u32) {
                    source.push(c);
                }
            }
            if let Ok(authored) = parse(&source) {
                assert_sound(&authored);
            }
        }
    }
}

#[test]
fn the_largest_source_takes_little_more_than_twice_the_steps_of_half_of_it() {
    let kinds = [
        "flowchart TD\n",
        "sequenceDiagram\n",
        "stateDiagram\n",
        "erDiagram\n",
        "classDiagram\n",
    ];
    for kind in kinds {
        for scrap in SCRAPS.iter().chain(&[
            "a-->b\n",
            "a & ",
            "a --",
            "a -.",
            "a[",
            "%%{ ",
            "#a",
            "<b",
            "a;",
            "a->>b: x;",
            "A~",
            "\"a",
            "a\n\n",
            "a@{x:y ",
            "&amp;",
            "accDescr {\n",
            "a:::",
            "x{ a b }\n",
            "note right of a\n",
            "class a {\n",
            "a,",
            "click a \"b\n",
            "style a fill:#f;",
        ]) {
            if scrap.is_empty() {
                continue;
            }
            let source = |bytes: usize| {
                let count = (bytes - kind.len()) / scrap.len();
                format!("{kind}{}", scrap.repeat(count))
            };
            let steps = |source: &str| {
                counted(|| {
                    if let Ok(authored) = parse(source) {
                        assert_sound(&authored);
                    }
                })
            };
            let half = steps(&source(MOST_BYTES / 2));
            let whole = steps(&source(MOST_BYTES));
            let most = half * 5 / 2 + 1_000;
            assert!(whole <= most, "{kind}{scrap}: {half} and {whole} steps");
        }
    }
}

#[test]
fn the_same_source_gives_the_same_diagram() {
    for seed in SEEDS {
        assert_eq!(parse(seed), parse(seed));
    }
}
