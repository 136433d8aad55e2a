"""Writes skills of the usual shape: nested metadata, three tools with schemas, one script.

usage: write_skills.py FOLDER COUNT [BYTES]
With BYTES each skill has a guide of about so many, and a picture of as many more. The same count gives the same bytes in every run.
"""

import pathlib
import sys

WORDS = ["mesh", "rig", "light", "camera", "texture", "cache", "shot", "cloth", "curve", "shader", "scene"]
SCRIPT = "import json, sys\nprint(json.dumps(json.load(sys.stdin)))\n"


def word(number):
    return WORDS[number % len(WORDS)]


def skill_file(name, number):
    one, other = word(number), word(number // len(WORDS) + 3)
    return (
        f"---\nname: {name}\n"
        f'description: "Checks {one} and {other} data. Use it before a delivery."\n'
        "license: MIT\nmetadata:\n  dcc-mcp:\n    dcc: maya\n"
        f'    version: "1.0.{number % 10}"\n    tags: [{one}, {other}, pipeline]\n'
        f'    search-hint: "{one}, {other}, {word(number + 5)}"\n'
        f"    search-aliases: [{one} maker, {other} helper]\n    tools: tools.yaml\n---\n"
        f"# {name}\n\nWhat it does, in a few words.\n"
    )


def tools_file(number):
    lines = ["tools:"]
    for tool in range(3):
        lines += [
            f"  - name: check_{word(number + tool)}_{tool}",
            f'    description: "checks the {word(number + tool)} with options"',
            "    source_file: scripts/run.py",
            "    read_only: false",
            f"    search_aliases: [{word(number + 2 * tool)} thing]",
            "    input_schema:",
            "      type: object",
            "      properties:",
            "        radius: {type: number, minimum: 0}",
            "        name: {type: string}",
            "        count: {type: integer, default: 1}",
            "      required: [radius]",
        ]
    return "\n".join(lines) + "\n"


def guide(name, size):
    line = f"Line of the guide to {name}: what a parameter means, and when to leave it alone.\n"
    return "# Guide\n\n" + line * (size // len(line))


def picture(number, size):
    return b"\x89PNG\r\n\x1a\n" + bytes((number + place * 7) % 256 for place in range(size))


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    size = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for number in range(count):
        name = f"{word(number)}-{word(number // len(WORDS) + 3)}-{number:05}"
        skill = folder / name
        (skill / "scripts").mkdir(parents=True, exist_ok=True)
        (skill / "SKILL.md").write_text(skill_file(name, number))
        (skill / "tools.yaml").write_text(tools_file(number))
        (skill / "scripts" / "run.py").write_text(SCRIPT)
        if size:
            (skill / "references").mkdir(exist_ok=True)
            (skill / "references" / "guide.md").write_text(guide(name, size))
            (skill / "references" / "look.png").write_bytes(picture(number, size))


main()
