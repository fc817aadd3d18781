//! Groups of bars, such as those of days or of ranges of scores.

use maud::{Markup, html};

use crate::figure::{PlotText, WIDTH};

const HEIGHT: usize = 180;
/// Room below the bars for the names of groups, and above them for the highest number.
const BELOW: usize = 24;
const ABOVE: usize = 20;
/// Room for the name of a group.
const LABEL: usize = 40;

/// The bars of one group, side by side.
#[derive(Debug, Clone, Default)]
pub struct BarGroup {
    /// The name below the group; empty for none.
    pub label: String,
    /// The parts of each bar. All begin at the base, so a later one lies before an earlier one.
    pub bars: Vec<Vec<BarPart>>,
}

/// A part of a bar.
#[derive(Debug, Clone)]
pub struct BarPart {
    /// Its class in the stylesheet.
    pub class: &'static str,
    pub number: usize,
    /// The text that a pointer shows.
    pub title: String,
}

/// Draws groups of bars. `caption` says what each class is.
#[must_use]
pub fn bars(text: &PlotText<'_>, groups: &[BarGroup], caption: &Markup) -> Markup {
    let parts = || groups.iter().flat_map(|group| group.bars.iter().flatten());
    let most = parts().map(|part| part.number).max().unwrap_or_default();
    let step = WIDTH / groups.len().max(1);
    let n_bars = groups.iter().map(|group| group.bars.len()).max().unwrap_or_default().max(1);
    let bar = (step / n_bars).saturating_sub(2).max(1);
    let base = HEIGHT - BELOW;
    // A number that is not 0 is seen.
    let height = |number: usize| if number == 0 { 0 } else { (number * (base - ABOVE)).div_ceil(most.max(1)) };
    let marks = html! {
        line.axis x1="0" y1=(base) x2=(WIDTH) y2=(base) {}
        @if most > 0 { text.label x="6" y=(ABOVE - 4) { "most: " (most) } }
        @for (at, group) in groups.iter().enumerate() {
            @let x = at * step + 1;
            @for (number, part) in group.bars.iter().enumerate().flat_map(|(at, bar)| bar.iter().map(move |part| (at, part))) {
                @let tall = height(part.number);
                @if tall > 0 {
                    rect class=(part.class) x=(x + number * (bar + 1)) y=(base - tall) width=(bar) height=(tall) {
                        title { (part.title) }
                    }
                }
            }
            @if !group.label.is_empty() && x + LABEL <= WIDTH { text.label x=(x) y=(HEIGHT - 6) { (group.label) } }
        }
    };
    text.figure(HEIGHT, &marks, caption)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(class: &'static str, number: usize) -> BarPart {
        BarPart { class, number, title: format!("{number} <of> {class}") }
    }

    fn svg(groups: &[BarGroup]) -> String {
        let text = PlotText { id: "plot", title: "A & B", description: "Bars.".to_owned() };
        bars(&text, groups, &html! { "two" }).into_string()
    }

    #[test]
    fn highest_number_fills_the_plot_and_no_number_is_invisible() {
        let groups = [
            BarGroup {
                label: "one".to_owned(),
                bars: vec![vec![part("a", 1_000_000), part("b", 1)], vec![part("c", 0)]],
            },
            BarGroup { label: String::new(), bars: vec![Vec::new(), vec![part("c", 3)]] },
        ];
        let svg = svg(&groups);
        let full = HEIGHT - BELOW - ABOVE;
        assert!(svg.contains(&format!("y=\"{ABOVE}\" width=\"178\" height=\"{full}\"")), "{svg}");
        assert_eq!(svg.matches("height=\"1\"").count(), 2, "{svg}");
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert!(svg.contains("most: 1000000") && svg.contains("3 &lt;of&gt; c"), "{svg}");
        assert!(svg.contains("aria-labelledby=\"plot-title plot-description\""), "{svg}");
        assert!(!svg.contains("style="), "{svg}");
    }

    #[test]
    fn plot_without_numbers_has_no_bar() {
        assert!(!svg(&[]).contains("<rect"));
        assert!(!svg(&[BarGroup { label: "one".to_owned(), bars: vec![vec![part("a", 0)]] }]).contains("<rect"));
    }
}
