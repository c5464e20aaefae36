//! Figures and their budgets.

use std::fmt;

/// The middle of the figures, of an even number between the two in the middle; sorts them. There is at least one.
pub(crate) fn median(figures: &mut [f64]) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    // of an odd number of figures the middle one, twice
    (figures[(figures.len() - 1) / 2] + figures[figures.len() / 2]) / 2.0
}

/// The figures of a run, each with its budget if it has one.
#[derive(Default)]
pub(crate) struct Report(Vec<Line>);

struct Line {
    text: String,
    passed: Option<bool>,
}

impl Report {
    /// Adds a figure with an upper bound, if any.
    pub(crate) fn at_most(&mut self, what: &str, figure: f64, bound: Option<f64>) {
        self.add(what, figure, bound.map(|bound| (figure <= bound, format!(" (at most {bound})"))));
    }

    /// Adds a figure with a lower bound, if any.
    pub(crate) fn at_least(&mut self, what: &str, figure: f64, bound: Option<f64>) {
        self.add(what, figure, bound.map(|bound| (figure >= bound, format!(" (at least {bound})"))));
    }

    fn add(&mut self, what: &str, figure: f64, bound: Option<(bool, String)>) {
        let (passed, bound) = bound.unzip();
        self.0.push(Line { text: format!("{what}: {figure:.2}{}", bound.unwrap_or_default()), passed });
    }

    /// Whether every figure is within its bound.
    pub(crate) fn passed(&self) -> bool {
        self.0.iter().all(|line| line.passed != Some(false))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for line in &self.0 {
            let mark = match line.passed {
                Some(true) => "PASS",
                Some(false) => "FAIL",
                None => "    ",
            };
            writeln!(f, "{mark}  {}", line.text)?;
        }
        Ok(())
    }
}
