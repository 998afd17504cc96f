//! The shapes of nodes, in brackets or as `@{ shape: … }`, and the titles of subgraphs.

use super::super::cursor::{Cursor, excerpt};
use super::super::{Error, text};
use crate::{FlowNode, Shape};

/// The text between brackets.
pub(super) struct Bracketed<'a> {
    pub text: &'a str,
    /// Which of the possible ends was found.
    closer: usize,
}

/// Brackets that open a shape, longest first, with those that close it.
const BRACKETS: [(&str, &[(&str, Shape)]); 12] = [
    ("(((", &[(")))", Shape::DoubleCircle)]),
    ("((", &[("))", Shape::Circle)]),
    ("([", &[("])", Shape::Stadium)]),
    ("(", &[(")", Shape::Round)]),
    ("[[", &[("]]", Shape::Subroutine)]),
    ("[(", &[(")]", Shape::Cylinder)]),
    ("[/", &[("/]", Shape::LeanRight), ("\\]", Shape::Trapezoid)]),
    (
        "[\\",
        &[("\\]", Shape::LeanLeft), ("/]", Shape::TrapezoidFlipped)],
    ),
    ("[", &[("]", Shape::Box)]),
    ("{{", &[("}}", Shape::Hexagon)]),
    ("{", &[("}", Shape::Diamond)]),
    (">", &[("]", Shape::Flag)]),
];

/// The shape and label at the cursor. None if no bracket follows the id.
pub(super) fn read(cursor: &mut Cursor, id: &str) -> Result<Option<(Shape, String)>, Error> {
    let start = *cursor;
    cursor.skip_spaces();
    let found = BRACKETS.iter().find(|(opener, _)| {
        cursor.starts_with(opener) && (*opener != ">" || start.peek() == Some('>'))
    });
    let Some((opener, closers)) = found else {
        *cursor = start;
        return Ok(None);
    };
    cursor.take(opener.len());
    if *opener == "[" && cursor.eat("|") {
        // Properties of a node, `[|borders:lt|label]`. They have no effect in Mermaid either.
        cursor.take_while(|c| c != '|' && c != '\n');
        cursor.eat("|");
    }
    let is_ellipse = *opener == "(" && cursor.starts_with("-");
    let ends: Vec<&str> = closers.iter().map(|(closer, _)| *closer).collect();
    let bracketed = take_label(cursor, &ends, &format!("`{}`", excerpt(id)))?;
    let raw = match bracketed.text.strip_prefix('-') {
        Some(inner) if is_ellipse => inner.strip_suffix('-').unwrap_or(bracketed.text),
        _ => bracketed.text,
    };
    let shape = closers
        .get(bracketed.closer)
        .map_or(Shape::Box, |(_, shape)| *shape);
    Ok(Some((shape, text::label(raw))))
}

/// Takes a label and what closes it. Brackets in a label without quotes are an error, as in Mermaid.
pub(super) fn take_label<'a>(
    cursor: &mut Cursor<'a>,
    closers: &[&str],
    owner: &str,
) -> Result<Bracketed<'a>, Error> {
    let mut start = *cursor;
    let rest = cursor.rest();
    loop {
        if let Some(closer) = closers.iter().position(|closer| cursor.starts_with(closer)) {
            let text = &rest[..rest.len() - cursor.rest().len()];
            cursor.take(closers[closer].len());
            return Ok(Bracketed { text, closer });
        }
        match cursor.peek() {
            Some('"') => {
                if cursor.take_quoted().is_none() {
                    return Err(
                        start.error(format!("a quote in the label of {owner} is not closed"))
                    );
                }
            }
            Some(c @ ('(' | ')' | '[' | ']' | '{' | '}')) => {
                return Err(cursor.error(format!(
                    "`{c}` in the label of {owner}; put the label in quotes"
                )));
            }
            Some(_) => {
                cursor.bump();
            }
            None => {
                return Err(start.error(format!(
                    "the label of {owner} has no `{}` at its end",
                    closers.first().copied().unwrap_or_default()
                )));
            }
        }
    }
}

/// The id and title after `subgraph`. A title with blanks is no id.
pub(super) fn read_title<'a>(cursor: &mut Cursor<'a>) -> Result<(Option<&'a str>, String), Error> {
    if cursor.peek() == Some('"') {
        let Some(title) = cursor.take_quoted() else {
            return Err(cursor.error("the title of this `subgraph` has no quote at its end"));
        };
        cursor.skip_spaces();
        if !cursor.eat("[") {
            return Ok((id_from_title(title), text::label(title)));
        }
        let inner = take_label(cursor, &["]"], "the subgraph")?;
        return Ok((Some(title.trim()), text::label(inner.text)));
    }
    let before = cursor
        .take_while(|c| !matches!(c, '\n' | ';' | '[' | '"'))
        .trim();
    if cursor.eat("[") {
        let inner = take_label(cursor, &["]"], "the subgraph")?;
        let id = (!before.is_empty()).then_some(before);
        return Ok((id, text::label(inner.text)));
    }
    if let Some(c) = before
        .chars()
        .find(|c| matches!(c, '(' | ')' | ']' | '{' | '}'))
    {
        return Err(cursor.error(format!(
            "`{c}` in the title of a subgraph; put the title in quotes"
        )));
    }
    if cursor.peek() == Some('"') {
        let Some(title) = cursor.take_quoted() else {
            return Err(cursor.error("the title of this `subgraph` has no quote at its end"));
        };
        return Ok((id_from_title(before), text::label(title)));
    }
    let bare = match before.split_once("%%") {
        Some((title, _)) => title.trim(),
        None => before,
    };
    Ok((id_from_title(bare), text::label(bare)))
}

