// The TypeScript SDK's skill server over standard input and output: `typescript_skills.mjs DIR`.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/${name}`)).href);
const { McpServer } = await load("server");
const { StdioServerTransport } = await load("server/stdio");
const { loadSkills } = await load("server/ext/skills/node");

const server = new McpServer({ name: "typescript-skills", version: "0" });
(await loadSkills(process.argv[2])).attach(server);
await server.connect(new StdioServerTransport());
