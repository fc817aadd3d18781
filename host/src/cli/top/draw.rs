//! A picture of the servers, their calls and the runs.
//!
//! Owns: the layout, the colours, and which run is selected.
//! Never: shows a text from outside with its control characters.

use std::collections::VecDeque;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Sparkline, Table, TableState, Wrap};

use super::collect::{RunRow, Snapshot};
use crate::cli::sessions::format_age;
use crate::report::{self, TextRole};

/// The looks whose rates are drawn.
const MAX_RATES: usize = 300;
/// Lines of the head of a box and of its columns.
const BOX_LINES: u16 = 3;
/// Lines that the servers have at most, and the calls.
const MAX_SERVER_LINES: u16 = 8;
const MAX_CALL_LINES: u16 = 10;
/// Lines of the curve of rates, and of what is shown of the selected run.
const RATE_LINES: u16 = 3;
const DETAIL_LINES: u16 = 4;
/// Shorter terminals have no curve.
const MIN_LINES_WITH_RATES: u16 = 30;

/// What is drawn.
#[derive(Default)]
pub(super) struct View {
    /// The command that starts wardroom on the same AppDir.
    command: String,
    snapshot: Option<Snapshot>,
    /// Requests in a second of each look, the newest first.
    rates: VecDeque<u64>,
    selected: TableState,
    /// The run that is selected: it may be at another place of the list by now.
    selected_run: Option<String>,
}

impl View {
    pub(super) fn new(command: String) -> Self {
        Self { command, ..Self::default() }
    }

    pub(super) fn update(&mut self, snapshot: Snapshot) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rate is a small positive number"
        )]
        self.rates.push_front(snapshot.rate().round() as u64);
        self.rates.truncate(MAX_RATES);
        let wanted = self.selected_run.as_deref();
        let place = snapshot.runs.iter().position(|run| Some(run.session.as_str()) == wanted);
        self.snapshot = Some(snapshot);
        self.select(place.or(self.selected.selected()).unwrap_or(0));
    }

    pub(super) fn select_next(&mut self, count: usize) {
        self.select(self.selected.selected().unwrap_or(0).saturating_add(count));
    }

    pub(super) fn select_previous(&mut self, count: usize) {
        self.select(self.selected.selected().unwrap_or(0).saturating_sub(count));
    }

    /// Selects the run at a place, or the last one.
    fn select(&mut self, place: usize) {
        let runs = self.snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.runs);
        let place = runs.len().checked_sub(1).map(|last| place.min(last));
        self.selected.select(place);
        self.selected_run = place.and_then(|place| runs.get(place)).map(|run| run.session.clone());
    }

    pub(super) fn draw(&mut self, frame: &mut Frame) {
        let Some(snapshot) = &self.snapshot else { return };
        let lines = |count: usize, max: u16| u16::try_from(count).unwrap_or(max).clamp(1, max) + BOX_LINES;
        let calls = snapshot.calls();
        let selected = self.selected.selected().and_then(|place| snapshot.runs.get(place));
        let next = selected.map(|run| next_command(&self.command, run)).unwrap_or_default();
        // The whole of it, however narrow the terminal is: a person copies it. Lines end between words, which takes one more.
        let further_lines = match next.chars().count() / usize::from(frame.area().width).max(1) {
            0 => 0,
            more => more + 1,
        };
        let detail_lines = DETAIL_LINES + u16::try_from(further_lines).unwrap_or(0);
        let has_rates = frame.area().height >= MIN_LINES_WITH_RATES;
        let heights = [
            Constraint::Length(1),
            Constraint::Length(if has_rates { RATE_LINES } else { 0 }),
            Constraint::Length(lines(snapshot.servers.len(), MAX_SERVER_LINES)),
            Constraint::Length(lines(calls.len(), MAX_CALL_LINES)),
            Constraint::Min(BOX_LINES + 1),
            Constraint::Length(detail_lines),
            Constraint::Length(1),
        ];
        let [head, rates, servers, call_box, runs, detail, foot] = Layout::vertical(heights).areas(frame.area());
        frame.render_widget(head_line(snapshot), head);
        if has_rates {
            let rates_drawn = Sparkline::default().data(&self.rates).style(style(TextRole::Name));
            frame.render_widget(rates_drawn, rates);
        }
        frame.render_widget(servers_table(snapshot), servers);
        let rows = calls.iter().map(|(server, call)| {
            Row::new([
                right(server.process.to_string()),
                right(format_age(call.elapsed_ms / 1000)),
                text(&call.caller),
                text(&call.method),
                text(&call.name),
            ])
        });
        let widths = [8, 8, 18, 15].map(Constraint::Length).into_iter().chain([Constraint::Fill(1)]);
        let heads = [right("SERVER"), right("TIME"), text("CALLER"), text("METHOD"), text("NAME")];
        frame.render_widget(Table::new(rows, widths).header(heading(heads)).block(titled("calls at work")), call_box);
        frame.render_widget(run_detail(selected, next), detail);
        draw_runs(frame, runs, snapshot, &mut self.selected);
        let keys = "q: end   ↑ ↓: choose a run";
        frame.render_widget(Line::styled(keys, style(TextRole::Faint)), foot);
    }
}

