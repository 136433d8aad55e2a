//! The result of driving the server: one row a step, one column a client.

use std::fmt;

use serde::Deserialize;

use crate::steps::Counts;

/// One line of the driver's output.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StepLine {
    pub(crate) step: String,
    pub(crate) ok: bool,
    /// What went wrong, or a figure worth showing.
    #[serde(default)]
    pub(crate) note: String,
}

impl StepLine {
    pub(crate) fn failed(step: &str, note: &str) -> Self {
        Self {
            step: step.to_owned(),
            ok: false,
            note: note.to_owned(),
        }
    }
}

/// The columns, each with its steps in order.
#[derive(Debug, Default)]
pub(crate) struct Table {
    clients: Vec<(String, Vec<StepLine>)>,
}

impl Table {
    pub(crate) fn add(&mut self, client: &str, lines: Vec<StepLine>) {
        self.clients.push((client.to_owned(), lines));
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for line in self.clients.iter().flat_map(|(_, lines)| lines) {
            if line.ok {
                counts.passed += 1;
            } else {
                counts.failed += 1;
            }
        }
        counts
    }

    /// The names of the steps in the order in which a client first went through them.
    fn steps(&self) -> Vec<&str> {
        let mut steps: Vec<&str> = Vec::new();
        for line in self.clients.iter().flat_map(|(_, lines)| lines) {
            if !steps.contains(&line.step.as_str()) {
                steps.push(&line.step);
            }
        }
        steps
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps();
        let width = steps
            .iter()
            .map(|step| step.chars().count())
            .max()
            .unwrap_or(0)
            .max(4);
        for (index, (client, _)) in self.clients.iter().enumerate() {
            writeln!(formatter, "[{}] {client}", index + 1)?;
        }
        write!(formatter, "{:width$}", "step")?;
        for index in 1..=self.clients.len() {
            write!(formatter, "{:>8}", format!("[{index}]"))?;
        }
        for step in steps {
            write!(formatter, "\n{step:width$}")?;
            for (_, lines) in &self.clients {
                let cell = match lines.iter().find(|line| line.step == step) {
                    Some(line) if line.ok => "ok",
                    Some(_) => "FAILED",
                    None => "-",
                };
                write!(formatter, "{cell:>8}")?;
            }
        }
        for (index, (_, lines)) in self.clients.iter().enumerate() {
            for line in lines.iter().filter(|line| !line.ok) {
                write!(formatter, "\n[{}] {}: {}", index + 1, line.step, line.note)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(step: &str) -> StepLine {
        StepLine {
            step: step.to_owned(),
            ok: true,
            note: String::new(),
        }
    }

    #[test]
    fn one_row_a_step_one_column_a_client_and_the_reasons_below() {
        let mut table = Table::default();
        table.add(
            "new",
            vec![ok("list"), StepLine::failed("load", "no such tool")],
        );
        table.add("old", vec![ok("list")]);
        assert_eq!(
            table.counts(),
            Counts {
                passed: 2,
                failed: 1,
                skipped: 0
            }
        );
        let text = table.to_string();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            rows,
            [
                vec!["[1]", "new"],
                vec!["[2]", "old"],
                vec!["step", "[1]", "[2]"],
                vec!["list", "ok", "ok"],
                vec!["load", "FAILED", "-"],
                vec!["[1]", "load:", "no", "such", "tool"],
            ]
        );
    }
}
