// The steps that every JavaScript client goes through, on the demo skills; the same as in demo_steps.py.
//
// A driver makes a peer of its client and hands it to `run`. A peer has
//   revision   what is spoken, or nothing when the client does not tell
//   tools()    every tool, all pages, asked of the server
//   call(name, arguments)   {isError, text, structured}
//   skills()   every entry of skills/list, all pages; nothing when the client cannot read skills
//   read(entry, uri)   the bytes of a file of a skill, when it has skills
//   children(uri)      the direct children of a directory, [{uri, mimeType}], when it has skills
//   notices    a Notices, or nothing for a client that hears none
//   loaded     of a client that starts a server of its own for each request, so that nothing stays loaded: tools() and
//              call(…) of servers that have the skill loaded from the start
//   extra      more steps of its own: [[name, action], …], gone through after the list
//   close()
// One JSON object a step is printed: {"step": …, "ok": …, "note": …}.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";

// A notice that takes longer than this did not come; a step that takes longer than that has failed.
const SOON = 15_000;
const STEP = 60_000;

export class Notices {
  count = 0;
  #waiting = [];

  note() {
    this.count += 1;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async atLeast(wanted) {
    const end = Date.now() + SOON;
    while (this.count < wanted && Date.now() < end) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.#waiting.push(() => (clearTimeout(timer), resolve()));
      });
    }
    check(this.count >= wanted, `${this.count} notices came within ${SOON / 1000} s, ${wanted} were expected`);
  }
}

export function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

export function shorten(text) {
  return text.length <= 300 ? text : `${text.slice(0, 300)} …`;
}

function report(step, ok, note = "") {
  process.stdout.write(`${JSON.stringify({ step, ok, note })}\n`);
}

export function textOf(result) {
  return (result.content ?? []).map((item) => item.text ?? "").join("\n");
}

/** The bytes of a resource's only content. */
export function contentOf({ contents }) {
  check(contents.length === 1, `${contents.length} contents came for one resource`);
  const [{ text, blob }] = contents;
  return text === undefined ? Buffer.from(blob, "base64") : Buffer.from(text);
}

/** What a skill's folder holds, hidden files aside: [path, bytes] with forward slashes. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => !parts.some((part) => part.startsWith(".")))
    .map((parts) => [parts.join("/"), readFileSync(join(folder, ...parts))]);
}

/** Each directory from the root on, with its direct children and whether they are directories themselves. */
function directories(root, files) {
  const found = {};
  for (const uri of files) {
    for (let child = uri, isDirectory = false; child !== root; isDirectory = true) {
      const parent = child.slice(0, child.lastIndexOf("/"));
      (found[parent] ??= {})[child] = isDirectory;
      child = parent;
    }
  }
  return found;
}

async function skillsVerified(plan, peer) {
  const entries = await peer.skills();
  const nameOf = (entry) => entry.uri.split("/").at(-2);
  const names = entries.map(nameOf).sort();
  check(isDeepStrictEqual(names, Object.keys(plan.front_matter).sort()), `the skills are ${names}`);
  let read = 0;
  for (const entry of entries) {
    const name = nameOf(entry);
    const root = entry.uri.slice(0, -"/SKILL.md".length);
    const wanted = plan.front_matter[name];
    for (const field of new Set([...Object.keys(entry.frontmatter), ...Object.keys(wanted)])) {
      const [one, other] = [entry.frontmatter[field], wanted[field]];
      check(isDeepStrictEqual(one, other), `${name}: ${field} is ${JSON.stringify(one)}, SKILL.md says ${JSON.stringify(other)}`);
    }
    const files = Object.fromEntries(filesBelow(join(plan.folder, name)).map(([path, bytes]) => [`${root}/${path}`, bytes]));
    const listed = entry.resources.map(({ uri }) => uri);
    check(isDeepStrictEqual([...listed].sort(), Object.keys(files).sort()), `${name} lists ${listed}`);
    for (const { uri, size, digest } of entry.resources) {
      const bytes = Buffer.from(await peer.read(entry, uri));
      check(bytes.equals(files[uri]), `${uri} has other bytes than its file`);
      check(bytes.length === size, `${uri} is ${bytes.length} bytes, ${size} were promised`);
      const found = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      check(found === digest, `${uri} has ${found}, ${digest} was promised`);
      read += 1;
    }
    for (const [folder, wantedChildren] of Object.entries(directories(root, listed))) {
      const children = await peer.children(folder);
      const kinds = Object.fromEntries(children.map(({ uri, mimeType }) => [uri, mimeType === "inode/directory"]));
      check(isDeepStrictEqual(kinds, wantedChildren), `${folder} holds ${JSON.stringify(kinds)}`);
    }
  }
  return `${read} files of ${entries.length} skills`;
}

