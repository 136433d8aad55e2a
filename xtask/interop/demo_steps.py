"""The steps that every Python client goes through, on the demo skills.

A driver makes a `Peer` of its client and hands it to `run`. The plan, a JSON file that `cargo xtask interop` writes, says
where the server is (`url`, or `command` for one on standard input and output), which revision must be spoken, and what
the demo skills look like. One JSON object a step is printed: {"step": …, "ok": …, "note": …}. A step that a client has
no means for is left out; a step that fails does not keep the later ones from being tried.
"""

import hashlib
import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio

# A notice that takes longer than this did not come.
SOON = 15.0

# How long one step may take.
STEP = 60.0


@dataclass
class Answer:
    """What came of a tool call."""

    is_error: bool
    text: str
    structured: dict | None


class Peer(Protocol):
    """A connected client."""

    revision: str

    async def tools(self) -> list[tuple[str, dict]]:
        """The name and the input schema of each tool, all pages, asked of the server."""

    async def call(self, name: str, arguments: dict) -> Answer: ...


class SkillReader(Protocol):
    """What a peer has besides when its client can read skills."""

    async def skills(self) -> list[dict]:
        """Every entry of skills/list, all pages, as on the wire."""

    async def read(self, uri: str) -> bytes: ...

    async def children(self, uri: str) -> dict[str, str]:
        """The URI of each direct child of a directory, with its media type."""


class Unexpected(Exception):
    """The server did something else than it should; the text says what."""


@dataclass
class Notices:
    """Counts the tools/list_changed notices that reach a client. `can_hear` is false for one that hears none."""

    can_hear: bool = True
    count: int = 0
    _more: anyio.Event = field(default_factory=anyio.Event)

    def note(self) -> None:
        self.count += 1
        self._more.set()
        self._more = anyio.Event()

    async def at_least(self, wanted: int) -> None:
        with anyio.move_on_after(SOON):
            while self.count < wanted:
                await self._more.wait()
        check(self.count >= wanted, f"{self.count} notices came within {SOON:.0f} s, {wanted} were expected")


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Unexpected(otherwise)


DIRECTORY = "inode/directory"


def same_fields(skill: str, found: dict, wanted: dict) -> None:
    """Compares front matter field by field, types included: `1` is not `true` and not `1.0`."""
    for name in sorted({*found, *wanted}):
        one, other = (json.dumps(fields.get(name), sort_keys=True) for fields in (found, wanted))
        check(name in found and name in wanted and one == other, f"{skill}: {name} is {one}, SKILL.md says {other}")


def files_below(folder: Path) -> dict[str, bytes]:
    """What a skill's folder holds, hidden files aside."""
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    shown = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    return {path.as_posix(): (folder / path).read_bytes() for path in shown}


def directories(root: str, files: list[str]) -> dict[str, dict[str, bool]]:
    """Each directory from the root on, with its direct children and whether they are directories themselves."""
    found = {}
    for uri in files:
        child, is_directory = uri, False
        while child != root:
            parent = child.rsplit("/", 1)[0]
            found.setdefault(parent, {})[child] = is_directory
            child, is_directory = parent, True
    return found


def shorten(text: str) -> str:
    return text if len(text) <= 300 else text[:300] + " …"


def report(step: str, ok: bool, note: str = "") -> None:
    print(json.dumps({"step": step, "ok": ok, "note": note}, ensure_ascii=False), flush=True)


