//! Assigns items to layers: reverses links so that no cycle is left, and computes the depth of every item.

/// Whether each link must be reversed. Iterative depth-first search in the order given, so that the same graph always
/// loses the same links.
pub fn turned(items: usize, links: &[(usize, usize)]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        No,
        Open,
        Closed,
    }
    let mut out = vec![Vec::new(); items];
    let mut entered = vec![false; items];
    for (index, &(from, to)) in links.iter().enumerate() {
        out[from].push(index);
        entered[to] |= from != to;
    }
    let mut turned = vec![false; links.len()];
    let mut seen = vec![Visit::No; items];
    // Start where nothing points: a cycle is then cut where the flow enters it last.
    let (roots, rest): (Vec<_>, Vec<_>) = (0..items).partition(|item| !entered[*item]);
    for root in roots.into_iter().chain(rest) {
        if seen[root] != Visit::No {
            continue;
        }
        seen[root] = Visit::Open;
        let mut stack = vec![(root, 0)];
        while let Some((item, next)) = stack.last_mut() {
            let Some(&link) = out[*item].get(*next) else {
                seen[*item] = Visit::Closed;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = links[link].1;
            match seen[to] {
                Visit::Open => turned[link] = true,
                Visit::Closed => {}
                Visit::No => {
                    seen[to] = Visit::Open;
                    stack.push((to, 0));
                }
            }
        }
    }
    turned
}

/// The layer of every item: below all that link to it, and no higher than necessary. The links must be acyclic.
pub fn ranks(items: usize, links: &[(usize, usize)]) -> Vec<usize> {
    let mut out = vec![Vec::new(); items];
    let mut waiting = vec![0usize; items];
    for &(from, to) in links {
        out[from].push(to);
        waiting[to] += 1;
    }
    let roots: Vec<usize> = (0..items).filter(|item| waiting[*item] == 0).collect();
    let mut order = roots.clone();
    let mut rank = vec![0usize; items];
    let mut at = 0;
    while at < order.len() {
        let item = order[at];
        at += 1;
        for &to in &out[item] {
            rank[to] = rank[to].max(rank[item] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                order.push(to);
            }
        }
    }
    // Move roots down beside their targets, which shortens their lines.
    for &root in roots.iter().rev() {
        if let Some(nearest) = out[root].iter().map(|to| rank[*to]).min() {
            rank[root] = nearest.saturating_sub(1);
        }
    }
    rank
}

/// Splits layers that are too wide, since items of one layer are not linked. Items are distributed in the order of
/// their hints, so that each new layer spans the width.
pub fn wrap_wide(rank: &mut [usize], width: &[f64], hint: &[f64], room: f64) {
    let layers = rank.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); layers];
    for (item, layer) in rank.iter().enumerate() {
        members[*layer].push(item);
    }
    let mut next = 0;
    for mut members in members {
        let total: f64 = members.iter().map(|item| width[*item]).sum();
        let rows = ((total / room).ceil() as usize).clamp(1, members.len().max(1));
        members.sort_by(|a, b| hint[*a].total_cmp(&hint[*b]).then(a.cmp(b)));
        for (at, item) in members.iter().enumerate() {
            rank[*item] = next + at % rows;
        }
        next += rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_loses_the_link_that_closes_it() {
        let links = [(0, 1), (1, 2), (2, 0), (3, 3)];
        assert_eq!(turned(4, &links), [false, false, true, true]);
    }

    #[test]
    fn a_link_leads_to_a_later_layer() {
        assert_eq!(ranks(4, &[(0, 1), (1, 2), (0, 2), (3, 2)]), [0, 1, 2, 1]);
    }

    #[test]
    fn a_wide_layer_becomes_several() {
        let mut rank = [0, 0, 0, 0, 1];
        wrap_wide(&mut rank, &[40.0; 5], &[0.0, 1.0, 2.0, 3.0, 0.0], 100.0);
        assert_eq!(rank, [0, 1, 0, 1, 2]);
    }
}
