//! A folder of skills, seen by a lenient catalog, a strict one and the check.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier::catalog::CallRequest;
use metier::check::{CheckOptions, CheckReport, Verdict, check};
use metier::loader::{Root, RootLabel, scan};
use metier::runner::EnvLookup;
use metier::skill_model::{SkillMetadata, SkillStatus, SkillSummary};
use metier::{CatalogSettings, ParseMode, SkillCatalog, ToolDispatcher, ToolOutput, ToolRegistry};
use serde_json::{Value, json};

use crate::literate::{folder, sections};

/// A catalog over the folder, in one mode.
pub(crate) struct Seen {
    pub(crate) catalog: SkillCatalog,
    dispatcher: ToolDispatcher,
}

pub(crate) struct Case {
    folder: tempfile::TempDir,
    roots: Vec<String>,
    pub(crate) lenient: Seen,
    pub(crate) strict: Seen,
}

fn settings(mode: ParseMode) -> CatalogSettings {
    let mut settings = CatalogSettings::default();
    settings.parse_mode = mode;
    // The interpreters come from the machine's path; nothing else of its environment does.
    let path = std::env::var_os("PATH").unwrap_or_default();
    settings.run.environment = EnvLookup::new([("PATH", path)]);
    settings
}

impl Seen {
    pub(crate) fn new(settings: CatalogSettings) -> Self {
        let registry = ToolRegistry::with_settings(settings);
        let dispatcher = ToolDispatcher::new(registry.clone());
        Self {
            catalog: SkillCatalog::new(registry).with_dispatcher(dispatcher.clone()),
            dispatcher,
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        self.try_call(tool, Some(arguments)).await.unwrap()
    }

    pub(crate) async fn try_call(
        &self,
        tool: &str,
        arguments: Option<Value>,
    ) -> Result<ToolOutput, metier::catalog::CallError> {
        let request = CallRequest::new(tool, arguments);
        self.dispatcher.call(request).await
    }

    pub(crate) async fn structured(&self, tool: &str, arguments: Value) -> Value {
        let output = self.call(tool, arguments).await;
        output.structured.map_or(Value::Null, Value::Object)
    }

    fn everything(&self) -> Vec<SkillSummary> {
        let mut all = self.catalog.list_skills(None);
        all.extend(self.catalog.list_skills(Some(SkillStatus::Skipped)));
        all.extend(self.catalog.list_skills(Some(SkillStatus::Shadowed)));
        all
    }

    /// `name status` of all that was found, by name.
    pub(crate) fn statuses(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .everything()
            .iter()
            .map(|skill| format!("{} {}", skill.name, skill.status))
            .collect();
        lines.sort();
        lines
    }

    /// Everything that is said of a skill, with the cures.
    pub(crate) fn said(&self, name: &str) -> String {
        let mut said = String::new();
        for skill in self.everything().iter().filter(|skill| skill.name == name) {
            for finding in &skill.diagnostics {
                let help = finding.help.as_deref().unwrap_or_default();
                let _ = writeln!(said, "{finding} {help}");
            }
        }
        said
    }

    pub(crate) fn metadata(&self, name: &str) -> Value {
        let info = self.catalog.get_skill_info(name).unwrap();
        serde_json::to_value(info.metadata.unwrap()).unwrap()
    }

    /// Why a skill is not served as a resource.
    pub(crate) fn not_served(&self, name: &str) -> Option<String> {
        self.catalog.get_skill_info(name).unwrap().not_served
    }

    pub(crate) async fn load(&self, name: &str) -> Result<Vec<String>, String> {
        let loaded = self.catalog.load_skill(name).await;
        loaded.map_err(|error| error.to_string())
    }

    /// The listed tools of loaded skills.
    pub(crate) fn listed(&self) -> Vec<String> {
        let snapshot = self.catalog.snapshot();
        let own = |name: &str| metier::skill_model::is_reserved(name);
        snapshot
            .tools()
            .iter()
            .map(|tool| tool.name.clone())
            .filter(|name| !own(name))
            .collect()
    }

    pub(crate) fn tool(&self, name: &str) -> Value {
        let snapshot = self.catalog.snapshot();
        let found = snapshot.tools().iter().find(|tool| tool.name == name);
        serde_json::to_value(&**found.unwrap_or_else(|| panic!("{name} is not listed"))).unwrap()
    }
}

impl Case {
    pub(crate) fn empty() -> Self {
        Self::of(tempfile::tempdir().unwrap(), &[])
    }

