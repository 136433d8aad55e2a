// Drives a server with `@modelcontextprotocol/client`, version 2: `typescript_v2.mjs PLAN`. The mode is `legacy` or
// `auto`.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { check, contentOf, Notices, run, textOf } from "./demo_steps.mjs";

// The packages lie beside the plan's other installations, not beside this file.
const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/client${name}`)).href);

const { Client, StreamableHTTPClientTransport } = await load("");
const { StdioClientTransport } = await load("/stdio");
const { SkillsClient } = await load("/ext/skills");

await run(async (plan) => {
  const notices = new Notices();
  const client = new Client({ name: "interop", version: "0" }, { versionNegotiation: { mode: plan.mode } });
  client.setNotificationHandler("notifications/tools/list_changed", () => notices.note());
  const [command, ...args] = plan.command ?? [];
  const transport = plan.url
    ? new StreamableHTTPClientTransport(new URL(plan.url))
    : new StdioClientTransport({ command, args, env: plan.environment });
  await client.connect(transport);
  const skills = new SkillsClient(client);
  // The skills client takes metadata of texts alone, so it refuses skills whose metadata is nested, as ours is. It is
  // given each entry without metadata; then a SKILL.md must differ from its entry in that one field.
  const read = async (entry, uri) => {
    const { metadata, ...frontmatter } = entry.frontmatter;
    try {
      return (await skills.read({ ...entry, frontmatter }, uri)).bytes;
    } catch (error) {
      if (error.reason !== "frontmatter" || metadata === undefined) throw error;
      const { differences } = error;
      check(differences.length === 1 && differences[0].includes("metadata"), differences.join("; "));
      return contentOf(await client.readResource({ uri }));
    }
  };
  const raw = { "~standard": { version: 1, vendor: "interop", validate: (value) => ({ value }) } };
  const list = async () => {
    const found = [];
    let page;
    do {
      page = await client.request({ method: "skills/list", params: { cursor: page?.nextCursor } }, raw);
      found.push(...page.skills);
    } while (page.nextCursor !== undefined);
    return found;
  };
  const subscription = plan.mode === "auto" ? await client.listen({ toolsListChanged: true }) : undefined;
  return {
    revision: client.getNegotiatedProtocolVersion(),
    notices,
    // Without a cursor this client puts the pages together itself.
    tools: async () => (await client.listTools(undefined, { cacheMode: "bypass" })).tools,
    async call(name, given) {
      const result = await client.callTool({ name, arguments: given });
      return { isError: result.isError === true, text: textOf(result), structured: result.structuredContent };
    },
    skills: list,
    read,
    children: async (uri) => (await skills.readDirectory(uri)).resources,
    async close() {
      await subscription?.close();
      await transport.terminateSession?.();
      await client.close();
    },
  };
});
