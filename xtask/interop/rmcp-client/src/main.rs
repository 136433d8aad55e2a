//! Drives a server with rmcp's client: `rmcp-client PLAN`. The mode is `legacy` or `discover`.
//!
//! The steps are those of `demo_steps.py`; one JSON object a step is printed.

mod protocol;
mod skills;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ProtocolVersion, ServerNotification, SubscriptionFilter};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

/// A notice that takes longer than this did not come.
const SOON: Duration = Duration::from_secs(15);
const STEP: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct Plan {
    url: Option<String>,
    command: Option<Vec<String>>,
    environment: BTreeMap<String, String>,
    only_files: bool,
    mode: String,
    revision: String,
    core: Vec<String>,
    folder: std::path::PathBuf,
    skills: Vec<String>,
    front_matter: BTreeMap<String, Value>,
    skill: String,
    tool: String,
    hint: String,
    query: String,
    required: Vec<String>,
    arguments: Map<String, Value>,
    finds: String,
    wrong: Map<String, Value>,
    wrong_words: Vec<String>,
}

/// A permit for each notice.
#[derive(Clone)]
struct Handler(Arc<Semaphore>);

impl ClientHandler for Handler {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.add_permits(1);
    }
}

type Step = Result<String, String>;

struct Drive {
    plan: Plan,
    client: RunningService<RoleClient, Handler>,
    heard: Arc<Semaphore>,
}

fn words(error: impl Display) -> String {
    error.to_string()
}

fn check(holds: bool, otherwise: impl Display) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_string())
    }
}

impl Drive {
    async fn connect(plan: Plan) -> Result<Self, String> {
        let heard = Arc::new(Semaphore::new(0));
        let handler = Handler(Arc::clone(&heard));
        let modern = plan.mode == "discover";
        let mode = if modern {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let client = if let Some(url) = &plan.url {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            handler
                .serve_with_lifecycle(transport, mode)
                .await
                .map_err(words)?
        } else {
            let (program, arguments) = plan
                .command
                .as_deref()
                .and_then(<[String]>::split_first)
                .ok_or("the plan has no server")?;
            let mut command = tokio::process::Command::new(program);
            command.args(arguments).env_clear().envs(&plan.environment);
            let transport = TokioChildProcess::new(command).map_err(words)?;
            handler
                .serve_with_lifecycle(transport, mode)
                .await
                .map_err(words)?
        };
        if modern {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            let mut subscription = client.listen(filter).await.map_err(words)?;
            let heard = Arc::clone(&heard);
            tokio::spawn(async move {
                while let Ok(Some(notice)) = subscription.next().await {
                    if matches!(notice, ServerNotification::ToolListChangedNotification(_)) {
                        heard.add_permits(1);
                    }
                }
            });
        }
        Ok(Self {
            plan,
            client,
            heard,
        })
    }

    fn stub(&self) -> String {
        format!("__skill__{}", self.plan.skill)
    }

    /// Each tool with its schema.
    async fn tools(&self) -> Result<Vec<(String, Map<String, Value>)>, String> {
        let tools = self.client.list_all_tools().await.map_err(words)?;
        Ok(tools
            .into_iter()
            .map(|tool| (tool.name.into_owned(), Map::clone(&tool.input_schema)))
            .collect())
    }

    async fn names(&self) -> Result<Vec<String>, String> {
        Ok(self
            .tools()
            .await?
            .into_iter()
            .map(|(name, _)| name)
            .collect())
    }

    /// Whether it failed, its text, its structured content.
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(bool, String, Option<Value>), String> {
        let request = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let result = self.client.call_tool(request).await.map_err(words)?;
        let text: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| Some(block.as_text()?.text.as_str()))
            .collect();
        Ok((
            result.is_error == Some(true),
            text.join("\n"),
            result.structured_content.clone(),
        ))
    }

    async fn works(&self, name: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        let (is_error, text, structured) = self.call(name, arguments).await?;
        check(!is_error, format_args!("{name} failed: {text}"))?;
        structured.ok_or_else(|| format!("{name} answered without structuredContent"))
    }

    async fn refused(&self, name: &str, arguments: Map<String, Value>, words: &[String]) -> Step {
        let (is_error, text, _) = self.call(name, arguments).await?;
        check(is_error, format_args!("{name} was not refused: {text}"))?;
        for word in words {
            check(
                text.contains(word),
                format_args!("the refusal of {name} does not say {word}: {text}"),
            )?;
        }
        Ok(String::new())
    }

    async fn hear(&self, notices: u32) -> Step {
        match tokio::time::timeout(SOON, self.heard.acquire_many(notices)).await {
            Ok(_) => Ok(String::new()),
            Err(_) => Err(format!(
                "{} notices came, {notices} were expected",
                self.heard.available_permits()
            )),
        }
    }

    async fn connected(&self) -> Step {
        let info = self
            .client
            .peer_info()
            .ok_or("the client knows no server")?;
        let version = info.protocol_version.to_string();
        check(
            version == self.plan.revision,
            format_args!("came to {version}"),
        )?;
        Ok(version)
    }

