//! The entries `[[hooks]]` of `metier.toml`: programs that are told of events and may refuse.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metier::hooks::HookEvent;
use toml::de::{DeTable, DeValue};

use super::file::Reader;
use super::layer::{Origin, Sourced};
use super::nearest::nearest;
use super::reading::{Base, shown};

const EVENT: &str = "event";
const COMMAND: &str = "command";
const MATCH: &str = "match";
const TIMEOUT: &str = "timeout";
const FAIL_CLOSED: &str = "fail_closed";
const MEMBERS: [&str; 5] = [EVENT, COMMAND, MATCH, TIMEOUT, FAIL_CLOSED];

/// The longest that a call can be made to wait for a policy, in seconds.
const MOST_SECONDS: f64 = 600.0;

/// A program that is told of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HookSetting {
    pub(crate) event: HookEvent,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// What relative paths start from, and where it runs: the folder of the file.
    pub(crate) folder: PathBuf,
    /// For these tools and skills alone; for all where there is none.
    pub(crate) only: Vec<String>,
    pub(crate) timeout: Duration,
    pub(crate) fail_closed: bool,
}

impl HookSetting {
    /// Whether its event is about a tool, and not about a skill alone.
    pub(crate) fn is_about_tools(&self) -> bool {
        matches!(
            self.event,
            HookEvent::BeforeToolCall | HookEvent::AfterToolCall
        )
    }

    /// The command in one line, for people.
    pub(crate) fn command_line(&self) -> String {
        self.command.join(" ")
    }
}

/// The members as they are read.
#[derive(Default)]
struct Draft {
    event: Option<HookEvent>,
    command: Option<Vec<String>>,
    only: Option<(Range<usize>, Vec<String>)>,
    timeout: Option<Duration>,
    /// Where it is set.
    fail_closed: Option<Range<usize>>,
    /// A member that is needed is there, and is told to be wrong.
    has_fault: bool,
}

impl Reader<'_> {
    pub(super) fn hook(&mut self, hook: &DeValue<'_>, span: &Range<usize>) {
        let DeValue::Table(members) = hook else {
            let cure = "write `[[hooks]]` on a line of its own for each, and its keys below it";
            self.fault(span, format!("`hooks`: found {}", shown(hook)), cure);
            return;
        };
        let draft = self.draft(members);
        if draft.has_fault {
            return;
        }
        let (Some(event), Some(command)) = (draft.event, draft.command) else {
            let (lacks, cure) = if draft.event.is_none() {
                (EVENT, format!("add `event`, one of {}", events()))
            } else {
                let cure = "add `command`, a list of a program and its arguments";
                (COMMAND, cure.to_owned())
            };
            self.fault(span, format!("a hook without `{lacks}`"), cure);
            return;
        };
        let only = match draft.only {
            Some((at, _)) if !event.names_something() => {
                let message = format!("`hooks.match`: {event} is about no tool or skill");
                self.fault(&at, message, "leave `match` out");
                return;
            }
            only => only.map(|(_, only)| only).unwrap_or_default(),
        };
        if let Some(at) = draft.fail_closed.as_ref().filter(|_| !event.is_policy()) {
            let message = format!("`hooks.fail_closed`: on {event} nothing can be refused");
            self.fault(at, message, "leave `fail_closed` out");
            return;
        }
        let value = HookSetting {
            event,
            command,
            folder: self.base.folder.clone(),
            only,
            timeout: draft.timeout.unwrap_or(Duration::from_secs(5)),
            fail_closed: draft.fail_closed.is_some(),
        };
        let origin = Origin::File(self.place(span));
        self.layer.hooks.push(Sourced { value, origin });
    }

    fn draft(&mut self, members: &DeTable<'_>) -> Draft {
        let mut draft = Draft::default();
        for (name, value) in members {
            let span = value.span();
            let value = value.get_ref();
            let expected = match name.get_ref().as_ref() {
                EVENT => {
                    draft.event = value.as_str().and_then(HookEvent::from_name);
                    if draft.event.is_none() {
                        draft.has_fault = true;
                        self.wrong_event(value, &span);
                    }
                    continue;
                }
                COMMAND => {
                    draft.command = command(value, self.base);
                    (draft.command.is_none()).then_some("a list of a program and its arguments")
                }
                MATCH => {
                    let only = texts(value);
                    let is_wrong = only.is_none();
                    draft.only = only.map(|only| (span.clone(), only));
                    is_wrong.then_some("a name of a tool or skill in which `*` stands for any text, or a list of them")
                }
                TIMEOUT => {
                    draft.timeout = seconds(value);
                    (draft.timeout.is_none()).then_some("seconds, above 0 and up to 600")
                }
                FAIL_CLOSED => {
                    let fail_closed = value.as_bool().unwrap_or_default();
                    draft.fail_closed = fail_closed.then(|| span.clone());
                    (value.as_bool().is_none()).then_some("true or false")
                }
                unknown => {
                    draft.has_fault = true;
                    let cure = nearest(unknown, MEMBERS).map_or_else(
                        || format!("known are {}", MEMBERS.join(", ")),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let message = format!("unknown key `hooks.{unknown}`");
                    self.fault(&name.span(), message, cure);
                    continue;
                }
            };
            if let Some(expected) = expected {
                draft.has_fault = true;
                let message = format!("`hooks.{}`: found {}", name.get_ref(), found(value));
                self.fault(&span, message, format!("expected {expected}"));
            }
        }
        draft
    }

    fn wrong_event(&mut self, value: &DeValue<'_>, span: &Range<usize>) {
        let names = HookEvent::ALL.map(HookEvent::as_str);
        let cure = value.as_str().and_then(|name| nearest(name, names));
        let cure = cure.map_or_else(
            || format!("expected one of {}", events()),
            |near| format!("did you mean `{near}`?"),
        );
        self.fault(span, format!("`hooks.event`: found {}", shown(value)), cure);
    }
}

