//! The result of driving the server: one row a client, one column a step.

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

/// The rows, each with its steps in order.
#[derive(Debug, Default)]
pub(crate) struct Table {
    clients: Vec<(String, Row)>,
}

#[derive(Debug)]
enum Row {
    Driven(Vec<StepLine>),
    Skipped(String),
}

impl Row {
    fn lines(&self) -> &[StepLine] {
        match self {
            Self::Driven(lines) => lines,
            Self::Skipped(_) => &[],
        }
    }
}

impl Table {
    pub(crate) fn add(&mut self, client: &str, lines: Vec<StepLine>) {
        self.clients.push((client.to_owned(), Row::Driven(lines)));
    }

    /// A client that could not be had, and why.
    pub(crate) fn skip(&mut self, client: &str, why: &str) {
        let row = Row::Skipped(why.to_owned());
        self.clients.push((client.to_owned(), row));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// Counts steps, and a client that was skipped as one.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (_, row) in &self.clients {
            match row {
                Row::Skipped(_) => counts.skipped += 1,
                Row::Driven(lines) => {
                    for line in lines {
                        if line.ok {
                            counts.passed += 1;
                        } else {
                            counts.failed += 1;
                        }
                    }
                }
            }
        }
        counts
    }

    /// The names of the steps in the order in which a client first went through them.
    fn steps(&self) -> Vec<&str> {
        let mut steps: Vec<&str> = Vec::new();
        for line in self.clients.iter().flat_map(|(_, row)| row.lines()) {
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
        let names = self.clients.iter().map(|(client, _)| client);
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        for (index, step) in steps.iter().enumerate() {
            writeln!(formatter, "[{}] {step}", index + 1)?;
        }
        write!(formatter, "{:width$}", "")?;
        for index in 1..=steps.len() {
            write!(formatter, "{:>7}", format!("[{index}]"))?;
        }
        for (client, row) in &self.clients {
            write!(formatter, "\n{client:width$}")?;
            if let Row::Skipped(why) = row {
                write!(formatter, "  SKIPPED: {why}")?;
                continue;
            }
            for step in &steps {
                let cell = match row.lines().iter().find(|line| line.step == *step) {
                    Some(line) if line.ok => "ok",
                    Some(_) => "FAILED",
                    None => "-",
                };
                write!(formatter, "{cell:>7}")?;
            }
        }
        for (client, row) in &self.clients {
            for line in row.lines().iter().filter(|line| !line.ok) {
                write!(formatter, "\n{client}: {}: {}", line.step, line.note)?;
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
    fn one_row_a_client_one_column_a_step_and_the_reasons_below() {
        let mut table = Table::default();
        table.add(
            "new",
            vec![ok("list"), StepLine::failed("load", "no such tool")],
        );
        table.add("old", vec![ok("list")]);
        table.skip("rare", "no registry");
        assert_eq!(
            table.counts(),
            Counts {
                passed: 2,
                failed: 1,
                skipped: 1
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
                vec!["[1]", "list"],
                vec!["[2]", "load"],
                vec!["[1]", "[2]"],
                vec!["new", "ok", "FAILED"],
                vec!["old", "ok", "-"],
                vec!["rare", "SKIPPED:", "no", "registry"],
                vec!["new:", "load:", "no", "such", "tool"],
            ]
        );
    }
}
