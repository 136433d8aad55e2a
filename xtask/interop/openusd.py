"""Drives a running server with the official Python client and real OpenUSD skills.

    python openusd.py --url http://127.0.0.1:8765/mcp --mode auto --folder FOLDER

Prints one JSON object a step: {"step": …, "ok": …, "note": …}. A step that fails does not keep the later ones from
being tried, so one run shows everything that is wrong. `--mode auto` must end up in the 2026-07-28 revision,
`--mode legacy` in 2025-11-25. FOLDER takes the stage that the skills write.
"""

import argparse
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
CORE = ["list_skills", "get_skill_info", "load_skill", "unload_skill", "search_skills"]
SKILLS = [
    "openusd-animation",
    "openusd-composition",
    "openusd-light-camera",
    "openusd-material",
    "openusd-project",
    "openusd-stage",
    "openusd-timeline",
    "openusd-validate",
]
SKILL = "openusd-stage"
PREFIX = "openusd_stage__"
STUB = f"__skill__{SKILL}"
HINT = f'Call load_skill(skill_name="{SKILL}") to register its tools'
QUERY = "create a stage and put a sphere mesh in it"

# A notice that takes longer than this did not come.
SOON = 15.0

# How long one request may take.
TIMEOUT = 60.0


class Notices:
    """Counts the tools/list_changed notices that reach one client."""

    def __init__(self) -> None:
        self.count = 0
        self._more = anyio.Event()

    def note(self) -> None:
        self.count += 1
        self._more.set()
        self._more = anyio.Event()

    async def on_message(self, message: object) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            self.note()

    async def at_least(self, wanted: int) -> None:
        with anyio.move_on_after(SOON):
            while self.count < wanted:
                await self._more.wait()
        check(self.count >= wanted, f"{self.count} notices came within {SOON:.0f} s, {wanted} were expected")


class Unexpected(Exception):
    """The server did something else than it should; the text says what."""


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Unexpected(otherwise)


def text_of(result) -> str:
    return "\n".join(getattr(item, "text", "") for item in result.content)


def shorten(text: str) -> str:
    return text if len(text) <= 300 else text[:300] + " …"


