//! Figures: how they are condensed and how they are shown.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// What a case has found.
#[derive(Debug)]
pub(crate) struct Report {
    case: &'static str,
    runs: usize,
    figures: Vec<Figure>,
}

#[derive(Debug)]
struct Figure {
    /// The unit is in the name.
    name: String,
    value: f64,
    must: &'static str,
}

impl Report {
    pub(crate) fn new(case: &'static str, runs: usize) -> Self {
        Self { case, runs, figures: Vec::new() }
    }

    /// Adds a figure, and what it must reach, where anything is asked of it.
    pub(crate) fn add(&mut self, name: impl Into<String>, value: f64, must: &'static str) {
        self.figures.push(Figure { name: name.into(), value, must });
    }

    /// Adds the percentiles of some samples.
    pub(crate) fn add_spread(&mut self, name: &str, samples: &Samples) {
        for (label, percent) in [("p50", 50), ("p90", 90), ("p99", 99)] {
            self.add(format!("{name}_{label}_us"), samples.percentile(percent), "");
        }
    }

    /// One line for machines.
    pub(crate) fn json(&self, tmux: &str) -> Value {
        let rounded = |f: &Figure| (f.name.clone(), json!((f.value * 1000.0).round() / 1000.0));
        let figures: Map<_, _> = self.figures.iter().map(rounded).collect();
        json!({"case": self.case, "tmux": tmux, "runs": self.runs, "figures": figures})
    }
}

/// A table for people.
pub(crate) fn table(reports: &[Report]) -> String {
    let mut text = format!("{:<11}{:<34}{:>12}  {}\n", "case", "figure", "value", "must reach");
    for report in reports {
        for Figure { name, value, must } in &report.figures {
            let line = format!("{:<11}{name:<34}{value:>12.3}  {must}", report.case);
            writeln!(text, "{}", line.trim_end()).unwrap();
        }
    }
    text
}

/// Values of one kind, sorted.
#[derive(Debug)]
pub(crate) struct Samples(Vec<f64>);

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        assert!(!values.is_empty(), "no samples");
        values.sort_by(f64::total_cmp);
        Self(values)
    }
}

impl Samples {
    pub(crate) fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The smallest value that this share of the values does not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100);
        self.0[rank.saturating_sub(1)]
    }

    pub(crate) fn max(&self) -> f64 {
        self.percentile(100)
    }
}
