//! The programs of `[[hooks]]`: registered for a catalog, and looked for before anything depends on them.

use metier::CatalogSettings;
use metier::runner::ProgramHook;

use crate::config::{Config, Fault, HookSetting, Sourced};

const CURE: &str = "correct `command`, or remove the hook";

/// Registers the programs in the order of the file.
pub(crate) fn register(config: &Config, settings: &CatalogSettings) {
    let gate = settings.run.gate.another();
    for hook in &config.layer.hooks {
        let program = program(hook, settings).gate(gate.clone());
        settings
            .hooks
            .register(program.registration(hook.value.event));
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
            Fault::new(place, error.to_string(), CURE)
        };
        (hook, found.map_err(fault))
    })
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
