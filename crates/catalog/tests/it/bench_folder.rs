//! A folder of skills for one test.

use std::fs;
use std::path::{Path, PathBuf};

use metier_catalog::{
    CallError, CallRequest, CatalogSettings, CatalogSnapshot, ListedKind, SkillCatalog,
    ToolDispatcher, ToolRegistry,
};
use metier_runner::EnvLookup;
use metier_tool::ToolOutput;
use serde_json::Value;

/// Skills in a temporary folder, and a catalog over them.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) catalog: SkillCatalog,
    pub(crate) dispatcher: ToolDispatcher,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut CatalogSettings)) -> Self {
        let mut settings = CatalogSettings::default();
        // The interpreters come from the machine's path; nothing else of its environment does.
        let path = std::env::var_os("PATH").unwrap_or_default();
        settings.run.environment = EnvLookup::new([("PATH", path)]);
        change(&mut settings);
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        Self {
            folder: tempfile::tempdir().unwrap(),
            catalog: SkillCatalog::new(registry).with_dispatcher(dispatcher.clone()),
            dispatcher,
        }
    }

    /// One skill `set` with the tool `one` in the group `g`.
    pub(crate) fn with_a_group() -> Self {
        let bench = Self::new();
        bench.skill_with_tools(
            "set",
            "groups: [{name: g}]\ntools: [{name: one, group: g, source_file: scripts/run.py}]\n",
            ECHO,
        );
        bench.discover();
        bench
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// A skill without tools; `dcc_mcp` is the YAML below `metadata.dcc-mcp`, a line each.
    pub(crate) fn skill(&self, name: &str, dcc_mcp: &[&str]) {
        let mut text = format!("---\nname: {name}\ndescription: The {name} skill.\n");
        if !dcc_mcp.is_empty() {
            text.push_str("metadata:\n  dcc-mcp:\n");
            for line in dcc_mcp {
                text.push_str("    ");
                text.push_str(line);
                text.push('\n');
            }
        }
        text.push_str("---\n");
        self.file(&format!("{name}/SKILL.md"), &text);
    }

    /// A skill with a tools file and a Python script for every tool that has no other.
    pub(crate) fn skill_with_tools(&self, name: &str, tools: &str, script: &str) {
        self.skill(name, &["tools: tools.yaml"]);
        self.file(&format!("{name}/tools.yaml"), tools);
        self.file(&format!("{name}/scripts/run.py"), script);
    }

    pub(crate) fn discover(&self) {
        self.catalog.discover(&[self.path().to_owned()], None);
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, CallError> {
        self.dispatcher
            .call(CallRequest::new(tool, Some(arguments)))
            .await
    }

    pub(crate) async fn output(&self, tool: &str, arguments: Value) -> ToolOutput {
        self.call(tool, arguments).await.unwrap()
    }

    pub(crate) async fn structured(&self, tool: &str, arguments: Value) -> Value {
        self.output(tool, arguments)
            .await
            .structured
            .map_or(Value::Null, Value::Object)
    }

    pub(crate) fn listed(&self) -> Vec<String> {
        self.catalog
            .snapshot()
            .tools()
            .iter()
            .map(|tool| tool.name.clone())
            .collect()
    }

    /// The listed names behind the server's own tools.
    pub(crate) fn beyond_core(&self) -> Vec<String> {
        beyond_core(&self.catalog.snapshot())
    }
}

pub(crate) fn beyond_core(snapshot: &CatalogSnapshot) -> Vec<String> {
    let own = [ListedKind::Core, ListedKind::Text];
    let tools = snapshot.tools().iter();
    tools
        .filter(|tool| !own.contains(&tool.kind))
        .map(|tool| tool.name.clone())
        .collect()
}

/// Echoes its arguments.
pub(crate) const ECHO: &str =
    "import json, sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n";
