//! Orders the nodes within layers: sorts each by the positions of its neighbours, back and forth, and keeps the order
//! with the fewest crossings.

/// Layers of cells, and the lines between neighbouring layers.
pub struct Net {
    /// The cells of every layer, from left to right.
    pub layers: Vec<Vec<usize>>,
    /// For every cell its neighbours in the layer before.
    pub before: Ties,
    /// For every cell its neighbours in the layer after.
    pub after: Ties,
}

/// Lines grouped by cell, in one allocation.
pub struct Ties {
    /// The index of each cell's first line, and the end of the last.
    starts: Vec<usize>,
    all: Vec<Tie>,
}

impl Ties {
    /// Groups lines by cell, keeping their order.
    pub fn by_cell(cells: usize, ties: &[(usize, Tie)]) -> Ties {
        let mut starts = vec![0; cells + 1];
        for (cell, _) in ties {
            starts[cell + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut all = vec![Tie::default(); ties.len()];
        for (cell, tie) in ties {
            all[next[*cell]] = *tie;
            next[*cell] += 1;
        }
        Ties { starts, all }
    }

    pub fn get(&self, cell: usize) -> &[Tie] {
        &self.all[self.starts[cell]..self.starts[cell + 1]]
    }

    /// The cell of each line, and the line.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Tie)> {
        let cells = 0..self.starts.len() - 1;
        cells.flat_map(|cell| self.get(cell).iter().map(move |tie| (cell, tie)))
    }
}

/// A line to a neighbour. It ends beside the middle of a cell that is a frame with gates.
#[derive(Clone, Copy, Default)]
pub struct Tie {
    pub to: usize,
    /// Where it leaves this cell, relative to its middle.
    pub here: f64,
    /// Where it meets the other, relative to its middle.
    pub there: f64,
    /// How strongly it wants to be straight.
    pub pull: f64,
}

/// Sorts every layer; `width` is the part of a cell at which lines end.
pub fn sort(net: &mut Net, width: &[f64], sweeps: usize) {
    let mut position = vec![0.0; width.len()];
    number(net, &mut position);
    let mut fewest = crossings(net, &position, width);
    if fewest == 0 {
        return;
    }
    let mut best = net.layers.clone();
    // Sweeps without a change: after one in each direction, no other changes anything.
    let mut idle = 0;
    for sweep in 0..sweeps {
        if fewest == 0 || idle == 2 {
            break;
        }
        idle += 1;
        let last = net.layers.len().saturating_sub(1);
        for step in 1..=last {
            let (layer, ties) = match sweep % 2 {
                0 => (step, &net.before),
                _ => (last - step, &net.after),
            };
            let wish = |cell: usize| {
                let ties = ties.get(cell);
                let sum: f64 = ties.iter().map(|tie| end(tie, &position, width)).sum();
                match ties.len() {
                    0 => position[cell],
                    count => sum / count as f64,
                }
            };
            let mut wishes: Vec<(f64, usize)> = net.layers[layer]
                .iter()
                .map(|cell| (wish(*cell), *cell))
                .collect();
            // Stable, so that equal wishes keep their order.
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (at, (_, cell)) in wishes.iter().enumerate() {
                if net.layers[layer][at] != *cell {
                    net.layers[layer][at] = *cell;
                    idle = 0;
                }
                position[*cell] = at as f64;
            }
        }
        if idle > 0 {
            continue;
        }
        let now = crossings(net, &position, width);
        if now < fewest {
            fewest = now;
            best = net.layers.clone();
        }
    }
    net.layers = best;
}

fn number(net: &Net, position: &mut [f64]) {
    for layer in &net.layers {
        for (at, cell) in layer.iter().enumerate() {
            position[*cell] = at as f64;
        }
    }
}

fn end(tie: &Tie, position: &[f64], width: &[f64]) -> f64 {
    position[tie.to] + tie.there / width[tie.to].max(1.0)
}

/// Counts the crossings between each pair of layers with a Fenwick tree, in O(n log n).
fn crossings(net: &Net, position: &[f64], width: &[f64]) -> usize {
    let mut total = 0;
    let mut lines: Vec<(f64, f64)> = Vec::new();
    for layer in &net.layers {
        lines.clear();
        for cell in layer {
            for tie in net.after.get(*cell) {
                let start = position[*cell] + tie.here / width[*cell].max(1.0);
                lines.push((start, end(tie, position, width)));
            }
        }
        if lines.len() < 2 {
            continue;
        }
        lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut ends: Vec<f64> = lines.iter().map(|line| line.1).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        let mut sums = vec![0usize; ends.len() + 1];
        for (seen, (_, end)) in lines.iter().enumerate() {
            let rank = ends.partition_point(|other| other < end) + 1;
            // Lines before this one that end further right cross it.
            let mut not_beyond = 0;
            let mut at = rank;
            while at > 0 {
                not_beyond += sums[at];
                at &= at - 1;
            }
            total += seen - not_beyond;
            let mut at = rank;
            while at < sums.len() {
                sums[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_that_can_be_avoided_is() {
        let tie = |to| Tie {
            to,
            here: 0.0,
            there: 0.0,
            pull: 1.0,
        };
        let mut net = Net {
            layers: vec![vec![0, 1], vec![2, 3]],
            before: Ties::by_cell(4, &[(2, tie(1)), (3, tie(0))]),
            after: Ties::by_cell(4, &[(0, tie(3)), (1, tie(2))]),
        };
        sort(&mut net, &[10.0; 4], 4);
        assert_eq!(net.layers, [vec![0, 1], vec![3, 2]]);
    }
}
