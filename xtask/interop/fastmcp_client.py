"""Drives a server with the FastMCP client: `fastmcp_client.py PLAN`. The mode is `auto` or `legacy`."""

from contextlib import asynccontextmanager

import raw_requests
from demo_steps import Answer, Notices, run
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension


class Peer:
    def __init__(self, client: Client, mode: str) -> None:
        self.client = client
        self.mode = mode
        self.revision = client.protocol_version

    async def tools(self) -> list[tuple[str, dict]]:
        found, cursor = [], None
        while True:
            page = await self.client.list_tools_mcp(cursor=cursor)
            found += [(tool.name, tool.input_schema) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def call(self, name: str, arguments: dict) -> Answer:
        result = await self.client.call_tool_mcp(name, arguments)
        text = "\n".join(getattr(item, "text", "") for item in result.content)
        return Answer(bool(result.is_error), text, result.structured_content)

    async def skills(self) -> list[dict]:
        # In the older revisions this client knows skills by their resources and manifests alone.
        modern = self.mode == "auto"
        found = await (self.client.list_skills(cache_mode="bypass") if modern else self.client.list_skill_resources())
        entries = []
        for entry in found:
            # Reads every file of the skill, and refuses one that is not as promised.
            skill = await self.client.read_skill(str(entry.uri))
            entry = entry if modern else skill.manifest.to_mcp_skill()
            entries.append(entry.model_dump(by_alias=True, mode="json", exclude_none=True))
        return entries

    async def read(self, uri: str) -> bytes:
        return raw_requests.content_of(await self.client.read_resource(uri))

    async def children(self, uri: str) -> dict[str, str]:
        return await raw_requests.children(self.client.session, uri)


@asynccontextmanager
async def connect(plan: dict, notices: Notices):
    async def on_message(message: object) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            notices.note()

    # This client subscribes to nothing, so in the stateless revision there is nothing to hear.
    notices.can_hear = plan["mode"] == "legacy"
    target = plan["url"]
    if target is None:
        command, *arguments = plan["command"]
        target = StdioTransport(command, arguments, env=plan["environment"], keep_alive=False)
    extensions = [SkillsClientExtension()]
    async with Client(
        target, mode=plan["mode"], timeout=60.0, cache=False, message_handler=on_message, extensions=extensions
    ) as client:
        yield Peer(client, plan["mode"])


run(connect)
