//! `subgraph … end`, and the direction within.

use super::super::graph::direction_named;
use super::super::{Error, MOST_LEVELS, check_count};
use super::word::is_class_char;
use super::{FlowchartParser, Subgraph, shape};

impl FlowchartParser<'_> {
    pub(super) fn open_subgraph(&mut self) -> Result<(), Error> {
        let line = self.cursor.line();
        check_count("levels of groups", self.open.len() + 1, MOST_LEVELS)?;
        self.cursor.skip_spaces();
        let (id, label) = shape::read_title(&mut self.cursor)?;
        let frame = match id {
            Some(id) => self.graph.frame(id, label),
            None => self.graph.nameless_frame(label),
        };
        if self.open.iter().any(|around| around.frame == frame) {
            return Err(Error::at(
                line,
                "this `subgraph` is inside one with the same id",
            ));
        }
        if let Some(id) = id.filter(|_| self.cursor.eat(":::")) {
            let class = self.cursor.take_while(is_class_char);
            self.graph.add_class(id, class);
        }
        self.open.push(Subgraph {
            frame,
            line,
            mentioned: Vec::new(),
        });
        Ok(())
    }

    pub(super) fn close_subgraph(&mut self) -> Result<(), Error> {
        let Some(subgraph) = self.open.pop() else {
            return Err(self.cursor.error("`end` without a `subgraph`"));
        };
        for vertex in subgraph.mentioned {
            let group = &mut self.graph.node(vertex).group;
            group.get_or_insert(subgraph.frame);
        }
        if let Some(around) = self.open.last() {
            self.graph.nest(subgraph.frame, around.frame);
        }
        Ok(())
    }

    /// False if it is no statement but a node called `direction`.
    pub(super) fn read_group_direction(&mut self) -> bool {
        let word = self.cursor.take_word().trim_end_matches(';');
        let Some(direction) = direction_named(word) else {
            return false;
        };
        match self.open.last() {
            Some(subgraph) => {
                let group = &mut self.graph.frames[subgraph.frame].group;
                group.direction = Some(direction);
            }
            None => {
                self.graph.direction.get_or_insert(direction);
            }
        }
        true
    }
}