class Drive:
    """One client that calls, one that listens, and what the steps tell each other."""

    def __init__(self, url: str, mode: str, folder: Path) -> None:
        self.url = url
        self.mode = mode
        self.stage = folder / "scene.usda"
        self.client: Client | None = None
        self.heard = Notices()
        self.calling = Notices()

    # -- what the steps are made of

    async def tools(self) -> list:
        """Every page of tools/list, asked of the server and not of the client's cache."""
        found, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor, cache_mode="bypass")
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return found
            check(len(found) < 10_000, "tools/list has no end")

    async def names(self) -> list[str]:
        return [tool.name for tool in await self.tools()]

    async def call(self, name: str, /, **arguments):
        return await self.client.call_tool(name, arguments)

    async def works(self, name: str, /, **arguments) -> dict:
        result = await self.call(name, **arguments)
        check(not result.is_error, f"{name} failed: {shorten(text_of(result))}")
        check(isinstance(result.structured_content, dict), f"{name} answered without structuredContent")
        return result.structured_content

    async def refused(self, name: str, words: list[str], /, **arguments) -> str:
        result = await self.call(name, **arguments)
        text = text_of(result)
        check(bool(result.is_error), f"{name} was not refused: {shorten(text)}")
        for word in words:
            check(word in text, f"the refusal of {name} does not say {word!r}: {shorten(text)}")
        return text

    # -- the steps, in order

    async def connect(self) -> str:
        check(
            self.client.protocol_version == REVISIONS[self.mode],
            f"mode {self.mode} came to {self.client.protocol_version}, not {REVISIONS[self.mode]}",
        )
        check(self.client.server_capabilities.tools is not None, "the server declares no tools")
        return f"{self.client.server_info.name if self.client.server_info else '?'}"

    async def list_all(self) -> str:
        names = await self.names()
        check(names[: len(CORE)] == CORE, f"the list begins with {names[:5]}")
        stubs = [name for name in names if name.startswith("__skill__")]
        wanted = [f"__skill__{skill}" for skill in SKILLS]
        check(sorted(stubs) == wanted, f"the stubs are {stubs}")
        others = [name for name in names if name not in CORE and name not in stubs]
        check(not others, f"nothing is loaded, yet there are {others}")
        return f"{len(names)} tools"

    async def stub(self) -> str:
        await self.refused(STUB, [HINT])
        return ""

    async def unloaded_tool(self) -> str:
        await self.refused(PREFIX + "list_stage", [HINT], stage_file=str(self.stage))
        return ""

    async def search(self) -> str:
        answer = await self.works("search_skills", query=QUERY)
        hits = answer.get("hits", answer.get("skills"))
        check(isinstance(hits, list) and bool(hits), f"no hits in {shorten(json.dumps(answer))}")
        found = [hit.get("name", hit.get("skill_name")) for hit in hits]
        check(SKILL in found[:3], f"the first hits are {found[:3]}")
        return f"place {found.index(SKILL) + 1}"

    async def load(self) -> str:
        answer = await self.works("load_skill", skill_name=SKILL)
        check(SKILL in json.dumps(answer.get("loaded")), f"loaded is {shorten(json.dumps(answer.get('loaded')))}")
        return ""

    async def heard_of_load(self) -> str:
        await self.heard.at_least(1)
        return ""

    async def schemas(self) -> str:
        tools = {tool.name: tool for tool in await self.tools()}
        check(STUB not in tools, "the stub is still listed")
        loaded = [name for name in tools if name.startswith(PREFIX)]
        tool = tools.get(PREFIX + "create_stage")
        check(tool is not None, f"{PREFIX}create_stage is not listed; of this skill there are {loaded}")
        schema = tool.input_schema
        check(schema.get("required") == ["stage_file"], f"required is {schema.get('required')}")
        axis = schema.get("properties", {}).get("up_axis", {})
        check(axis.get("enum") == ["X", "Y", "Z"], f"up_axis is {axis}")
        check(len(tools) == len(CORE) + len(loaded) + len(SKILLS) - 1, f"the list is {list(tools)}")
        return f"{len(loaded)} tools"

    async def run(self) -> str:
        file = str(self.stage)
        await self.works(PREFIX + "create_stage", stage_file=file, name="interop", up_axis="Z", meters_per_unit=0.01)
        await self.works(PREFIX + "define_xform", stage_file=file, prim_path="/World/Chair")
        listed = json.dumps(await self.works(PREFIX + "list_stage", stage_file=file))
        check("/World/Chair" in listed, f"list_stage answered {shorten(listed)}")
        return ""

    async def file(self) -> str:
        from pxr import Usd, UsdGeom

        stage = Usd.Stage.Open(str(self.stage))
        chair = stage.GetPrimAtPath("/World/Chair")
        check(chair.IsValid() and chair.GetTypeName() == "Xform", "the stage has no Xform /World/Chair")
        check(UsdGeom.GetStageUpAxis(stage) == "Z", f"up axis is {UsdGeom.GetStageUpAxis(stage)}")
        check(abs(UsdGeom.GetStageMetersPerUnit(stage) - 0.01) < 1e-9, "metersPerUnit is not 0.01")
        return ""

    async def wrong_arguments(self) -> str:
        before = self.stage.read_bytes() if self.stage.exists() else None
        await self.refused(PREFIX + "create_stage", ["stage_file"])
        await self.refused(PREFIX + "create_stage", ["up_axis", "Q"], stage_file=str(self.stage), up_axis="Q")
        after = self.stage.read_bytes() if self.stage.exists() else None
        check(before == after, "a refused call changed the stage")
        return ""

    async def unload(self) -> str:
        await self.works("unload_skill", skill_name=SKILL)
        return ""

    async def heard_of_unload(self) -> str:
        await self.heard.at_least(2)
        return ""

    async def gone(self) -> str:
        names = await self.names()
        check(STUB in names, "the stub is not back")
        left = [name for name in names if name.startswith(PREFIX)]
        check(not left, f"still listed: {left}")
        await self.refused(PREFIX + "list_stage", [HINT], stage_file=str(self.stage))
        return ""

    async def heard_once_each(self) -> str:
        check(self.heard.count == 2, f"the listening client heard {self.heard.count} notices of 2 changes")
        if self.mode == "auto":
            check(self.calling.count == 0, f"{self.calling.count} notices came to a client that did not ask")
        else:
            # Its own session is told too, on its stream or with the call that made the change.
            await self.calling.at_least(2)
            check(self.calling.count == 2, f"the calling client heard {self.calling.count} notices of 2 changes")
        return ""

    def steps(self) -> list[tuple[str, Callable[[], Awaitable[str]]]]:
        return [
            ("connect", self.connect),
            ("list: core tools, then stubs", self.list_all),
            ("a stub says how to load", self.stub),
            ("so does a tool not yet loaded", self.unloaded_tool),
            ("search finds the skill", self.search),
            ("load_skill", self.load),
            ("a listening client hears of it", self.heard_of_load),
            ("full schemas", self.schemas),
            ("create_stage, define_xform, list_stage", self.run),
            ("pxr opens the file", self.file),
            ("a wrong argument is named", self.wrong_arguments),
            ("unload_skill", self.unload),
            ("a listening client hears of that too", self.heard_of_unload),
            ("the tools are gone", self.gone),
            ("once for each change", self.heard_once_each),
        ]


