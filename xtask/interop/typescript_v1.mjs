// Drives a server with `@modelcontextprotocol/sdk`, version 1: `typescript_v1.mjs PLAN`.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { contentOf, Notices, run, textOf } from "./demo_steps.mjs";

// The packages lie beside the plan's other installations, not beside this file.
const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/sdk/${name}`)).href);

const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { ResultSchema, ToolListChangedNotificationSchema } = await load("types.js");

await run(async (plan) => {
  const notices = new Notices();
  const client = new Client({ name: "interop", version: "0" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => notices.note());
  let revision;
  const [command, ...args] = plan.command ?? [];
  const transport = plan.url
    ? new StreamableHTTPClientTransport(new URL(plan.url))
    : new StdioClientTransport({ command, args, env: plan.environment });
  // The client tells its transport what was negotiated, and nobody else.
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => ((revision = version), told?.(version));
  await client.connect(transport);
  const allPages = async (method, params, member) => {
    const found = [];
    let page;
    do {
      page = await client.request({ method, params: { ...params, cursor: page?.nextCursor } }, ResultSchema);
      found.push(...page[member]);
    } while (page.nextCursor !== undefined);
    return found;
  };
  return {
    revision,
    notices,
    async tools() {
      const found = [];
      let cursor;
      do {
        const page = await client.listTools({ cursor });
        found.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    },
    async call(name, given) {
      const result = await client.callTool({ name, arguments: given });
      return { isError: result.isError === true, text: textOf(result), structured: result.structuredContent };
    },
    skills: () => allPages("skills/list", {}, "skills"),
    read: async (_, uri) => contentOf(await client.readResource({ uri })),
    children: (uri) => allPages("resources/directory/read", { uri }, "resources"),
    async close() {
      await transport.terminateSession?.();
      await client.close();
    },
  };
});
