//! Figures and their budgets.

use std::fmt;

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
        let text = match bound {
            Some(bound) => format!("{what}: {figure:.2} (at most {bound})"),
            None => format!("{what}: {figure:.2}"),
        };
        self.0.push(Line { text, passed: bound.map(|bound| figure <= bound) });
    }

    /// Adds a figure with a lower bound, if any.
    pub(crate) fn at_least(&mut self, what: &str, figure: f64, bound: Option<f64>) {
        let text = match bound {
            Some(bound) => format!("{what}: {figure:.2} (at least {bound})"),
            None => format!("{what}: {figure:.2}"),
        };
        self.0.push(Line { text, passed: bound.map(|bound| figure >= bound) });
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
