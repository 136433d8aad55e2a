//! How much work compiling patterns may be, counted instead of measured: the same files give the same
//! findings on every machine.

/// What the patterns of one file may cost together, in parts of their automata: somewhat below a tenth of
/// a second of work.
const BUDGET: u64 = 1_000_000;

/// The bound on an automaton ends the work on a single pattern about here.
const MOST_OF_ONE: u64 = 20_000;

/// A class of Unicode has so many ranges that it counts as this many parts.
const UNICODE_CLASS: u64 = 300;

/// The work that is left for the patterns of schemas that come from one file.
#[derive(Clone, Copy, Debug)]
pub struct PatternBudget {
    left: u64,
}

impl Default for PatternBudget {
    /// The whole budget.
    fn default() -> Self {
        Self { left: BUDGET }
    }
}

impl PatternBudget {
    /// Takes what a pattern costs; the reason when there is not enough left.
    pub(crate) fn refusal(&mut self, pattern: &str) -> Option<String> {
        match self.left.checked_sub(cost(pattern)) {
            Some(left) => {
                self.left = left;
                None
            }
            None => Some("the patterns of its file are too much work to compile".to_owned()),
        }
    }
}

/// About how many parts the automaton of a pattern has, from its text alone.
fn cost(pattern: &str) -> u64 {
    // The sums of the groups that are open, and what the last atom of each cost.
    let mut open: Vec<(u64, u64)> = Vec::new();
    let (mut sum, mut last) = (0_u64, 0_u64);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let atom = match c {
            '(' => {
                open.push((sum, last));
                (sum, last) = (0, 0);
                continue;
            }
            ')' => {
                let group = sum.max(1);
                (sum, _) = open.pop().unwrap_or_default();
                group
            }
            '{' => {
                let mut digits = String::new();
                while let Some(next) = chars.next_if(|next| *next != '}') {
                    digits.push(next);
                }
                chars.next();
                let times = digits
                    .split(',')
                    .filter_map(|n| n.trim().parse::<u64>().ok());
                let times = times.max().unwrap_or(1).max(1);
                // The last atom is in the sum once already.
                last.saturating_mul(times - 1)
            }
            '[' => {
                let mut class = 2;
                while let Some(next) = chars.next_if(|next| *next != ']') {
                    class += 1;
                    if next == '\\' {
                        class += escape(chars.next());
                    }
                }
                chars.next();
                class
            }
            '\\' => escape(chars.next()),
            '.' => 10,
            _ => 1,
        };
        if !matches!(c, '*' | '+' | '?' | '{') {
            last = atom;
        }
        sum = sum.saturating_add(atom);
    }
    let unclosed = open.iter().map(|(sum, _)| *sum);
    unclosed.fold(sum, u64::saturating_add).min(MOST_OF_ONE)
}

fn escape(letter: Option<char>) -> u64 {
    match letter {
        Some('w' | 'W' | 'p' | 'P' | 'd' | 'D' | 'b' | 'B') => UNICODE_CLASS,
        Some('s' | 'S') => 10,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_multiplies() {
        assert_eq!(cost("abc"), 3);
        assert_eq!(cost("a{20}"), 20);
        assert_eq!(cost("(ab){2,5}c"), 11);
        assert_eq!(cost("(\\w{1,500}){1,50}x"), MOST_OF_ONE);
        assert_eq!(cost("((a{9999}"), 9999);
        assert!(cost("^[a-z0-9_-]+$") < 20);
        assert_eq!(cost(""), 0);
        assert_eq!(cost("{5}"), 0);
    }

    #[test]
    fn a_file_of_ordinary_patterns_is_within_the_budget() {
        let mut budget = PatternBudget::default();
        for _ in 0..10_000 {
            assert_eq!(budget.refusal("^[A-Za-z0-9_.-]+$"), None);
        }
        let mut budget = PatternBudget::default();
        let hostile = (0..2000).filter(|_| budget.refusal("(\\w{1,500}){1,50}x").is_none());
        assert_eq!(hostile.count(), 50);
    }
}
