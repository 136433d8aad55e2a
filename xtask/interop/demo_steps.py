"""The steps that every Python client goes through, on the demo skills.

A driver makes a `Peer` of its client and hands it to `run`. The plan, a JSON file that `cargo xtask interop` writes, says
where the server is (`url`, or `command` for one on standard input and output), which revision must be spoken, and what
the demo skills look like. One JSON object a step is printed: {"step": …, "ok": …, "note": …}. A step that a client has
no means for is left out; a step that fails does not keep the later ones from being tried.
"""

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
            ("a stub says how to load", self.stub_hint),
            ("search finds the skill", self.search),
            ("load_skill", self.load),
            ("list_changed is heard", self.heard),
            ("the tool has its schema", self.schema),
            ("call the tool", self.call),
            ("a wrong argument is named", self.wrong_argument),
            ("unload_skill, the stub is back", self.unload),
            ("one notice for each change", self.heard_each),
        ]
        deaf = (self.heard, self.heard_each)
        return [step for step in steps if self.notices.can_hear or step[1] not in deaf]


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
