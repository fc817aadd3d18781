//! The algorithm of the program that the service's founding document came with, from its description: clusters of
//! messages, words that all of them share, a table of advice by tool, and three bullets an update.
//!
//! Owns: its rules as they were, with their faults: counts ignore tasks that were fixed, an update adds what is there.
//! Never: learns of a fix or of feedback, for which that program had no tool.

use std::collections::BTreeSet;

use super::{Lesson, Player, RunEnd, ranked};
use crate::parsed_runs::RunError;
use crate::scenario::Task;

const N_DELTAS: usize = 3;
const LEAST_ERRORS: usize = 2;

#[derive(Default)]
pub(crate) struct Original {
    clusters: Vec<Cluster>,
    /// All insights that were ever logged, with copies.
    insights: Vec<LoggedInsight>,
    bullets: Vec<String>,
}

struct Cluster {
    key: (String, String, String),
    errors: Vec<RunError>,
    tasks: BTreeSet<String>,
}

struct LoggedInsight {
    pattern: String,
    recommendation: String,
    /// In hundredths. The program added fractions, in which 0.5, 0.2 and 0.1 fall short of 0.8.
    confidence: u32,
}

impl Player for Original {
    fn look_up(&mut self, query: &str) -> Vec<Lesson> {
        ranked(&self.bullets, query)
    }

    fn record_run(&mut self, task: &Task<'_>, errors: &[RunError], end: RunEnd) {
        for error in errors.iter().filter(|_| end == RunEnd::Failed) {
            let ending = error.file.rsplit('.').next().unwrap_or_default();
            let key = (without_numbers(&error.message), error.tool.clone(), format!("**/*.{ending}"));
            let at = self.clusters.iter().position(|cluster| cluster.key == key).unwrap_or_else(|| {
                self.clusters.push(Cluster { key, errors: Vec::new(), tasks: BTreeSet::new() });
                self.clusters.len() - 1
            });
            self.clusters[at].errors.push(error.clone());
            self.clusters[at].tasks.insert(task.id.clone());
        }
    }

    fn report_fix(&mut self, _: &Task<'_>, _: &str) {}

    fn rate(&mut self, _: &Task<'_>, _: &Lesson, _: bool) {}

    fn learn(&mut self) {
        let mut clusters: Vec<&Cluster> =
            self.clusters.iter().filter(|cluster| cluster.errors.len() >= LEAST_ERRORS).collect();
        clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.errors.len()));
        self.insights.extend(clusters.into_iter().map(Cluster::insight));
        let mut patterns = BTreeSet::new();
        let is_eligible = |insight: &&LoggedInsight| insight.confidence > 80;
        let mut chosen: Vec<&LoggedInsight> = self.insights.iter().filter(is_eligible).collect();
        chosen.retain(|insight| patterns.insert(insight.pattern.to_lowercase()));
        chosen.sort_by_key(|insight| std::cmp::Reverse(insight.confidence));
        let texts = chosen.iter().map(|insight| format!("{} - {}", insight.pattern, insight.recommendation));
        self.bullets.extend(texts.take(N_DELTAS));
    }

    fn playbook(&mut self) -> Vec<String> {
        self.bullets.clone()
    }
}

impl Cluster {
    fn insight(&self) -> LoggedInsight {
        let pattern = self.pattern();
        let files: BTreeSet<&str> = self.errors.iter().map(|error| error.file.as_str()).collect();
        let mut confidence = 50;
        confidence += if self.tasks.len() >= 3 { 20 } else { 0 };
        confidence += if self.tasks.len() >= 5 { 10 } else { 0 };
        confidence += if self.errors.iter().all(|error| error.severity == "error") { 10 } else { 0 };
        confidence += if files.len() >= 3 { 10 } else { 0 };
        LoggedInsight { recommendation: self.recommendation(&pattern), pattern, confidence }
    }

    fn pattern(&self) -> String {
        if let [only] = self.errors.as_slice() {
            return only.message.clone();
        }
        let words = |error: &RunError| -> Vec<String> {
            let message = error.message.to_lowercase();
            message.split_whitespace().filter(|word| word.chars().count() > 3).map(str::to_owned).collect()
        };
        let all: Vec<Vec<String>> = self.errors.iter().map(words).collect();
        let mut common: Vec<&str> = Vec::new();
        for word in &all[0] {
            if !common.contains(&word.as_str()) && all.iter().all(|other| other.contains(word)) {
                common.push(word);
            }
        }
        common.truncate(5);
        match common.as_slice() {
            [] => format!("Multiple {} errors ({} occurrences)", self.key.1, self.errors.len()),
            some => some.join(" "),
        }
    }

    fn recommendation(&self, pattern: &str) -> String {
        let has = |words: [&str; 2]| words.iter().any(|word| pattern.contains(word));
        match self.key.1.as_str() {
            "tsc" if has(["type", "Type"]) => "Run npm run build before npm test to catch type errors early".to_owned(),
            "tsc" if has(["module", "import"]) => {
                "Ensure TypeScript imports use .js extension for ESM modules".to_owned()
            }
            "eslint" => format!("Fix ESLint {} issues: {pattern}", self.errors[0].severity),
            "vitest" => format!("Address test failures: {pattern}"),
            tool => format!("Fix {tool} errors: {pattern}"),
        }
    }
}

/// The first 100 characters of a message without quotes, with `N` for each run of digits.
fn without_numbers(message: &str) -> String {
    let mut text = String::new();
    let mut is_in_number = false;
    for c in message.chars().filter(|c| !matches!(c, '\'' | '"')) {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !is_in_number {
            text.push('N');
        }
        is_in_number = c.is_ascii_digit();
    }
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Half, Material};
    use crate::scenario::{ScenarioKind, generate};

    fn error(message: &str, file: &str) -> RunError {
        let (tool, severity) = ("tsc".to_owned(), "error".to_owned());
        RunError { tool, severity, message: message.to_owned(), file: file.to_owned(), line: 1 }
    }

    /// The figures that were measured with that program.
    #[test]
    fn three_tasks_are_no_bullet_unless_in_three_files_and_each_update_adds_it_again() {
        let material = Material::read(Half::Development);
        let tasks = generate(&material, ScenarioKind::Plain, 1);
        for (n_files, n_bullets) in [(1, 0), (3, 2)] {
            let mut player = Original::default();
            for (at, task) in tasks.iter().take(3).enumerate() {
                let file = format!("src/{}.ts", at % n_files);
                player.record_run(task, &[error("Cannot find module './a.js' or the type", &file)], RunEnd::Failed);
            }
            player.learn();
            player.learn();
            assert_eq!(player.bullets.len(), n_bullets);
        }
        assert_eq!(without_numbers("x'12\"3 y 45"), "xN y N");
    }
}