function steps(plan, peer) {
  const stub = `__skill__${plan.skill}`;
  const names = async () => (await peer.tools()).map((tool) => tool.name);
  const works = async (name, given, on = peer) => {
    const answer = await on.call(name, given);
    check(!answer.isError, `${name} failed: ${shorten(answer.text)}`);
    check(answer.structured && typeof answer.structured === "object", `${name} answered without structuredContent`);
    return answer.structured;
  };
  const refused = async (name, given, words, on = peer) => {
    const answer = await on.call(name, given);
    check(answer.isError, `${name} was not refused: ${shorten(answer.text)}`);
    for (const word of words) {
      check(answer.text.includes(word), `the refusal of ${name} does not say ${word}: ${shorten(answer.text)}`);
    }
  };
  const all = [
    ["connect", async () => {
      check(peer.revision === undefined || peer.revision === plan.revision, `came to ${peer.revision}`);
      return peer.revision;
    }],
    ["list: core tools, then stubs", async () => {
      const found = await names();
      const first = found.slice(0, plan.core.length);
      check(String(first) === String(plan.core), `the list begins with ${first}`);
      const stubs = found.filter((name) => name.startsWith("__skill__")).sort();
      const wanted = plan.skills.map((skill) => `__skill__${skill}`).sort();
      check(String(stubs) === String(wanted), `the stubs are ${stubs}, not ${wanted}`);
      return `${found.length} tools`;
    }],
    ...(peer.skills ? [["skills: every file read and verified", () => skillsVerified(plan, peer)]] : []),
    ...(peer.extra ?? []),
    ["a stub says how to load", () => refused(stub, {}, [plan.hint])],
    ["search finds the skill", async () => {
      const { hits } = await works("search_skills", { query: plan.query });
      check(Array.isArray(hits) && hits[0]?.name === plan.skill, `the hits are ${shorten(JSON.stringify(hits))}`);
    }],
    ["skills_listing, and nothing new with its token", async () => {
      const first = await works("skills_listing", {});
      const missing = plan.skills.filter((skill) => !first.text.includes(`- ${skill}`));
      check(missing.length === 0, `the listing lacks ${missing}: ${shorten(first.text)}`);
      const again = await works("skills_listing", { token: first.token });
      check(again.kind === "unchanged" && again.text === "", `with its token it is ${shorten(JSON.stringify(again))}`);
      return `${first.text.length} characters`;
    }],
    ["discover_skills finds the skill", async () => {
      const { hits, stage } = await works("discover_skills", { query: plan.query });
      check(hits[0]?.name === plan.skill, `the hits are ${hits.map(({ name }) => name)}`);
      return stage;
    }],
    ["skill gives its instructions", async () => {
      const answer = await peer.call("skill", { skill_name: `/${plan.skill}` });
      check(!answer.isError && answer.structured, `skill failed: ${shorten(answer.text)}`);
      check(answer.structured.base === `skill://${plan.skill}`, `the base is ${answer.structured.base}`);
      const file = readFileSync(join(plan.folder, plan.skill, "SKILL.md"), "utf8");
      const line = file.slice(file.indexOf("\n---\n") + 5).split("\n").find((line) => line.trim());
      check(answer.text.includes(line), `the text lacks ${line}: ${shorten(answer.text)}`);
    }],
    ["load_skill", async () => {
      const { loaded } = await works("load_skill", { skill_name: plan.skill });
      check(JSON.stringify(loaded ?? null).includes(plan.skill), `loaded is ${JSON.stringify(loaded)}`);
    }],
  ];
  if (plan.only_files) return all.filter(([name]) => name === "connect" || /^skills[: ]/.test(name));
  if (peer.notices) all.push(["list_changed is heard", () => peer.notices.atLeast(1)]);
  const then = peer.loaded ?? peer;
  all.push(
    ["the tool has its schema", async () => {
      const tools = await then.tools();
      check(!tools.some((tool) => tool.name === stub), "the stub is still listed");
      const tool = tools.find((tool) => tool.name === plan.tool);
      check(tool, `${plan.tool} is not among ${tools.map((tool) => tool.name)}`);
      check(String(tool.inputSchema.required) === String(plan.required), `required is ${tool.inputSchema.required}`);
    }],
    ["call the tool", async () => {
      const answer = JSON.stringify(await works(plan.tool, plan.arguments, then));
      check(answer.includes(plan.finds), `the answer is ${shorten(answer)}`);
    }],
    ["a wrong argument is named", () => refused(plan.tool, plan.wrong, plan.wrong_words, then)],
  );
  if (peer.loaded) return all;
  all.push(
    ["unload_skill, the stub is back", async () => {
      await works("unload_skill", { skill_name: plan.skill });
      const found = await names();
      check(found.includes(stub), "the stub is not back");
      check(!found.includes(plan.tool), `${plan.tool} is still listed`);
    }],
  );
  if (peer.notices) {
    all.push(["one notice for each change", async () => {
      await peer.notices.atLeast(2);
      check(peer.notices.count === 2, `${peer.notices.count} notices came of 2 changes`);
    }]);
  }
  return all;
}

async function bounded(action) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${STEP / 1000} s`)), STEP);
  });
  try {
    return await Promise.race([action(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Drives the server of the plan in the first argument with the client that `connect(plan)` makes. */
export async function run(connect) {
  const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
  let passed = true;
  try {
    const peer = await bounded(() => connect(plan));
    for (const [name, action] of steps(plan, peer)) {
      try {
        report(name, true, (await bounded(action)) ?? "");
      } catch (error) {
        passed = false;
        report(name, false, shorten(String(error?.message ?? error)));
      }
    }
    await bounded(() => peer.close());
  } catch (error) {
    console.error(error);
    passed = false;
    report("from connecting to closing", false, shorten(String(error?.message ?? error)));
  }
  process.exitCode = passed ? 0 : 1;
}
