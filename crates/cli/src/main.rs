//! The `metier` command: data on stdout, talk on stderr, exit code 0 fine, 1 something wrong was
//! found or a tool failed, 2 wrong usage, nothing found or environment, 128 and its number a second signal.

mod attaching;
mod catalog_settings;
mod choosing;
mod commands;
mod config;
mod confirming;
mod embedder;
mod findings;
mod found;
mod freed_memory;
mod given_path;
mod interpreter_faults;
mod listening;
mod listing;
mod loading;
mod logging;
mod options;
mod pasted;
mod persisting;
mod printer;
mod program_hooks;
mod progress;
mod remembering;
mod schema_summary;
mod searched;
mod serving;
mod source_cache;
mod stop_signal;
mod tool_outlook;
mod utc;
mod watch_talk;
mod wrapping;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::printer::Printer;

/// Turns folders of scripts into tools that an AI agent can find, understand and run.
#[derive(Parser)]
#[command(name = "metier", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve skills over MCP (Streamable HTTP) until it is stopped.
    Serve(commands::serve::Serve),
    /// Serve skills over MCP on standard input and output, as desktop clients start servers.
    Stdio(commands::stdio::Stdio),
    /// List the skills that are found, and what is wrong with those that are not.
    List(commands::list::List),
    /// Find the skill for a task.
    Search(commands::search::Search),
    /// Find the skills for a task as a model does: in which order, how sure the first is, what each lacks.
    Discover(commands::discover::Discover),
    /// A line for each skill within a budget, as models are sent it.
    Listing(commands::listing::Listing),
    /// Check skills and say what is wrong with them, where, and how to mend it.
    Check(commands::check::Check),
    /// Print the JSON Schema of a file of a skill, for editors.
    Schema(commands::schema::Schema),
    /// Call one tool once, loading its skill, and print the result.
    Call(commands::call::Call),
    /// Everything about one skill: its tools, their scripts and interpreters, its findings.
    Info(commands::info::Info),
    /// In which order skills load, what is missing, and what goes round in circles.
    Deps(commands::deps::Deps),
    /// Look at skills, interpreters and settings, and say what would fail and how to cure it.
    Doctor(commands::doctor::Doctor),
    /// Show, verify and approve the skills of another MCP server.
    Connect(commands::connect::Connect),
    /// Print the entry for a client's configuration, or write it there.
    ConnectClient(commands::connect_client::ConnectClient),
    /// Print the adapter that runs tools inside an application with a Python of its own.
    HostAdapter(commands::host_adapter::HostAdapter),
    /// Make a skill that runs, to start from.
    New(commands::new::New),
    /// What is kept over a restart: show it, forget it, print it.
    State(commands::state::State),
    /// Print a script that completes this command in a shell.
    Completions(commands::completions::Completions),
    /// Show the settings in force and where each comes from.
    Config(commands::config::Config),
}

/// Why a command ends with another exit code than 0.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The answer is a failure, and it has been printed.
    #[error("")]
    Answered,
    /// What was asked for is nowhere, and that has been told.
    #[error("")]
    NothingFound,
    /// Wrong usage, a name that leads nowhere, or an environment that does not allow it.
    #[error("{0}")]
    Usage(String),
}

