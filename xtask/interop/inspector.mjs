// Drives a server with the command line of the MCP Inspector: `inspector.mjs PLAN`. The mode is `legacy` or `modern`.
//
// Each request is a process of its own. Over HTTP they meet at one server; on standard input and output each starts
// one, so nothing stays loaded from one to the next.

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, run, shorten, textOf } from "./demo_steps.mjs";

const inspector = join(process.env.INTEROP_PACKAGES, "node_modules/@modelcontextprotocol/inspector");
const { bin } = JSON.parse(readFileSync(join(inspector, "package.json"), "utf8"));

// What its exit codes mean that are no failure of ours: 5 is a tool's own error.
const TOOL_ERROR = 5;

await run(async (plan) => {
  const era = plan.mode === "modern" ? ["--protocol-era", "modern"] : [];
  const environment = Object.entries(plan.environment ?? {}).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const target = plan.url ? [plan.url, "--transport", "http"] : [...environment, ...plan.command];
  const ask = (...options) => askAt(target, ...options);
  // What follows the target belongs to it, so it comes last.
  const askAt = (server, ...options) => runInspector(["--cli", ...era, "--format", "json", ...options, ...server]);
  const runInspector = (words) =>
    new Promise((resolve, reject) => {
      const program = join(inspector, bin["mcp-inspector"]);
      execFile(process.execPath, [program, ...words], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        if (typeof error?.code === "string") return reject(error);
        resolve({ code: error?.code ?? 0, stdout, stderr });
      });
    });
  const json = ({ code, stdout, stderr }) => {
    try {
      return JSON.parse(stdout).result;
    } catch {
      throw new Error(`ended with ${code}: ${shorten(stderr || stdout)}`);
    }
  };
  const at = (server) => ({
    async tools() {
      const said = await askAt(server, "--method", "tools/list");
      check(said.code === 0, `ended with ${said.code}: ${shorten(said.stderr)}`);
      return json(said).tools;
    },
    async call(name, given) {
      const said = await askAt(
        server, "--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(given),
      );
      check([0, TOOL_ERROR].includes(said.code), `ended with ${said.code}: ${shorten(said.stderr)}`);
      const result = json(said);
      return { isError: result.isError === true, text: textOf(result), structured: result.structuredContent };
    },
  });
  // Its own `--load` would take the server's word, so that stands behind `--`.
  const loaded = () => at([...environment, "--", ...plan.command, "--load", plan.skill]);
  return {
    ...at(target),
    // Nothing stays loaded, so what follows meets servers that have the skill loaded from the start.
    loaded: plan.url ? undefined : loaded(),
    extra: [
      ["schemas are portable (--strict)", async () => {
        const said = await ask("--method", "tools/list", "--strict");
        check(said.code === 0, `ended with ${said.code}: ${shorten(said.stderr)}`);
        check(!/^(Warning|Error): tool/m.test(said.stderr), shorten(said.stderr));
      }],
      ["skills: every file read and verified", async () => {
        const said = await ask("--method", "skills/list", "--verify", "--require-digests");
        check(said.code === 0, `ended with ${said.code}: ${shorten(said.stderr || said.stdout)}`);
        // One line a skill.
        const skills = said.stdout.trim().split("\n").map((line) => JSON.parse(line));
        check(String(skills.map((skill) => skill.name).sort()) === String(plan.skills), shorten(said.stdout));
        const files = skills.flatMap((skill) => skill.files);
        check(files.every((file) => file.status === "verified"), shorten(JSON.stringify(files)));
        return `${files.length} files of ${skills.length} skills`;
      }],
      ...(plan.url ? [] : [["the command that the docs show", async () => {
        const page = readFileSync(new URL("../../docs/getting-started.md", import.meta.url), "utf8");
        const [, shown] = /^npx @modelcontextprotocol\/inspector (--cli [^`]*)^```/m.exec(page) ?? [];
        check(shown, "docs/getting-started.md shows no command of the Inspector");
        const words = shown.replaceAll("\\\n", " ").trim().split(/\s+/);
        const meant = { metier: plan.metier, "fixtures/skills/demo": plan.folder };
        const said = await runInspector(words.map((word) => meant[word] ?? word));
        check(said.code === 0, `ended with ${said.code}: ${shorten(said.stderr || said.stdout)}`);
        check(said.stdout.includes("structuredContent"), shorten(said.stdout));
      }]]),
      ["the entry that connect-client writes", async () => {
        const folder = mkdtempSync(join(tmpdir(), "entry-"));
        try {
          const server = plan.url ? ["--url", plan.url] : [plan.folder];
          execFileSync(plan.metier, ["connect-client", "inspector", "--write", ...server], { cwd: folder, stdio: "pipe" });
          const file = join(folder, "mcp.json");
          const said = await askAt(["--config", file, "--server", "metier"], "--method", "tools/list");
          check(said.code === 0, `ended with ${said.code}: ${shorten(said.stderr)}`);
          const names = json(said).tools.map((tool) => tool.name);
          check(plan.core.every((name) => names.includes(name)), names.join(", "));
        } finally {
          rmSync(folder, { recursive: true });
        }
      }],
    ],
    async close() {},
  };
});
