//! The skill protocol: listing, discovery, activation.

use serde_json::{Value, json};

use crate::{Drive, Step, check, object, words};

pub(crate) async fn listing(drive: &Drive) -> Step {
    let first = drive.works("skills_listing", object(json!({}))).await?;
    let text = first["text"].as_str().unwrap_or_default();
    for skill in &drive.plan.skills {
        check(
            text.contains(&format!("- {skill}")),
            format_args!("the listing lacks {skill}: {text}"),
        )?;
    }
    let token = object(json!({"token": first["token"]}));
    let again = drive.works("skills_listing", token).await?;
    check(
        again["kind"] == "unchanged" && again["text"] == "",
        format_args!("with its token it is {again}"),
    )?;
    Ok(format!("{} characters", text.chars().count()))
}

pub(crate) async fn discover(drive: &Drive) -> Step {
    let query = object(json!({"query": drive.plan.query}));
    let answer = drive.works("discover_skills", query).await?;
    check(
        answer["hits"][0]["name"] == *drive.plan.skill,
        format_args!("the answer is {answer}"),
    )?;
    Ok(answer["stage"].as_str().unwrap_or_default().to_owned())
}

pub(crate) async fn activate(drive: &Drive) -> Step {
    let name = &drive.plan.skill;
    let wanted = object(json!({"skill_name": format!("/{name}")}));
    let (is_error, text, structured) = drive.call("skill", wanted).await?;
    check(!is_error, format_args!("skill failed: {text}"))?;
    let base = structured.as_ref().map(|structured| &structured["base"]);
    check(
        base == Some(&Value::from(format!("skill://{name}"))),
        format_args!("the base is {base:?}"),
    )?;
    let file = drive.plan.folder.join(name).join("SKILL.md");
    let file = std::fs::read_to_string(file).map_err(words)?;
    let body = file.split_once("\n---\n").map_or("", |(_, body)| body);
    let line = body.lines().find(|line| !line.trim().is_empty());
    check(
        text.contains(line.unwrap_or_default()),
        format_args!("the text lacks {line:?}: {text}"),
    )?;
    Ok(String::new())
}