/// The argument of the second process of a server, which ends its scripts should it be killed.
const WATCHDOG: &str = "__watchdog";

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == WATCHDOG)
    {
        metier::runner::Watchdog::watch();
        return ExitCode::SUCCESS;
    }
    let printer = Printer;
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return usage(printer, &answer),
    };
    logging::begin(
        printer,
        matches!(cli.command, Command::Serve(_) | Command::Stdio(_)),
    );
    let done = match cli.command {
        Command::Serve(serve) => serve.run(printer),
        Command::Stdio(stdio) => stdio.run(printer),
        Command::List(list) => list.run(printer),
        Command::Search(search) => search.run(printer),
        Command::Discover(discover) => discover.run(printer),
        Command::Listing(listing) => listing.run(printer),
        Command::Check(check) => check.run(printer),
        Command::Schema(schema) => schema.run(printer),
        Command::Call(call) => call.run(printer),
        Command::Info(info) => info.run(printer),
        Command::Deps(deps) => deps.run(printer),
        Command::Doctor(doctor) => doctor.run(printer),
        Command::Connect(connect) => connect.run(printer),
        Command::ConnectClient(connect) => connect.run(printer),
        Command::HostAdapter(adapter) => adapter.run(printer),
        Command::New(new) => new.run(printer),
        Command::State(state) => state.run(printer),
        Command::Completions(completions) => {
            completions.run(printer);
            Ok(())
        }
        Command::Config(config) => config.run(printer),
    };
    if let (Ok(()) | Err(Failure::Answered | Failure::NothingFound), Some(lost)) =
        (&done, printer.lost())
    {
        printer.say(&format!("error: {lost}"));
        return ExitCode::from(2);
    }
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Answered) => ExitCode::from(1),
        Err(Failure::NothingFound) => ExitCode::from(2),
        Err(Failure::Usage(message)) => {
            printer.say(&format!("error: {message}"));
            ExitCode::from(2)
        }
    }
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn usage(printer: Printer, answer: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2));
    if answer.use_stderr() {
        // There is no other place to tell that standard error is gone.
        let _ = answer.print();
        return code;
    }
    let help = answer.render();
    if printer.color() {
        printer.text(&help.ansi().to_string());
    } else {
        printer.text(&help.to_string());
    }
    let Some(lost) = printer.lost() else {
        return code;
    };
    printer.say(&format!("error: {lost}"));
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;

    /// The commands that do something, by their words.
    fn leaves(command: &clap::Command, words: &str, found: &mut Vec<(String, clap::Command)>) {
        let mut below = command.get_subcommands().peekable();
        if below.peek().is_none() {
            found.push((words.trim_start().to_owned(), command.clone()));
        }
        for command in below {
            leaves(command, &format!("{words} {}", command.get_name()), found);
        }
    }

    #[test]
    fn every_command_but_the_servers_prints_json() {
        let mut found = Vec::new();
        leaves(&Cli::command(), "", &mut found);
        let without: Vec<&str> = found
            .iter()
            .filter(|(_, command)| command.get_opts().all(|it| it.get_long() != Some("json")))
            .map(|(words, _)| words.as_str())
            .collect();
        // The output of a server is its protocol.
        assert_eq!(without, ["serve", "stdio"]);
        assert!(found.len() > 18, "{}", found.len());
    }

    fn options(name: &str) -> BTreeSet<String> {
        let command = Cli::command();
        let command = command.find_subcommand(name).unwrap();
        let command = command.find_subcommand("show").unwrap_or(command);
        let options = command.get_opts().filter_map(|option| option.get_long());
        options.map(ToOwned::to_owned).collect()
    }

    #[test]
    fn a_client_is_connected_with_every_option_of_its_server() {
        let own = ["stdio", "url", "write", "scope", "name", "json"].map(ToOwned::to_owned);
        let mut handed_on = options("connect-client");
        for option in &own {
            assert!(handed_on.remove(option), "{option}");
        }
        assert_eq!(handed_on, options("stdio"));
    }

    #[test]
    fn the_settings_are_shown_with_every_option_that_makes_one() {
        let shown = options("config");
        let meant = ["json", "insecure"].map(ToOwned::to_owned);
        for option in options("stdio").union(&options("serve")) {
            assert!(shown.contains(option) || meant.contains(option), "{option}");
        }
        for key in config::Key::ALL {
            let option = key.option().and_then(|option| option.strip_prefix("--"));
            assert!(
                option.is_none_or(|option| shown.contains(option)),
                "{option:?}"
            );
        }
    }
}
