//! What was promised, and whether it was kept.

use std::fmt;

/// The promises of a run, with what was measured.
#[derive(Default)]
pub(crate) struct Report(Vec<Line>);

struct Line {
    text: String,
    kept: Option<bool>,
}

impl Report {
    /// A figure that may be at most so much; without a bound it is only told.
    pub(crate) fn at_most(&mut self, what: &str, figure: f64, bound: Option<f64>) {
        let text = match bound {
            Some(bound) => format!("{what}: {figure:.2} (at most {bound})"),
            None => format!("{what}: {figure:.2}"),
        };
        self.0.push(Line { text, kept: bound.map(|bound| figure <= bound) });
    }

    /// A figure that must be at least so much; without a bound it is only told.
    pub(crate) fn at_least(&mut self, what: &str, figure: f64, bound: Option<f64>) {
        let text = match bound {
            Some(bound) => format!("{what}: {figure:.2} (at least {bound})"),
            None => format!("{what}: {figure:.2}"),
        };
        self.0.push(Line { text, kept: bound.map(|bound| figure >= bound) });
    }

    /// Whether nothing that has a bound is beyond it.
    pub(crate) fn all_kept(&self) -> bool {
        self.0.iter().all(|line| line.kept != Some(false))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for line in &self.0 {
            let mark = match line.kept {
                Some(true) => "PASS",
                Some(false) => "FAIL",
                None => "    ",
            };
            writeln!(f, "{mark}  {}", line.text)?;
        }
        Ok(())
    }
}
