// The TypeScript SDK's skill server over standard input and output: `typescript_skills.mjs DIR`.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutMetadata } from "./plain_skills.mjs";

const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/${name}`)).href);
const { McpServer } = await load("server");
const { StdioServerTransport } = await load("server/stdio");
const { loadSkills } = await load("server/ext/skills/node");

const server = new McpServer({ name: "typescript-skills", version: "0" });
const folder = mkdtempSync(join(tmpdir(), "skills-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
withoutMetadata(process.argv[2], folder);
(await loadSkills(folder)).attach(server);
await server.connect(new StdioServerTransport());
