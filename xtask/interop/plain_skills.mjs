// The skills without their metadata, which the TypeScript SDK takes as texts alone: it leaves out all others.

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Copies a folder of skills without the `metadata` of each. */
export function withoutMetadata(folder, copy) {
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(copy)) {
    const file = join(copy, name, "SKILL.md");
    if (!existsSync(file)) continue;
    // The block ends with the next line that is not indented.
    writeFileSync(file, readFileSync(file, "utf8").replace(/^metadata:\n(?:[ \t].*\n|\n)*/m, ""));
  }
}
