"""A host in a page: skills of another server as slash commands, with nothing but the JSON of `metier connect`.

    python3 host.py METIER SERVER [NAME]

METIER is the command, SERVER a URL. Without NAME the commands are listed; with it, the skill's instructions are
printed if somebody has approved them, and what a person has to look at otherwise.
"""

import json
import os
import subprocess
import sys


def connect(metier, server, *more):
    environment = dict(os.environ, METIER_MCP_SKILLS="1")
    command = [metier, "connect", "--json", "--label", "other", *more, server]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode == 2:
        sys.exit("the server cannot be asked")
    return json.loads(done.stdout)


def main():
    metier, server, *name = sys.argv[1:]
    if not name:
        for command in connect(metier, server)["commands"]:
            if command["model_invocable"]:
                print(f"/{command['name']}: {command['description']}")
        return
    shown = connect(metier, server, "--skill", name[0])
    if "refused" in shown:
        sys.exit(f"refused: {shown['refused']}")
    if "instructions" not in shown:
        # Never put a preview into a conversation: it is for a person to look at.
        print(f"{name[0]} has to be approved by a person first")
        for line in shown["approval"].get("lines", []):
            print(f"  {line}")
        return
    # The frame of the text says whose it is; rights that it asks for are not given by reading it.
    print(shown["instructions"], end="")
    rights = shown["approval"]["rights"]
    for effect in shown["asks"]:
        if effect["key"] not in rights:
            print(f"(not granted: {effect['key']})")


main()