fn id_from_title(title: &str) -> Option<&str> {
    let id = title.trim();
    (!id.is_empty() && !id.contains(char::is_whitespace)).then_some(id)
}

/// Reads `@{ key: value, … }`. Values in quotes may span lines.
pub(super) fn read_properties<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<Vec<(&'a str, &'a str)>, Error> {
    let mut start = *cursor;
    cursor.eat("@{");
    let mut properties = Vec::new();
    loop {
        cursor.take_while(|c| c.is_whitespace() || c == ',');
        if cursor.eat("}") {
            return Ok(properties);
        }
        let key = match cursor.take_quoted() {
            Some(quoted) => quoted,
            None => cursor
                .take_while(|c| !matches!(c, ':' | ',' | '}' | '\n'))
                .trim(),
        };
        cursor.skip_spaces();
        let value = if cursor.eat(":") {
            cursor.skip_spaces();
            match cursor.take_quoted() {
                Some(quoted) => quoted,
                None => cursor.take_while(|c| !matches!(c, ',' | '}' | '\n')).trim(),
            }
        } else {
            ""
        };
        properties.push((key, value));
        let continues = cursor
            .peek()
            .is_some_and(|c| c.is_whitespace() || c == ',' || c == '}');
        if !continues {
            return Err(start.error("`@{` without a `}`"));
        }
    }
}

pub(super) fn apply_properties(
    properties: &[(&str, &str)],
    node: &mut FlowNode,
    line: usize,
) -> Result<(), Error> {
    for (key, value) in properties {
        match *key {
            "label" => node.label = text::label(text::between(value, '\'').unwrap_or(value)),
            "shape" => {
                let name = value.trim_matches('\'');
                let Some(shape) = shape_named(name) else {
                    let message = format!("`{}` is no shape of Mermaid", excerpt(name));
                    return Err(Error::at(line, message));
                };
                node.shape = shape;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The nearest of our shapes.
fn shape_named(name: &str) -> Option<Shape> {
    Some(match name {
        "rect" | "proc" | "process" | "rectangle" | "square" | "squareRect" | "div-rect"
        | "div-proc" | "divided-rectangle" | "divided-process" | "win-pane" | "window-pane"
        | "internal-storage" | "sl-rect" | "manual-input" | "sloped-rectangle" | "st-rect"
        | "procs" | "processes" | "stacked-rectangle" | "tag-rect" | "tagged-rectangle"
        | "tag-proc" | "tagged-process" | "notch-rect" | "card" | "notched-rectangle"
        | "bow-rect" | "stored-data" | "bow-tie-rectangle" | "icon" | "image" | "labelRect"
        | "bang" => Shape::Box,
        "rounded" | "event" | "round" | "roundedRect" | "ellipse" | "cloud" => Shape::Round,
        "stadium"
        | "terminal"
        | "pill"
        | "delay"
        | "half-rounded-rectangle"
        | "curv-trap"
        | "curved-trapezoid"
        | "display" => Shape::Stadium,
        "fr-rect" | "subprocess" | "subproc" | "framed-rectangle" | "subroutine" | "lin-rect"
        | "lined-rectangle" | "lined-process" | "lin-proc" | "shaded-process" => Shape::Subroutine,
        "cyl"
        | "db"
        | "database"
        | "cylinder"
        | "h-cyl"
        | "das"
        | "horizontal-cylinder"
        | "lin-cyl"
        | "disk"
        | "lined-cylinder"
        | "datastore"
        | "data-store" => Shape::Cylinder,
        "circle" | "circ" | "cross-circ" | "summary" | "crossed-circle" => Shape::Circle,
        "dbl-circ" | "double-circle" | "doublecircle" => Shape::DoubleCircle,
        "diam" | "decision" | "diamond" | "question" | "hourglass" | "collate" | "bolt"
        | "com-link" | "lightning-bolt" => Shape::Diamond,
        "hex" | "hexagon" | "prepare" => Shape::Hexagon,
        "lean-r" | "lean-right" | "lean_right" | "in-out" => Shape::LeanRight,
        "lean-l" | "lean-left" | "lean_left" | "out-in" => Shape::LeanLeft,
        "trap-b" | "priority" | "trapezoid-bottom" | "trapezoid" | "tri" | "extract"
        | "triangle" | "notch-pent" | "loop-limit" | "notched-pentagon" => Shape::Trapezoid,
        "trap-t" | "manual" | "trapezoid-top" | "inv-trapezoid" | "inv_trapezoid" | "flip-tri"
        | "manual-file" | "flipped-triangle" => Shape::TrapezoidFlipped,
        "odd" | "flag" | "paper-tape" | "rect_left_inv_arrow" => Shape::Flag,
        "text" | "brace" | "comment" | "brace-l" | "brace-r" | "braces" => Shape::Bare,
        "doc" | "document" | "docs" | "documents" | "st-doc" | "stacked-document" | "lin-doc"
        | "lined-document" | "tag-doc" | "tagged-document" | "note" => Shape::Note,
        "sm-circ" | "start" | "small-circle" | "f-circ" | "junction" | "filled-circle" => {
            Shape::Start
        }
        "fr-circ" | "stop" | "framed-circle" => Shape::End,
        "fork" | "join" => Shape::Bar,
        _ => return None,
    })
}
