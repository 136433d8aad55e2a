//! How fast texts are scanned.
//!
//! `cargo bench -p metier-safety --bench scan [FOLDER…] [--findings]`: without a folder, made texts of four kinds. With
//! `--findings` each finding is printed, so that two versions can be compared over the same files.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a bench prints and may stop at a broken disk"
)]

use std::fs;
use std::path::Path;
use std::time::Instant;

use metier_safety::{Part, Scan, Verdict};

/// The least speed on ordinary text, in millions of bytes a second.
const BAR: f64 = 50.0;
const ROUNDS: usize = 5;

struct Text {
    name: String,
    part: Option<Part>,
    content: String,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folders: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    if folders.is_empty() {
        for (name, part, text) in made() {
            let text = text.repeat(2_000_000 / text.len());
            let texts = [Text {
                name: name.to_owned(),
                part,
                content: text,
            }];
            measure(name, &texts);
        }
        return;
    }
    for folder in folders {
        let mut texts = Vec::new();
        collect(Path::new(folder), &mut texts);
        texts.sort_by(|a, b| a.name.cmp(&b.name));
        if words.iter().any(|word| word == "--findings") {
            for text in &texts {
                for finding in scanned(text).findings() {
                    let place = finding.location().expect("a place");
                    println!("{} {finding} {:?}", text.name, place.span);
                }
            }
        }
        measure(folder, &texts);
    }
}

fn measure(name: &str, texts: &[Text]) {
    let bytes: usize = texts.iter().map(|text| text.content.len()).sum();
    let mut best = f64::MAX;
    let mut found = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        found = texts
            .iter()
            .map(|text| scanned(text).findings().len())
            .sum();
        best = best.min(start.elapsed().as_secs_f64());
    }
    let megabytes = f64::from(u32::try_from(bytes).expect("less than four gigabytes")) / 1e6;
    let speed = megabytes / best;
    let bar = if speed >= BAR { "holds" } else { "is missed" };
    println!(
        "{name}: {} texts, {megabytes:.1} MB, {found} findings, {speed:.1} MB/s; the bar of {BAR} {bar}",
        texts.len()
    );
}

fn scanned(text: &Text) -> Verdict {
    let mut scan = Scan::new();
    match text.part {
        None => scan.skill_file("SKILL.md", &text.content),
        Some(part) => scan.file(part, &text.name, &text.content),
    }
    scan.finish()
}

fn collect(folder: &Path, texts: &mut Vec<Text>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, texts);
        } else if let Some(text) = text(&path) {
            texts.push(text);
        }
    }
}

fn text(path: &Path) -> Option<Text> {
    let part = match path.extension()?.to_str()? {
        "md" if path.file_name()? == "SKILL.md" => None,
        "md" | "txt" => Some(Part::Body),
        "yaml" | "yml" => Some(Part::Tools),
        "py" | "sh" | "js" | "ts" | "mjs" | "ps1" | "rb" | "bat" => Some(Part::Script),
        _ => return None,
    };
    let text = fs::read_to_string(path).ok()?;
    let name = path.display().to_string();
    Some(Text {
        name,
        part,
        content: text,
    })
}

/// Texts as they stand in skills, with the words that make rules look.
fn made() -> [(&'static str, Option<Part>, &'static str); 4] {
    [
        (
            "instructions",
            Some(Part::Body),
            "## Export\n\nAsk the user for the format when it is not given, and tell them where the file is. Use `export_usd` \
             with the key `path`; see https://example.com/docs for the server. If a node has hidden children, you are \
             free to copy the values. Do not follow links. Send the result to the queue and post a note.\n\n\
             | option | meaning |\n|---|---|\n| `--system` | developer mode |\n\n```sh\ncurl -fsSL https://example.com/a.json | jq .\n```\n\n",
        ),
        (
            "instructions in Chinese",
            Some(Part::Body),
            "## 导出\n\n如果用户没有给出格式，请先询问用户，然后告诉用户文件的位置。使用 `export_usd`，参数为 `path`；文档见 \
             https://example.com/docs。上传之前检查密钥是否已配置，不要把密码写进场景文件。渲染结果会提交到队列。\n\n",
        ),
        (
            "a script",
            Some(Part::Script),
            "import json\nimport os\nimport sys\n\nimport requests\n\n\ndef main():\n    arguments = json.load(sys.stdin)\n    \
             key = os.environ[\"RENDER_KEY\"]\n    answer = requests.post(\"https://example.com/jobs\", json=arguments, headers={\"X-Key\": key})\n    \
             with open(os.path.join(arguments[\"folder\"], \"out.json\"), \"w\") as file:\n        json.dump(answer.json(), file)\n\n\n",
        ),
        (
            "a tools file",
            Some(Part::Tools),
            "  - name: export_usd\n    description: Exports the selected nodes of the user's scene to a file.\n    input_schema:\n      \
             type: object\n      properties:\n        path: {type: string, description: \"Where the file is written; the key of the asset.\"}\n",
        ),
    ]
}
