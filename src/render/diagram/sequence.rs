//! Who says what to whom: participants side by side, their life lines, and messages from top to
//! bottom with their text above the arrow.

use super::curve::{Point, bend, straight};
use super::scene::{Block, EDGES, Links, Tag, write_block, write_path, write_tag};
use super::{Class, Message, Node, Reply, Sequence};

/// Room on each side of a text between two life lines.
const AIR: f64 = 14.0;
const LOOP: f64 = 34.0;

/// The size, the drawing, and whether it has links.
pub fn draw(sequence: &Sequence) -> (Point, String, Links) {
    let count = sequence.participants.len();
    let room = (860.0 / count.max(1) as f64 - 2.0 * AIR).clamp(84.0, 170.0);
    let heads: Vec<Block> = sequence
        .participants
        .iter()
        .map(|who| {
            let (label, href) = (who.label.clone(), who.href.clone());
            let node = Node {
                label,
                detail: None,
                href,
                class: Class::Component,
                group: None,
            };
            Block::new(&node, room.min(120.0))
        })
        .collect();
    let heard = |message: &&Message| message.from.max(message.to) < count;
    let messages: Vec<(&Message, Tag)> = sequence
        .messages
        .iter()
        .filter(heard)
        .map(|message| {
            (
                message,
                Tag::new(&message.text, room * span(message).min(2.0)),
            )
        })
        .collect();
    let (lines, right) = life_lines(&heads, &messages);
    let head = heads.iter().map(|head| head.size.y).fold(0.0, f64::max);
    let mut said = String::new();
    let mut y = head + 12.0;
    let mut tags = String::new();
    for (message, tag) in &messages {
        y = say(&mut said, &mut tags, message, tag, &lines, y);
    }
    let bottom = y + 16.0;
    // On a long page the names at the top are out of sight.
    let twice = messages.len() > 12;
    let mut out = String::from("<g class=\"d-lives\">\n");
    for (x, block) in lines.iter().zip(&heads) {
        let top = head / 2.0 + block.size.y / 2.0;
        write_path(&mut out, "d-life", &straight(*x, top, 'V', bottom), None);
    }
    out.push_str("</g>\n");
    out.push_str(EDGES);
    out.push_str(&said);
    out.push_str("</g>\n");
    out.push_str(&tags);
    for (x, block) in lines.iter().zip(&heads) {
        write_block(
            &mut out,
            Point {
                x: *x,
                y: head / 2.0,
            },
            block,
        );
        if twice {
            write_block(
                &mut out,
                Point {
                    x: *x,
                    y: bottom + head / 2.0,
                },
                block,
            );
        }
    }
    let links = if heads.iter().any(Block::linked) {
        Links::Some
    } else {
        Links::None
    };
    let high = if count == 0 {
        0.0
    } else {
        bottom + if twice { head } else { 0.0 }
    };
    (Point { x: right, y: high }, out, links)
}

fn span(message: &Message) -> f64 {
    message.from.abs_diff(message.to).max(1) as f64
}

/// Where each life line is, and the right edge: wide enough for names and for texts.
fn life_lines(heads: &[Block], messages: &[(&Message, Tag)]) -> (Vec<f64>, f64) {
    let half = |at: usize| heads[at].size.x / 2.0;
    let mut gaps: Vec<f64> = (1..heads.len())
        .map(|at| half(at - 1) + half(at) + 20.0)
        .collect();
    let mut beyond = heads.last().map_or(0.0, |head| head.size.x / 2.0);
    let mut long: Vec<(usize, usize, f64)> = Vec::new();
    for (message, tag) in messages {
        let (first, last) = (message.from.min(message.to), message.from.max(message.to));
        let need = tag.size.x + 2.0 * AIR;
        match last - first {
            0 if last + 1 == heads.len() => beyond = beyond.max(need + LOOP),
            0 => gaps[first] = gaps[first].max(need + LOOP),
            1 => gaps[first] = gaps[first].max(need),
            _ => long.push((first, last, need)),
        }
    }
    // What spans several gaps seldom needs more than they have together.
    for (first, last, need) in long {
        let have: f64 = gaps[first..last].iter().take(64).sum();
        if have < need {
            let more = (need - have) / (last - first) as f64;
            gaps[first..last].iter_mut().for_each(|gap| *gap += more);
        }
    }
    let mut x = heads.first().map_or(0.0, |head| head.size.x / 2.0);
    let mut lines = Vec::with_capacity(heads.len());
    for at in 0..heads.len() {
        lines.push(x);
        x += gaps.get(at).copied().unwrap_or(beyond);
    }
    (lines, x)
}

/// Draws one message below `y`; where the next one starts.
fn say(
    out: &mut String,
    tags: &mut String,
    message: &Message,
    tag: &Tag,
    lines: &[f64],
    y: f64,
) -> f64 {
    let class = match message.reply {
        Reply::No => "d-edge",
        Reply::Yes => "d-edge d-dashed",
    };
    let silent = tag.lines.iter().all(String::is_empty);
    let (from, to) = (lines[message.from], lines[message.to]);
    if message.from == message.to {
        let high = tag.size.y.max(22.0);
        let (top, low) = (y + 6.0, y + 6.0 + high);
        let point = |x: f64, y: f64| Point { x, y };
        let far = from + LOOP * 1.25;
        let path = bend(
            point(from, top),
            point(far, top),
            point(far, low),
            point(from, low),
        );
        write_path(out, class, &path, None);
        if !silent {
            let x = from + LOOP + AIR / 2.0 + tag.size.x / 2.0;
            write_tag(tags, point(x, (top + low) / 2.0), tag, "d-label");
        }
        return low + 13.0;
    }
    let line = y + tag.size.y + 6.0;
    if !silent {
        let middle = Point {
            x: (from + to) / 2.0,
            y: y + 2.0 + tag.size.y / 2.0,
        };
        write_tag(tags, middle, tag, "d-label");
    }
    write_path(out, class, &straight(from, line, 'H', to), None);
    line + 11.0
}
