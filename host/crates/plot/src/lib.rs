//! Plots: bars, points and intervals, as SVG for pages and as block characters for a terminal.
//!
//! Owns: scales, axes, the form of the marks, and the names of their classes, whose colours the stylesheet has.
//! Gives: one function for each form, which takes plain numbers and texts.
//! Never: knows what a number counts, needs a script or a style attribute, or says anything by colour alone: marks have
//! names and forms of their own, and the page beside a plot has the numbers.

mod bars;
mod figure;
mod intervals;
mod points;
mod scale;
pub mod terminal;

pub use self::bars::{BarGroup, BarPart, bars};
pub use self::figure::PlotText;
pub use self::intervals::{IntervalRow, intervals};
pub use self::points::{PlotPoint, PlotSeries, points};
pub use self::scale::Scale;

/// Series that have a colour and a form of their own. A plot shows no more of them.
pub const MAX_SERIES: usize = 6;