    async fn list(&self) -> Step {
        let names = self.names().await?;
        check(
            names.starts_with(&self.plan.core),
            format_args!("the list is {names:?}"),
        )?;
        let mut stubs: Vec<_> = names
            .iter()
            .filter_map(|name| name.strip_prefix("__skill__"))
            .collect();
        stubs.sort_unstable();
        check(
            stubs == self.plan.skills,
            format_args!("the stubs are {stubs:?}"),
        )?;
        Ok(format!("{} tools", names.len()))
    }

    async fn search(&self) -> Step {
        let answer = self
            .works("search_skills", object(json!({"query": self.plan.query})))
            .await?;
        check(
            answer["hits"][0]["name"] == *self.plan.skill,
            format_args!("the answer is {answer}"),
        )?;
        Ok(String::new())
    }

    async fn load(&self) -> Step {
        let answer = self
            .works("load_skill", object(json!({"skill_name": self.plan.skill})))
            .await?;
        check(
            answer["loaded"].to_string().contains(&self.plan.skill),
            format_args!("the answer is {answer}"),
        )?;
        Ok(String::new())
    }

    async fn schema(&self) -> Step {
        let tools = self.tools().await?;
        check(
            !tools.iter().any(|(name, _)| *name == self.stub()),
            "the stub is still listed",
        )?;
        let schema = tools
            .iter()
            .find(|(name, _)| *name == self.plan.tool)
            .map(|(_, schema)| schema);
        let required = schema.and_then(|schema| schema.get("required"));
        check(
            required == Some(&json!(self.plan.required)),
            format_args!("required is {required:?}"),
        )?;
        Ok(String::new())
    }

    async fn call_tool(&self) -> Step {
        let answer = self
            .works(&self.plan.tool, self.plan.arguments.clone())
            .await?;
        check(
            answer.to_string().contains(&self.plan.finds),
            format_args!("the answer is {answer}"),
        )?;
        Ok(String::new())
    }

    async fn unload(&self) -> Step {
        self.works(
            "unload_skill",
            object(json!({"skill_name": self.plan.skill})),
        )
        .await?;
        let names = self.names().await?;
        check(names.contains(&self.stub()), "the stub is not back")?;
        check(!names.contains(&self.plan.tool), "the tool is still listed")?;
        Ok(String::new())
    }

    async fn once_each(&self) -> Step {
        self.hear(2).await?;
        let heard = self.heard.available_permits();
        check(
            heard == 2,
            format_args!("{heard} notices came of 2 changes"),
        )?;
        Ok(String::new())
    }

    async fn all(&self) -> bool {
        let plan = &self.plan;
        let hint = std::slice::from_ref(&plan.hint);
        let stub = self.stub();
        if plan.only_files {
            let connected = said("connect", self.connected()).await;
            let read = skills::verified(&self.client, plan);
            return said("skills: every file read and verified", read).await && connected;
        }
        let steps = [
            said("connect", self.connected()).await,
            said("list: core tools, then stubs", self.list()).await,
            said(
                "skills: every file read and verified",
                skills::verified(&self.client, plan),
            )
            .await,
            said(
                "a stub says how to load",
                self.refused(&stub, Map::new(), hint),
            )
            .await,
            said("search finds the skill", self.search()).await,
            said(
                "skills_listing, and nothing new with its token",
                protocol::listing(self),
            )
            .await,
            said("discover_skills finds the skill", protocol::discover(self)).await,
            said("skill gives its instructions", protocol::activate(self)).await,
            said("load_skill", self.load()).await,
            said("list_changed is heard", self.hear(1)).await,
            said("the tool has its schema", self.schema()).await,
            said("call the tool", self.call_tool()).await,
            said(
                "a wrong argument is named",
                self.refused(&plan.tool, plan.wrong.clone(), &plan.wrong_words),
            )
            .await,
            said("unload_skill, the stub is back", self.unload()).await,
            said("one notice for each change", self.once_each()).await,
        ];
        steps.into_iter().all(|passed| passed)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Takes a step and prints how it went.
async fn said(step: &str, action: impl Future<Output = Step>) -> bool {
    let outcome = tokio::time::timeout(STEP, action)
        .await
        .unwrap_or_else(|_| Err(format!("took longer than {} s", STEP.as_secs())));
    let (ok, note) = match outcome {
        Ok(note) => (true, note),
        Err(why) => (false, why.chars().take(300).collect()),
    };
    println!("{}", json!({"step": step, "ok": ok, "note": note}));
    ok
}

async fn drive() -> Result<bool, String> {
    let path = std::env::args().nth(1).ok_or("which plan?")?;
    let text = std::fs::read_to_string(path).map_err(words)?;
    let plan = serde_json::from_str(&text).map_err(words)?;
    let drive = tokio::time::timeout(STEP, Drive::connect(plan))
        .await
        .map_err(words)??;
    let passed = drive.all().await;
    drive.client.cancel().await.map_err(words)?;
    Ok(passed)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match drive().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            said("from connecting to closing", async { Err(why) }).await;
            ExitCode::FAILURE
        }
    }
}
