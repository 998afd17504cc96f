//! The layout of one scope: its frame, and the gates on its border through which lines pass.

use std::collections::BTreeMap;

use super::super::{Direction, FlowAuthor};
use super::block::{BOLD, DETAIL};
use super::curve::Point;
use super::glyph;
use super::layered::Plan;
use super::place::{Laid, LayerItem, LayerLink, Pin, Spot, lay};

/// The layout of a scope, with its gates.
pub struct Inside {
    pub laid: Laid,
    pub direction: Direction,
    /// Offset of the members within the frame.
    pub shift: Point,
    pub size: Point,
    /// By edge, its route between two members.
    pub edges: BTreeMap<usize, usize>,
    /// By vertex at the end of a line: the route to its gate on the near and on the far border.
    pub entries: BTreeMap<usize, usize>,
    pub exits: BTreeMap<usize, usize>,
}

/// The lines of a scope besides its members: by index of edges, and by the vertices at their ends.
#[derive(Clone, Default)]
pub struct ScopeLines {
    pub within: Vec<usize>,
    pub entering: Vec<usize>,
    pub leaving: Vec<usize>,
}

/// Padding around the members of a frame, and the strip for its name.
const SIDE: f64 = 16.0;
const BOTTOM: f64 = 14.0;
const STRIP: f64 = 28.0;
/// Maximum width of a name that widens a generated frame.
const WIDEST_NAME: f64 = 220.0;

/// A scope while its layout is computed.
struct Draft<'a> {
    place: BTreeMap<usize, usize>,
    items: Vec<LayerItem>,
    links: Vec<LayerLink>,
    hints: &'a [f64],
    hint: Vec<f64>,
}

