//! Writes diagrams as SVG: a layout computes positions, [`scene`] writes the markup. Values in, text out.

mod block;
mod column;
mod curve;
mod frame;
pub(super) mod glyph;
mod layered;
mod neighbourhood;
mod order;
mod place;
mod rank;
mod scene;
mod sequence;
mod settle;
mod shape;
mod tip;
mod trace;
mod tree;
mod wire;

#[cfg(test)]
mod tests;

pub use rank::turned;
pub use scene::draw;