    /// The section of `fixtures/spec` that bears the number.
    pub(crate) async fn spec(number: u16) -> Self {
        let mark = format!("{number:03}");
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/spec");
        let documents = std::fs::read_dir(place).unwrap();
        let section = documents
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .flat_map(|document| sections(&document))
            .find(|section| {
                let numbers = section.heading.rsplit_once('(').map(|(_, numbers)| numbers);
                numbers.is_some_and(|numbers| numbers.contains(&mark))
            })
            .unwrap_or_else(|| panic!("no section for {mark}"));
        let folder = folder(&section.blocks);
        let roots: Vec<&str> = ["first", "second"]
            .into_iter()
            .filter(|root| folder.path().join(root).is_dir())
            .collect();
        let case = Self::of(folder, &roots);
        case.discover();
        case.holds().await;
        case
    }

    fn of(folder: tempfile::TempDir, roots: &[&str]) -> Self {
        Self {
            folder,
            roots: roots.iter().map(|root| (*root).to_owned()).collect(),
            lenient: Seen::new(settings(ParseMode::Lenient)),
            strict: Seen::new(settings(ParseMode::Strict)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        file
    }

    /// A skill; `dcc_mcp` is the flow mapping below `metadata.dcc-mcp`.
    pub(crate) fn skill(&self, path: &str, dcc_mcp: &str) {
        let name = path.rsplit('/').next().unwrap();
        let text = format!(
            "---\nname: {name}\ndescription: The {name} skill.\nmetadata: {{dcc-mcp: {{{dcc_mcp}}}}}\n---\n"
        );
        self.write(&format!("{path}/SKILL.md"), text);
    }

    /// A skill with one script for all its tools, which echoes its arguments.
    pub(crate) fn skill_with_tools(&self, path: &str, tools: &str) {
        self.skill(path, "tools: tools.yaml");
        self.write(&format!("{path}/tools.yaml"), tools);
        self.write(
            &format!("{path}/scripts/run.py"),
            "import json, sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n",
        );
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        if self.roots.is_empty() {
            return vec![self.path().to_owned()];
        }
        let roots = self.roots.iter();
        roots.map(|root| self.path().join(root)).collect()
    }

    /// The skills as the low-level surface reads them.
    pub(crate) fn scanned(&self) -> Vec<Arc<SkillMetadata>> {
        let paths = self.paths();
        let roots: Vec<Root> = paths
            .iter()
            .map(|path| Root::new(RootLabel::Explicit, path))
            .collect();
        let skills = scan(&roots, ParseMode::Strict).skills;
        skills
            .iter()
            .map(|skill| Arc::clone(&skill.metadata))
            .collect()
    }

    pub(crate) fn discover(&self) {
        for seen in [&self.lenient, &self.strict] {
            seen.catalog.discover(&self.paths(), None);
        }
    }

    pub(crate) fn check(&self, lenient: bool) -> CheckReport {
        let options = CheckOptions::default();
        check(
            &self.paths(),
            &if lenient { options.lenient() } else { options },
        )
    }

    /// How a skill fares and what is said of it, in both modes.
    pub(crate) fn fares(&self, name: &str, lenient: (&str, &[&str]), strict: (&str, &[&str])) {
        for (seen, (status, words)) in [(&self.lenient, lenient), (&self.strict, strict)] {
            let line = format!("{name} {status}");
            assert!(
                seen.statuses().contains(&line),
                "{line}: {:?}",
                seen.statuses()
            );
            let said = seen.said(name);
            for word in words {
                assert!(said.contains(word), "{name} {status}: `{word}` in {said}");
            }
        }
    }

    /// The same in both modes.
    pub(crate) fn fares_alike(&self, name: &str, status: &str, words: &[&str]) {
        self.fares(name, (status, words), (status, words));
    }

    /// What holds whatever the files: nothing vanishes without a reason where somebody looks, what
    /// is said to be loadable is, and nothing illegal reaches a client.
    pub(crate) async fn holds(&self) {
        for (seen, is_lenient) in [(&self.lenient, true), (&self.strict, false)] {
            let mut texts = vec![
                seen.call("list_skills", json!({"limit": 200}))
                    .await
                    .joined_text(),
            ];
            let listed = seen.structured("list_skills", json!({"limit": 200})).await;
            for skill in seen.everything() {
                let name = &skill.name;
                let asked = json!({"skill_name": name});
                match skill.status {
                    SkillStatus::Skipped => {
                        let rows = |answer: &Value| -> bool {
                            let rows = answer["rejected"].as_array().cloned().unwrap_or_default();
                            rows.iter().any(|row| {
                                row["name"] == json!(name) && row["reasons"][0]["code"].is_string()
                            })
                        };
                        assert!(rows(&listed), "{name} is not listed: {listed}");
                        let found = seen
                            .structured("search_skills", json!({"query": name}))
                            .await;
                        assert!(rows(&found), "{name} is not found: {found}");
                        let known = seen.catalog.list_skills(None);
                        if known.iter().all(|other| other.name != *name) {
                            let refused = seen.call("load_skill", asked).await;
                            let code = skill.diagnostics[0].code.id;
                            assert!(
                                refused.is_error && refused.joined_text().contains(code),
                                "{refused:?}"
                            );
                            texts.push(refused.joined_text());
                        }
                    }
                    SkillStatus::Error => {
                        assert!(!skill.diagnostics.is_empty(), "{name} has no reason");
                        let refused = seen.call("load_skill", asked).await;
                        assert!(refused.is_error, "{refused:?}");
                        texts.push(refused.joined_text());
                    }
                    SkillStatus::Unloaded => {
                        let waits = skill
                            .diagnostics
                            .iter()
                            .any(|found| found.code.id == "MT503");
                        let loaded = seen.call("load_skill", asked.clone()).await;
                        assert_eq!(loaded.is_error, waits, "{loaded:?}");
                        texts.push(loaded.joined_text());
                        texts.push(seen.call("get_skill_info", asked).await.joined_text());
                    }
                    _ => {}
                }
            }
            let snapshot = seen.catalog.snapshot();
            for tool in snapshot.tools() {
                assert!(
                    metier::skill_model::is_wire_safe(&tool.name),
                    "{}",
                    tool.name
                );
                assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            }
            let path = self.path().to_str().unwrap();
            for text in texts {
                assert!(!text.contains(path) && !text.contains('\u{FEFF}'), "{text}");
            }
            self.check_says_the_same(seen, is_lenient);
        }
        // The tests begin with nothing loaded.
        for seen in [&self.lenient, &self.strict] {
            for skill in seen.catalog.list_skills(Some(SkillStatus::Loaded)) {
                let _ = seen.catalog.unload(&skill.name, true);
            }
        }
    }

    fn check_says_the_same(&self, seen: &Seen, is_lenient: bool) {
        let report = self.check(is_lenient);
        let mut checked: Vec<(&str, SkillStatus)> = report
            .skills
            .iter()
            .map(|skill| {
                let status = match skill.verdict {
                    Verdict::Loaded | Verdict::Blocked => SkillStatus::Unloaded,
                    Verdict::Pending => SkillStatus::PendingDeps,
                    Verdict::Unusable => SkillStatus::Error,
                    Verdict::Shadowed => SkillStatus::Shadowed,
                    _ => SkillStatus::Skipped,
                };
                (skill.name.as_str(), status)
            })
            .collect();
        let beside = [SkillStatus::Skipped, SkillStatus::Shadowed];
        let beside = beside
            .into_iter()
            .flat_map(|status| seen.catalog.list_skills(Some(status)));
        let listed: Vec<SkillSummary> = seen
            .catalog
            .list_skills(None)
            .into_iter()
            .chain(beside)
            .collect();
        let mut listed: Vec<(&str, SkillStatus)> = listed
            .iter()
            .map(|skill| match skill.status {
                SkillStatus::Loaded => (skill.name.as_str(), SkillStatus::Unloaded),
                status => (skill.name.as_str(), status),
            })
            .collect();
        checked.sort_unstable();
        listed.sort_unstable();
        assert_eq!(checked, listed);
        // What both find of dependencies stands at one place, in one wording.
        let of_dependencies = |code: &str| matches!(code, "MT501" | "MT502" | "MT503");
        let told = |found: Vec<&metier::diagnostics::Diagnostic>| {
            let found = found
                .into_iter()
                .filter(|found| of_dependencies(found.code.id));
            let mut told: Vec<String> = found
                .map(|found| format!("{:?} {} {:?}", found.labels, found.message, found.help))
                .collect();
            told.sort();
            told
        };
        // Strictly, the check also reads what is rejected.
        if is_lenient {
            let snapshot = seen.catalog.snapshot();
            assert_eq!(
                told(
                    report
                        .findings
                        .iter()
                        .map(|finding| &finding.diagnostic)
                        .collect()
                ),
                told(
                    snapshot
                        .operator_findings()
                        .into_iter()
                        .map(|(_, finding)| finding)
                        .collect()
                ),
            );
        }
    }
}