async def listen(drive: Drive, stack: AsyncExitStack, tasks) -> None:
    """Connects a second client and returns when the server would reach it."""
    if drive.mode == "auto":
        client = await stack.enter_async_context(Client(drive.url, mode="auto", read_timeout_seconds=TIMEOUT))
        subscription = await stack.enter_async_context(client.listen(tools_list_changed=True))

        async def count() -> None:
            async for _ in subscription:
                drive.heard.note()

        tasks.start_soon(count)
        return
    opened = anyio.Event()

    async def on_response(response) -> None:
        if response.request.method == "GET" and response.status_code == 200:
            opened.set()

    http = await stack.enter_async_context(
        httpx2.AsyncClient(timeout=httpx2.Timeout(30.0, read=300.0), event_hooks={"response": [on_response]})
    )
    transport = streamable_http_client(drive.url, http_client=http)
    await stack.enter_async_context(
        Client(transport, mode="legacy", read_timeout_seconds=TIMEOUT, message_handler=drive.heard.on_message)
    )
    with anyio.move_on_after(SOON):
        await opened.wait()
    check(opened.is_set(), f"the listening client has no GET stream after {SOON:.0f} s")


def report(step: str, ok: bool, note: str) -> None:
    print(json.dumps({"step": step, "ok": ok, "note": note}, ensure_ascii=False), flush=True)


async def attempt(step: str, action: Callable[[], Awaitable[str]], bound: float | None = 120.0) -> bool:
    try:
        # Without a bound there is no scope around the action, so that it may open what stays open after it.
        if bound is None:
            note = await action()
        else:
            with anyio.fail_after(bound):
                note = await action()
    except Exception as error:
        report(step, False, shorten(f"{type(error).__name__}: {error}" if str(error) else repr(error)))
        return False
    report(step, True, note)
    return True


async def drive_all(drive: Drive) -> bool:
    passed = True
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(anyio.create_task_group())
        # The last thing to leave is the first to be cancelled: the counting task ends before its client.
        stack.callback(tasks.cancel_scope.cancel)

        async def start_listening() -> str:
            await listen(drive, stack, tasks)
            return ""

        drive.client = await stack.enter_async_context(
            Client(
                drive.url,
                mode=drive.mode,
                read_timeout_seconds=TIMEOUT,
                message_handler=drive.calling.on_message,
            )
        )
        passed &= await attempt("a second client listens", start_listening, bound=None)
        for step, action in drive.steps():
            passed &= await attempt(step, action)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--mode", choices=sorted(REVISIONS), required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    try:
        passed = anyio.run(drive_all, Drive(options.url, options.mode, options.folder.resolve()))
    except Exception as error:
        report("connect", False, shorten(f"{type(error).__name__}: {error}"))
        return 1
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
