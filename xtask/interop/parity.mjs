// Holds the skills that this server answers with against the skill servers of two SDKs, on one folder:
// `parity.mjs PLAN`. `command` in the plan is our server, `rmcp_skills` a program that prints what rmcp's says.
//
// One step an SDK and aspect is printed, as by the drivers. Which media types may differ is in `OTHER_TYPES`, with the
// reasons in docs/skills-parity.md; a difference that no longer is fails as well.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { shorten } from "./demo_steps.mjs";
import { withoutMetadata } from "./plain_skills.mjs";

const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/${name}`)).href);
const { Client } = await load("client");
const { StdioClientTransport } = await load("client/stdio");
const { InMemoryTransport, McpServer } = await load("server");
const { loadSkills } = await load("server/ext/skills/node");

const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
const raw = { "~standard": { version: 1, vendor: "interop", validate: (value) => ({ value }) } };

async function pages(client, method, params, member) {
  const found = [];
  let page;
  do {
    page = await client.request({ method, params: { ...params, cursor: page?.nextCursor } }, raw);
    found.push(...page[member]);
  } while (page.nextCursor !== undefined);
  return found;
}

/** The directories above these files, up to the roots of their skills. */
function above(skill) {
  const root = skill.uri.slice(0, -"/SKILL.md".length);
  const found = new Set();
  for (const { uri } of skill.resources) {
    for (let at = uri; at !== root; found.add(at)) at = at.slice(0, at.lastIndexOf("/"));
  }
  return found;
}

/** What a server says, over a transport: entries, and the children of each directory. */
async function asked(transport) {
  const client = new Client({ name: "parity", version: "0" });
  await client.connect(transport);
  const skills = await pages(client, "skills/list", {}, "skills");
  const directories = {};
  for (const uri of skills.flatMap((skill) => [...above(skill)])) {
    directories[uri] = await pages(client, "resources/directory/read", { uri }, "resources");
  }
  await client.close();
  return { skills, directories };
}

function ours(folder) {
  const [command, ...args] = plan.command;
  args[args.indexOf(plan.folder)] = folder;
  return asked(new StdioClientTransport({ command, args, env: plan.environment }));
}

async function typescript(folder) {
  const server = new McpServer({ name: "parity", version: "0" });
  (await loadSkills(folder)).attach(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  return asked(near);
}

const bySkill = ({ skills }, of) => Object.fromEntries(skills.map((skill) => [skill.uri, of(skill)]));
const byFile = ({ skills }, field) =>
  Object.fromEntries(skills.flatMap((skill) => skill.resources.map((file) => [file.uri, file[field]])));
const children = ({ directories }, of) =>
  Object.fromEntries(
    Object.entries(directories).map(([uri, found]) => [
      uri,
      Object.fromEntries(found.map((child) => [child.uri, of(child)])),
    ]),
  );

const ASPECTS = {
  "the skills": (said) => said.skills.map((skill) => skill.uri).sort(),
  digests: (said) => byFile(said, "digest"),
  sizes: (said) => byFile(said, "size"),
  "front matter": (said) => bySkill(said, (skill) => skill.frontmatter),
  directories: (said) => children(said, (child) => child.mimeType === "inode/directory"),
  "names in directories": (said) => children(said, (child) => child.name),
};

/** The media type of each ending, as directories tell them. */
function mediaTypes({ directories }) {
  const found = {};
  for (const { name, mimeType } of Object.values(directories).flat()) {
    if (mimeType !== "inode/directory") (found[name.slice(name.lastIndexOf(".") + 1)] ??= mimeType ?? null);
  }
  return found;
}

/** The first difference in words. */
function difference(ours, theirs, path = "") {
  const isObject = (value) => value !== null && typeof value === "object";
  if (isObject(ours) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      if (!isDeepStrictEqual(ours[key], theirs[key])) return difference(ours[key], theirs[key], `${path} ${key}`);
    }
  }
  return `${path.trim()}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`;
}

// What an SDK says of an ending where we say something else.
const OTHER_TYPES = {
  "TypeScript SDK": { sh: "application/x-sh" },
  rmcp: { sh: "application/x-sh" },
};

const holds = (ours, theirs, sdk) => {
  let passed = ours.skills.length === plan.skills.length;
  const tell = (aspect, mine, other) => {
    const ok = isDeepStrictEqual(mine, other);
    passed &&= ok;
    const note = ok ? "" : shorten(difference(mine, other));
    process.stdout.write(`${JSON.stringify({ step: `${sdk}: ${aspect}`, ok, note })}\n`);
  };
  for (const [aspect, of] of Object.entries(ASPECTS)) tell(aspect, of(ours), of(theirs));
  const types = mediaTypes(ours);
  const gone = Object.entries(OTHER_TYPES[sdk]).filter(([ending, type]) => types[ending] === type);
  if (gone.length > 0) throw new Error(`these media types no longer differ: ${gone}`);
  tell("media types", { ...types, ...OTHER_TYPES[sdk] }, mediaTypes(theirs));
  return passed;
};

let passed = true;
const folder = mkdtempSync(join(tmpdir(), "parity-"));
try {
  withoutMetadata(plan.folder, folder);
  passed = holds(await ours(folder), await typescript(folder), "TypeScript SDK");
} finally {
  rmSync(folder, { recursive: true });
}
const said = JSON.parse(execFileSync(plan.rmcp_skills, [plan.folder], { encoding: "utf8", maxBuffer: 1 << 26 }));
passed = holds(await ours(plan.folder), said, "rmcp") && passed;
process.exitCode = passed ? 0 : 1;