class Steps:
    def __init__(self, plan: dict, peer: Peer, notices: Notices) -> None:
        self.plan = plan
        self.peer = peer
        self.notices = notices
        self.stub = "__skill__" + plan["skill"]

    async def names(self) -> list[str]:
        return [name for name, _ in await self.peer.tools()]

    async def works(self, name: str, arguments: dict) -> dict:
        answer = await self.peer.call(name, arguments)
        check(not answer.is_error, f"{name} failed: {shorten(answer.text)}")
        check(isinstance(answer.structured, dict), f"{name} answered without structuredContent")
        return answer.structured

    async def refused(self, name: str, arguments: dict, words: list[str]) -> None:
        answer = await self.peer.call(name, arguments)
        check(answer.is_error, f"{name} was not refused: {shorten(answer.text)}")
        for word in words:
            check(word in answer.text, f"the refusal of {name} does not say {word!r}: {shorten(answer.text)}")

    async def connect(self) -> str:
        wanted = self.plan["revision"]
        check(self.peer.revision == wanted, f"came to {self.peer.revision}, not {wanted}")
        return self.peer.revision

    async def list_all(self) -> str:
        names, core = await self.names(), self.plan["core"]
        check(names[: len(core)] == core, f"the list begins with {names[: len(core)]}")
        stubs = sorted(name for name in names if name.startswith("__skill__"))
        wanted = sorted("__skill__" + skill for skill in self.plan["skills"])
        check(stubs == wanted, f"the stubs are {stubs}, not {wanted}")
        return f"{len(names)} tools"

    async def stub_hint(self) -> str:
        await self.refused(self.stub, {}, [self.plan["hint"]])
        return ""

    async def search(self) -> str:
        answer = await self.works("search_skills", {"query": self.plan["query"]})
        hits = answer.get("hits")
        check(isinstance(hits, list) and bool(hits), f"no hits in {shorten(json.dumps(answer))}")
        check(hits[0].get("name") == self.plan["skill"], f"the first hit is {hits[0].get('name')}")
        return ""

    async def listing(self) -> str:
        first = await self.works("skills_listing", {})
        missing = [skill for skill in self.plan["skills"] if f"- {skill}" not in first["text"]]
        check(not missing, f"the listing lacks {missing}: {shorten(first['text'])}")
        again = await self.works("skills_listing", {"token": first["token"]})
        check(again["kind"] == "unchanged" and again["text"] == "", f"with its token it is {shorten(json.dumps(again))}")
        return f"{len(first['text'])} characters"

    async def discover(self) -> str:
        answer = await self.works("discover_skills", {"query": self.plan["query"]})
        names = [skill["name"] for skill in answer["hits"]]
        check(names[:1] == [self.plan["skill"]], f"the hits are {names}")
        return answer["stage"]

    async def activate(self) -> str:
        name = self.plan["skill"]
        answer = await self.peer.call("skill", {"skill_name": "/" + name})
        check(not answer.is_error and answer.structured is not None, f"skill failed: {shorten(answer.text)}")
        check(answer.structured["base"] == f"skill://{name}", f"the base is {answer.structured['base']}")
        body = Path(self.plan["folder"], name, "SKILL.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
        line = next(line for line in body.splitlines() if line.strip())
        check(line in answer.text, f"the text lacks {line!r}: {shorten(answer.text)}")
        return ""

    async def load(self) -> str:
        answer = await self.works("load_skill", {"skill_name": self.plan["skill"]})
        check(self.plan["skill"] in json.dumps(answer.get("loaded")), f"loaded is {answer.get('loaded')}")
        return ""

    async def heard(self) -> str:
        await self.notices.at_least(1)
        return ""

    async def schema(self) -> str:
        tools = dict(await self.peer.tools())
        check(self.stub not in tools, "the stub is still listed")
        check(self.plan["tool"] in tools, f"{self.plan['tool']} is not among {list(tools)}")
        schema = tools[self.plan["tool"]]
        check(schema.get("required") == self.plan["required"], f"required is {schema.get('required')}")
        return ""

    async def call(self) -> str:
        answer = await self.works(self.plan["tool"], self.plan["arguments"])
        check(self.plan["finds"] in json.dumps(answer), f"the answer is {shorten(json.dumps(answer))}")
        return ""

    async def skills_verified(self) -> str:
        entries = await self.peer.skills()
        wanted = self.plan["front_matter"]
        names = sorted(entry["uri"].split("/")[-2] for entry in entries)
        check(names == sorted(wanted), f"the skills are {names}")
        read = 0
        for entry in entries:
            root = entry["uri"].removesuffix("/SKILL.md")
            name = root.rsplit("/", 1)[1]
            same_fields(name, entry["frontmatter"], wanted[name])
            files = {f"{root}/{path}": content for path, content in files_below(Path(self.plan["folder"], name)).items()}
            listed = [resource["uri"] for resource in entry["resources"]]
            check(sorted(listed) == sorted(files), f"{name} lists {sorted(listed)}, not {sorted(files)}")
            for resource in entry["resources"]:
                uri, content = resource["uri"], await self.peer.read(resource["uri"])
                check(content == files[uri], f"{uri} has other bytes than its file")
                check(resource["size"] == len(content), f"{uri} is {len(content)} bytes, {resource['size']} were promised")
                digest = "sha256:" + hashlib.sha256(content).hexdigest()
                check(resource["digest"] == digest, f"{uri} has {digest}, {resource['digest']} was promised")
                read += 1
            for folder, wanted_children in directories(root, listed).items():
                children = await self.peer.children(folder)
                kinds = {uri: kind == DIRECTORY for uri, kind in children.items()}
                check(kinds == wanted_children, f"{folder} holds {children}")
        return f"{read} files of {len(entries)} skills"

    async def wrong_argument(self) -> str:
        await self.refused(self.plan["tool"], self.plan["wrong"], self.plan["wrong_words"])
        return ""

    async def unload(self) -> str:
        await self.works("unload_skill", {"skill_name": self.plan["skill"]})
        names = await self.names()
        check(self.stub in names, "the stub is not back")
        check(self.plan["tool"] not in names, f"{self.plan['tool']} is still listed")
        return ""

    async def heard_each(self) -> str:
        await self.notices.at_least(2)
        check(self.notices.count == 2, f"{self.notices.count} notices came of 2 changes")
        return ""

    def all(self) -> list[tuple[str, Callable[[], Awaitable[str]]]]:
        steps = [
            ("connect", self.connect),
            ("list: core tools, then stubs", self.list_all),
            ("skills: every file read and verified", self.skills_verified),
            ("a stub says how to load", self.stub_hint),
            ("search finds the skill", self.search),
            ("skills_listing, and nothing new with its token", self.listing),
            ("discover_skills finds the skill", self.discover),
            ("skill gives its instructions", self.activate),
            ("load_skill", self.load),
            ("list_changed is heard", self.heard),
            ("the tool has its schema", self.schema),
            ("call the tool", self.call),
            ("a wrong argument is named", self.wrong_argument),
            ("unload_skill, the stub is back", self.unload),
            ("one notice for each change", self.heard_each),
        ]
        left_out = [] if self.notices.can_hear else [self.heard, self.heard_each]
        if not hasattr(self.peer, "skills"):
            left_out.append(self.skills_verified)
        if self.plan["only_files"]:
            steps = [step for step in steps if step[1] in (self.connect, self.skills_verified)]
        return [step for step in steps if step[1] not in left_out]


async def go(plan: dict, connect: Callable[[dict, Notices], AbstractAsyncContextManager[Peer]]) -> bool:
    passed = True
    notices = Notices()
    async with connect(plan, notices) as peer:
        for name, action in Steps(plan, peer, notices).all():
            try:
                with anyio.fail_after(STEP):
                    note = await action()
            except Exception as error:
                passed = False
                report(name, False, shorten(f"{type(error).__name__}: {error}" if str(error) else repr(error)))
            else:
                report(name, True, note)
    return passed


def run(connect: Callable[[dict, Notices], AbstractAsyncContextManager[Peer]]) -> None:
    """Drives the server of the plan in the first argument, and ends the process."""
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    try:
        passed = anyio.run(go, plan, connect)
    except Exception as error:
        traceback.print_exc()
        report("from connecting to closing", False, shorten(f"{type(error).__name__}: {error}"))
        passed = False
    sys.exit(0 if passed else 1)
