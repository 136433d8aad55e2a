// The same host as host.py in TypeScript:
//
//     node --experimental-strip-types host.ts METIER SERVER [NAME]

import { spawnSync } from "node:child_process";

type Approval = { state: "yes" | "never" | "changed"; rights?: string[]; lines?: string[] };
type Command = { name: string; description: string; model_invocable: boolean };
type Listed = { commands: Command[] };
type Shown = {
  refused?: string;
  instructions?: string;
  approval: Approval;
  asks: { key: string; value: string }[];
};

function connect(metier: string, server: string, ...more: string[]): unknown {
  const done = spawnSync(metier, ["connect", "--json", "--label", "other", ...more, server], {
    env: { ...process.env, METIER_MCP_SKILLS: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (done.status !== 0 && done.status !== 1) {
    console.error("the server cannot be asked");
    process.exit(1);
  }
  return JSON.parse(done.stdout);
}

const [metier, server, name] = process.argv.slice(2);
if (name === undefined) {
  const listed = connect(metier, server) as Listed;
  for (const command of listed.commands.filter((command) => command.model_invocable)) {
    console.log(`/${command.name}: ${command.description}`);
  }
} else {
  const shown = connect(metier, server, "--skill", name) as Shown;
  if (shown.refused !== undefined) {
    console.error(`refused: ${shown.refused}`);
    process.exit(1);
  } else if (shown.instructions === undefined) {
    // Never put a preview into a conversation: it is for a person to look at.
    console.log(`${name} has to be approved by a person first`);
    for (const line of shown.approval.lines ?? []) {
      console.log(`  ${line}`);
    }
  } else {
    // The frame of the text says whose it is; rights that it asks for are not given by reading it.
    process.stdout.write(shown.instructions);
    for (const effect of shown.asks.filter(({ key }) => !shown.approval.rights?.includes(key))) {
      console.log(`(not granted: ${effect.key})`);
    }
  }
}