fn head_line(snapshot: &Snapshot) -> Line<'static> {
    let unnoticed =
        if snapshot.is_unnoticed { "   (servers show no calls: this AppDir cannot be written)" } else { "" };
    let place = report::escape_name(&snapshot.app_dir);
    let line = format!("wardroom top   {place}   {:.0} requests/s{unnoticed}", snapshot.rate());
    Line::styled(line, Style::new().add_modifier(Modifier::BOLD))
}

fn servers_table(snapshot: &Snapshot) -> Table<'static> {
    let rows = snapshot.servers.iter().map(|server| {
        let [requests, rate, calls, workers, memory] = server.figures();
        Row::new([
            right(server.process.to_string()).style(style(TextRole::Name)),
            text(&server.address),
            right(format_age(server.age_s)),
            right(requests),
            right(rate),
            right(calls),
            right(workers),
            right(memory),
        ])
    });
    let widths = [
        Constraint::Length(8),
        Constraint::Fill(1),
        Constraint::Length(8),
        Constraint::Length(10),
        Constraint::Length(7),
        Constraint::Length(6),
        Constraint::Length(8),
        Constraint::Length(10),
    ];
    let heads = [
        right("SERVER"),
        text("AT"),
        right("AGE"),
        right("REQUESTS"),
        right("PER S"),
        right("CALLS"),
        right("WORKERS"),
        right("MEMORY"),
    ];
    Table::new(rows, widths).header(heading(heads)).block(titled("servers"))
}

fn draw_runs(frame: &mut Frame, area: Rect, snapshot: &Snapshot, selected: &mut TableState) {
    let rows = snapshot.runs.iter().map(|run| {
        Row::new([
            text(&run.session),
            text(run.state).style(style(run.role)),
            right(run.age()),
            text(&run.strategy),
            text(&run.about),
        ])
    });
    let longest = snapshot.runs.iter().map(|run| run.session.len()).max().unwrap_or(0);
    let widths = [
        Constraint::Length(u16::try_from(longest).unwrap_or(u16::MAX).clamp(8, 40)),
        Constraint::Length(6),
        Constraint::Length(8),
        Constraint::Length(20),
        Constraint::Fill(1),
    ];
    let heads = [text("RUN"), text("STATE"), right("AGE"), text("STRATEGY"), text("ABOUT")];
    let title = match snapshot.run_count.checked_sub(snapshot.runs.len()) {
        None | Some(0) => format!("runs: {}", snapshot.run_count),
        Some(_) => format!("runs: the newest {} of {}", snapshot.runs.len(), snapshot.run_count),
    };
    let selection = Style::new().add_modifier(Modifier::REVERSED);
    let table = Table::new(rows, widths).header(heading(heads)).block(titled(&title)).row_highlight_style(selection);
    frame.render_stateful_widget(table, area, selected);
}

/// Returns the command that goes on with a run, or shows it.
fn next_command(command: &str, run: &RunRow) -> String {
    let action = if run.state == "waits" { "sessions answer" } else { "logs" };
    report::escape_name(&format!("{command} {action} {}", run.session))
}

/// What is known of the selected run, below the command that goes on with it.
fn run_detail(run: Option<&RunRow>, next: String) -> Paragraph<'static> {
    let lines = run.map_or_else(Vec::new, |run| {
        vec![Line::styled(next, style(TextRole::Faint)), Line::raw(report::escape_name(&run.about))]
    });
    Paragraph::new(lines).wrap(Wrap { trim: false }).block(Block::new().borders(Borders::TOP))
}

fn titled(title: &str) -> Block<'static> {
    Block::new().borders(Borders::TOP).title(format!(" {title} "))
}

fn heading<const N: usize>(heads: [Cell<'static>; N]) -> Row<'static> {
    Row::new(heads).style(style(TextRole::Heading))
}

fn text(text: &str) -> Cell<'static> {
    Cell::new(report::escape_name(text))
}

fn right(text: impl AsRef<str>) -> Cell<'static> {
    Cell::new(Line::raw(report::escape_name(text.as_ref())).alignment(Alignment::Right))
}

fn style(role: TextRole) -> Style {
    let plain = Style::new();
    match role {
        TextRole::Heading => plain.add_modifier(Modifier::BOLD),
        TextRole::Faint => plain.add_modifier(Modifier::DIM),
        _ if !report::obeys_styles() => plain,
        TextRole::Good => plain.fg(Color::Green),
        TextRole::Warning => plain.fg(Color::Yellow),
        TextRole::Bad => plain.fg(Color::Red),
        TextRole::Name => plain.fg(Color::Cyan),
    }
}
