//! The programs of `[[hooks]]`: registered for a catalog, and looked for before anything depends on them.

use std::collections::BTreeSet;
use std::path::Path;

use metier::runner::ProgramHook;
use metier::skill_model::{canonical_name, wire_name};
use metier::{CatalogSettings, SkillCatalog};

use crate::config::{Config, Fault, HookSetting, Sourced};
use crate::pasted;
use crate::printer::Printer;

const CURE: &str = "correct `command`, or remove the hook";

/// What mends a program that is not found: most often it is there, and lacks a right or the beginning of its path.
fn cure(hook: &HookSetting) -> String {
    let Some(program) = hook.command.first() else {
        return CURE.to_owned();
    };
    let beside = hook.folder.join(program);
    let is_bare = Path::new(program).components().count() == 1 && !program.starts_with('.');
    if is_bare && beside.is_file() {
        format!("a file of that name lies beside the settings: write `./{program}`")
    } else if !is_bare && beside.is_file() {
        format!(
            "allow it (chmod +x {}), or remove the hook",
            pasted::path(&beside)
        )
    } else {
        CURE.to_owned()
    }
}

/// Registers the programs in the order of the file.
pub(crate) fn register(config: &Config, settings: &CatalogSettings) {
    // A policy that a call waits for does not wait for programs that only hear of something.
    let (policies, listeners) = (settings.run.gate.another(), settings.run.gate.another());
    for hook in &config.layer.hooks {
        let event = hook.value.event;
        let gate = if event.is_policy() {
            &policies
        } else {
            &listeners
        };
        let program = program(hook, settings).gate(gate.clone());
        settings.hooks.register(program.registration(event));
    }
}

/// Where each hook is set, and what would be started for it.
pub(crate) fn found<'a>(
    config: &'a Config,
    settings: &'a CatalogSettings,
) -> impl Iterator<Item = (&'a Sourced<HookSetting>, Result<String, Fault>)> {
    config.layer.hooks.iter().map(|hook| {
        let found = program(hook, settings).find();
        let found = found.map(|path| path.display().to_string());
        let fault = |error: metier::runner::ProgramHookError| {
            let place = format!("{}: hooks.command", hook.origin);
            Fault::new(place, error.to_string(), cure(&hook.value))
        };
        (hook, found.map_err(fault))
    })
}

/// The hooks for tools and skills of which none was found: a policy that is never asked protects nothing.
pub(crate) fn idle(config: &Config, catalog: &SkillCatalog) -> Vec<Fault> {
    let with_names = config
        .layer
        .hooks
        .iter()
        .filter(|hook| !hook.value.only.is_empty());
    let hooks: Vec<_> = with_names.collect();
    if hooks.is_empty() {
        return Vec::new();
    }
    let registry = catalog.registry();
    let skills = catalog.list_skills(None);
    let snapshot = catalog.snapshot();
    let mut tools: BTreeSet<String> = skills
        .iter()
        .flat_map(|skill| {
            let tools = skill.tool_names.iter();
            tools.map(|tool| wire_name(&canonical_name(&skill.name, tool)))
        })
        .collect();
    tools.extend(snapshot.tools().iter().map(|tool| tool.name.clone()));
    let fits_nothing = |hook: &Sourced<HookSetting>, pattern: &String| {
        let mut alone = hook.clone();
        alone.value.only = vec![pattern.clone()];
        let program = program(&alone, registry.settings());
        let fits = |name: &str| program.is_for(name);
        let fits_tool = hook.value.is_about_tools() && tools.iter().any(|name| fits(name));
        !fits_tool && !skills.iter().any(|skill| fits(&skill.name))
    };
    let faults = hooks.into_iter().filter_map(|hook| {
        let names = hook.value.only.iter();
        let idle: Vec<&str> = names
            .filter(|pattern| fits_nothing(hook, pattern))
            .map(String::as_str)
            .collect();
        if idle.is_empty() {
            return None;
        }
        let place = format!("{}: hooks.match", hook.origin);
        let patterns = idle.join("`, `");
        let until = if idle.len() == hook.value.only.len() {
            "until one fits, the hook is not asked"
        } else {
            "until it fits, the hook is asked for the other names alone"
        };
        let event = hook.value.event;
        let (message, name) = if hook.value.is_about_tools() {
            (
                format!("no tool and no skill that was found is called `{patterns}`"),
                "name a skill, or tools like `my_skill__*`",
            )
        } else {
            (
                format!(
                    "no skill that was found is called `{patterns}`, and {event} is about skills"
                ),
                "name a skill, as in `my-skill`",
            )
        };
        Some(Fault::new(place, message, format!("{name}; {until}")))
    });
    faults.collect()
}

/// Tells the operator of those, where tools may be called.
pub(crate) fn warn_if_idle(printer: Printer, config: &Config, catalog: &SkillCatalog) {
    for fault in idle(config, catalog) {
        printer.say(&format!("warning: {fault}"));
    }
}

fn program(hook: &Sourced<HookSetting>, settings: &CatalogSettings) -> ProgramHook {
    let HookSetting {
        command,
        folder,
        only,
        timeout,
        fail_closed,
        ..
    } = &hook.value;
    let run = &settings.run;
    let mut program = ProgramHook::new(command, folder)
        .environment(run.environment.clone(), run.environment_policy.clone())
        .timeout(*timeout)
        .name(format!("{} ({})", hook.value.command_line(), hook.origin));
    for pattern in only {
        program = program.only(pattern);
    }
    if *fail_closed {
        program = program.fail_closed();
    }
    program
}