impl Plan<'_> {
    /// Lays out a scope after its inner scopes.
    pub fn inside(&self, scope: usize, insides: &[Option<Inside>], hints: &[f64]) -> Inside {
        let direction = self.tree.directions[scope];
        let members = &self.tree.members[scope];
        let item = |vertex: &usize| self.item(*vertex, insides, direction);
        let mut draft = Draft {
            place: members
                .iter()
                .enumerate()
                .map(|(at, vertex)| (*vertex, at))
                .collect(),
            items: members.iter().map(item).collect(),
            links: Vec::new(),
            hints,
            hint: members.iter().map(|vertex| hints[*vertex]).collect(),
        };
        let lines = &self.lines[scope];
        let mut edges = BTreeMap::new();
        for &edge in &lines.within {
            let (span, from, to) = self.downward(edge);
            edges.insert(edge, draft.links.len());
            draft.links.push(LayerLink {
                from: draft.place[&span.from],
                to: draft.place[&span.to],
                leaves: self.gate(insides, span.from, from, LineEnd::Last),
                enters: self.gate(insides, span.to, to, LineEnd::First),
                labels: self.label_rooms(edge, direction),
            });
        }
        let entries = self.gates(&mut draft, insides, &lines.entering, LineEnd::First);
        let exits = self.gates(&mut draft, insides, &lines.leaving, LineEnd::Last);
        let titled = self.title(scope, direction, &entries, &exits);
        if let Some(title) = titled {
            draft.items.push(title);
            draft.hint.push(0.0);
        }
        let room = self.room(direction) - 2.0 * SIDE * self.tree.depth(scope) as f64;
        let laid = match scope {
            0 => self.narrow(&draft.items, &draft.links, &draft.hint),
            _ => lay(&draft.items, &draft.links, &draft.hint, room),
        };
        let inner = turned_back(laid.size, direction);
        let (shift, size) = match scope.checked_sub(1) {
            Some(group) => self.padded(group, inner, titled),
            None => (Point::default(), inner),
        };
        Inside {
            laid,
            direction,
            shift,
            size,
            edges,
            entries,
            exits,
        }
    }

    /// Adds a gate for each vertex whose lines cross the border, and a link between the two; returns the links by
    /// vertex.
    fn gates(
        &self,
        draft: &mut Draft<'_>,
        insides: &[Option<Inside>],
        ends: &[usize],
        end: LineEnd,
    ) -> BTreeMap<usize, usize> {
        let mut found = BTreeMap::new();
        for &vertex in ends {
            if found.contains_key(&vertex) {
                continue;
            }
            found.insert(vertex, draft.links.len());
            let member = self.member_around(vertex, &draft.place);
            let (gate, member_at) = (draft.items.len(), draft.place[&member]);
            let no_labels = [None; 3];
            draft.links.push(match end {
                LineEnd::First => LayerLink {
                    from: gate,
                    to: member_at,
                    leaves: Some(0.0),
                    enters: self.gate(insides, member, vertex, LineEnd::First),
                    labels: no_labels,
                },
                LineEnd::Last => LayerLink {
                    from: member_at,
                    to: gate,
                    leaves: self.gate(insides, member, vertex, LineEnd::Last),
                    enters: Some(0.0),
                    labels: no_labels,
                },
            });
            draft.items.push(LayerItem::gate(match end {
                LineEnd::First => Pin::First,
                LineEnd::Last => Pin::Last,
            }));
            draft.hint.push(draft.hints[vertex]);
        }
        found
    }

    /// The member of a scope that is a vertex, or contains it.
    fn member_around(&self, vertex: usize, place: &BTreeMap<usize, usize>) -> usize {
        let mut member = vertex;
        while !place.contains_key(&member) {
            member = self.tree.vertex_of(self.tree.scope_of[member]);
        }
        member
    }

    /// Offset of a vertex's gate on the border of a frame; `None` if the line ends at the member itself.
    fn gate(
        &self,
        insides: &[Option<Inside>],
        member: usize,
        vertex: usize,
        end: LineEnd,
    ) -> Option<f64> {
        let scope = self
            .tree
            .scope_within(member)
            .filter(|_| member != vertex)?;
        let inside = insides[scope].as_ref()?;
        let (gates, at_last) = match end {
            LineEnd::First => (&inside.entries, false),
            LineEnd::Last => (&inside.exits, true),
        };
        let points = &inside.laid.routes[*gates.get(&vertex)?].points;
        let spot = if at_last {
            points.last()
        } else {
            points.first()
        }?;
        let shift = turned(inside.shift, inside.direction);
        let size = turned(inside.size, inside.direction);
        Some(spot.across + shift.across - size.across / 2.0)
    }

    /// The name of a frame as an item, if lines cross the border beside it.
    fn title(
        &self,
        scope: usize,
        direction: Direction,
        entries: &BTreeMap<usize, usize>,
        exits: &BTreeMap<usize, usize>,
    ) -> Option<LayerItem> {
        let group = scope.checked_sub(1)?;
        let pin = match direction {
            Direction::Down if !entries.is_empty() => Pin::FirstTitle,
            Direction::Up if !exits.is_empty() => Pin::LastTitle,
            _ => return None,
        };
        let across = self.name_width(group)?;
        Some(LayerItem {
            across,
            along: STRIP - 10.0,
            body: 0.0,
            side: 0.0,
            step: 0.0,
            pin,
        })
    }

    /// Width of a frame's name; `None` if it has none.
    fn name_width(&self, group: usize) -> Option<f64> {
        let label = glyph::clean(&self.flow.groups[group].label);
        let whole = glyph::width(&label, DETAIL) * BOLD;
        let shown = match self.flow.origin {
            FlowAuthor::Generated => whole.min(WIDEST_NAME),
            FlowAuthor::Authored => whole,
        };
        (!label.is_empty()).then_some(shown)
    }

    /// The offset of the members within the frame of a group, and its size.
    fn padded(&self, group: usize, inner: Point, title: Option<LayerItem>) -> (Point, Point) {
        let name = self.name_width(group);
        let wide = (inner.x + 2.0 * SIDE).max(name.map_or(0.0, |name| name + 26.0));
        // Without members there is only the name.
        let inner_high = inner.y.max(6.0);
        let strip = match name {
            Some(_) if title.is_some() => 8.0,
            Some(_) => STRIP,
            None => BOTTOM,
        };
        let size = Point {
            x: wide.max(40.0),
            y: inner_high + strip + BOTTOM,
        };
        // A title among the members is at the left, where the frame's name is written.
        let x = match title {
            Some(_) => SIDE,
            None => (size.x - inner.x) / 2.0,
        };
        (Point { x, y: strip }, size)
    }
}

#[derive(Clone, Copy)]
pub enum LineEnd {
    First,
    Last,
}

/// A size across and along a direction.
pub fn turned(size: Point, direction: Direction) -> Spot {
    match direction {
        Direction::Down | Direction::Up => Spot {
            across: size.x,
            along: size.y,
        },
        Direction::Right | Direction::Left => Spot {
            across: size.y,
            along: size.x,
        },
    }
}

/// The reverse of [`turned`].
pub fn turned_back(size: Spot, direction: Direction) -> Point {
    match direction {
        Direction::Down | Direction::Up => Point {
            x: size.across,
            y: size.along,
        },
        Direction::Right | Direction::Left => Point {
            x: size.along,
            y: size.across,
        },
    }
}

impl Inside {
    /// Converts a position among the members to a point of the picture.
    pub fn point(&self, spot: Spot, corner: Point) -> Point {
        let along = match self.direction {
            Direction::Down | Direction::Right => spot.along,
            Direction::Up | Direction::Left => self.laid.size.along - spot.along,
        };
        let at = turned_back(Spot { along, ..spot }, self.direction);
        Point {
            x: corner.x + self.shift.x + at.x,
            y: corner.y + self.shift.y + at.y,
        }
    }
}
