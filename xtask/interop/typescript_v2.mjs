// Drives a server with `@modelcontextprotocol/client`, version 2: `typescript_v2.mjs PLAN`. The mode is `legacy` or
// `auto`.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Notices, run, textOf } from "./demo_steps.mjs";

// The packages lie beside the plan's other installations, not beside this file.
const packages = createRequire(`${process.env.INTEROP_PACKAGES}/`);
const load = (name) => import(pathToFileURL(packages.resolve(`@modelcontextprotocol/client${name}`)).href);

const { Client, StreamableHTTPClientTransport } = await load("");
const { StdioClientTransport } = await load("/stdio");

await run(async (plan) => {
  const notices = new Notices();
  const client = new Client({ name: "interop", version: "0" }, { versionNegotiation: { mode: plan.mode } });
  client.setNotificationHandler("notifications/tools/list_changed", () => notices.note());
  const [command, ...args] = plan.command ?? [];
  const transport = plan.url
    ? new StreamableHTTPClientTransport(new URL(plan.url))
    : new StdioClientTransport({ command, args, env: plan.environment });
  await client.connect(transport);
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
    async close() {
      await subscription?.close();
      await transport.terminateSession?.();
      await client.close();
    },
  };
});