/// A list by what is wrong in it, anything else as it is.
fn found(value: &DeValue<'_>) -> String {
    let items = value.as_array().map(|items| items.iter());
    let is_blank = |item: &DeValue<'_>| item.as_str().is_none_or(|text| text.trim().is_empty());
    let wrong = items.and_then(|mut items| items.find(|item| is_blank(item.get_ref())));
    match wrong.map(toml::Spanned::get_ref) {
        Some(item) if item.is_str() => "a list with an empty text in it".to_owned(),
        Some(item) => format!("a list with {} in it", shown(item)),
        None => shown(value),
    }
}

fn events() -> String {
    HookEvent::ALL.map(HookEvent::as_str).join(", ")
}

fn command(value: &DeValue<'_>, base: &Base) -> Option<Vec<String>> {
    let words = value.as_array()?.iter();
    let mut words: Vec<String> = words
        .map(|word| word.get_ref().as_str().map(ToOwned::to_owned))
        .collect::<Option<_>>()?;
    let program = words
        .first_mut()
        .filter(|program| !program.trim().is_empty())?;
    let here = Base {
        folder: PathBuf::new(),
        home: base.home.clone(),
    };
    here.path(Path::new(program.as_str()))
        .to_str()?
        .clone_into(program);
    Some(words)
}

/// A text or a list of some, none of them empty.
fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let texts = match value.as_array() {
        Some(items) => items
            .iter()
            .map(|item| item.get_ref().as_str().map(ToOwned::to_owned))
            .collect::<Option<Vec<_>>>()?,
        None => vec![value.as_str()?.to_owned()],
    };
    let usable = !texts.is_empty() && texts.iter().all(|text| !text.trim().is_empty());
    usable.then_some(texts)
}

