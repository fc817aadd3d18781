//! The frame of a plot: a figure with an SVG that a screen reader names and describes, and a caption.

use maud::{Markup, html};

/// Units of a plot's width. The page scales the plot to the room that it has.
pub(crate) const WIDTH: usize = 720;

/// What a plot says to a person who does not see it.
#[derive(Debug, Clone)]
pub struct PlotText<'t> {
    /// The beginning of the ids in the plot. No two plots of a page have the same.
    pub id: &'t str,
    pub title: &'t str,
    /// What the marks are, and where the numbers stand.
    pub description: String,
}

impl PlotText<'_> {
    /// Puts the frame around marks.
    pub(crate) fn figure(&self, height: usize, marks: &Markup, caption: &Markup) -> Markup {
        let (title, description) = (format!("{}-title", self.id), format!("{}-description", self.id));
        html! {
            figure.plot {
                svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
                    aria-labelledby=(format!("{title} {description}")) {
                    title id=(title) { (self.title) }
                    desc id=(description) { (self.description) }
                    (marks)
                }
                figcaption { (caption) }
            }
        }
    }
}