fn seconds(value: &DeValue<'_>) -> Option<Duration> {
    let seconds: f64 = match value {
        DeValue::Float(number) => number.as_str().parse().ok()?,
        DeValue::Integer(number) => number.as_str().parse().ok()?,
        _ => return None,
    };
    let within = seconds > 0.0 && seconds <= MOST_SECONDS;
    within.then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn read(text: &str) -> (Vec<Sourced<HookSetting>>, String) {
        let base = Base {
            folder: PathBuf::from("show"),
            home: Some(PathBuf::from("home")),
        };
        let (layer, faults) = file::layer(text, "metier.toml", &base);
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        (layer.hooks, faults.join("\n"))
    }

    #[test]
    fn a_hook_with_everything_and_one_with_nothing_more_than_it_needs() {
        let (hooks, faults) = read(
            "[[hooks]]\nevent = 'before_tool_call'\ncommand = ['python3', 'hooks/policy.py']\nmatch = 'scene__*'\n\
             timeout = 2.5\nfail_closed = true\n\n[[hooks]]\nevent = 'on_session_start'\ncommand = ['~/bin/hello']\n",
        );
        assert_eq!(faults, "");
        let [full, small] = hooks.as_slice() else {
            panic!("{hooks:?}");
        };
        assert_eq!(full.value.command_line(), "python3 hooks/policy.py");
        assert_eq!(full.value.only, ["scene__*"]);
        assert_eq!(full.value.timeout, Duration::from_millis(2500));
        assert!(full.value.fail_closed);
        assert_eq!(full.value.folder, Path::new("show"));
        assert_eq!(full.origin, Origin::File("metier.toml:1:1".to_owned()));
        assert_eq!(small.value.command_line(), "home/bin/hello");
        assert_eq!(small.value.timeout, Duration::from_secs(5));
        assert!(!small.value.fail_closed && small.value.only.is_empty());
        assert_eq!(small.origin, Origin::File("metier.toml:8:1".to_owned()));
    }

    #[test]
    fn each_fault_names_its_place_and_its_cure() {
        let hook = |members: &str| {
            let (hooks, faults) = read(&format!("[[hooks]]\n{members}\n"));
            assert!(hooks.is_empty(), "{hooks:?}");
            faults
        };
        let good = "event = 'before_search'\ncommand = ['x']\n";
        let faults = [
            read("hooks = 5").1,
            read("hooks = [5]").1,
            read("[hooks]\nevent = 'x'").1,
            hook(""),
            hook("event = 'before_search'"),
            hook("command = ['x']"),
            hook("event = 'before_tool_cal'\ncommand = ['x']"),
            hook("event = 'x'\ncommand = ['x']"),
            hook("event = 5\ncommand = 'x'"),
            hook("event = 'before_search'\ncommand = []"),
            hook("event = 'before_search'\ncommand = ['']"),
            hook("event = 'before_search'\ncommand = ['x', 5]"),
            hook(&format!("{good}comand = ['x']")),
            hook(&format!("{good}name = 'x'")),
            hook(&format!("{good}match = 'x'")),
            hook(&format!("{good}match = ['']")),
            hook(&format!("{good}timeout = 0")),
            hook(&format!("{good}timeout = nan")),
            hook(&format!("{good}fail_closed = 'yes'")),
            hook("event = 'after_search'\ncommand = ['x']\nfail_closed = true"),
        ];
        insta::assert_snapshot!(faults.join("\n"), @"
        metier.toml:1:9: `hooks` must be a list of tables; write `[[hooks]]` on a line of its own for each, and its keys below it
        metier.toml:1:10: `hooks`: found the number 5; write `[[hooks]]` on a line of its own for each, and its keys below it
        metier.toml:1:1: `hooks` must be a list of tables; write `[[hooks]]` on a line of its own for each, and its keys below it
        metier.toml:1:1: a hook without `event`; add `event`, one of on_session_start, before_search, after_search, before_skill_load, after_skill_load, before_tool_call, after_tool_call, on_session_end
        metier.toml:1:1: a hook without `command`; add `command`, a list of a program and its arguments
        metier.toml:1:1: a hook without `event`; add `event`, one of on_session_start, before_search, after_search, before_skill_load, after_skill_load, before_tool_call, after_tool_call, on_session_end
        metier.toml:2:9: `hooks.event`: found the text `before_tool_cal`; did you mean `before_tool_call`?
        metier.toml:2:9: `hooks.event`: found the text `x`; expected one of on_session_start, before_search, after_search, before_skill_load, after_skill_load, before_tool_call, after_tool_call, on_session_end
        metier.toml:2:9: `hooks.event`: found the number 5; expected one of on_session_start, before_search, after_search, before_skill_load, after_skill_load, before_tool_call, after_tool_call, on_session_end
        metier.toml:3:11: `hooks.command`: found the text `x`; expected a list of a program and its arguments
        metier.toml:3:11: `hooks.command`: found an empty list; expected a list of a program and its arguments
        metier.toml:3:11: `hooks.command`: found a list with an empty text in it; expected a list of a program and its arguments
        metier.toml:3:11: `hooks.command`: found a list with the number 5 in it; expected a list of a program and its arguments
        metier.toml:4:1: unknown key `hooks.comand`; did you mean `command`?
        metier.toml:4:1: unknown key `hooks.name`; known are event, command, match, timeout, fail_closed
        metier.toml:4:9: `hooks.match`: before_search is about no tool or skill; leave `match` out
        metier.toml:4:9: `hooks.match`: found a list with an empty text in it; expected a name of a tool or skill in which `*` stands for any text, or a list of them
        metier.toml:4:11: `hooks.timeout`: found the number 0; expected seconds, above 0 and up to 600
        metier.toml:4:11: `hooks.timeout`: found the number nan; expected seconds, above 0 and up to 600
        metier.toml:4:15: `hooks.fail_closed`: found the text `yes`; expected true or false
        metier.toml:4:15: `hooks.fail_closed`: on after_search nothing can be refused; leave `fail_closed` out
        ");
    }
}
