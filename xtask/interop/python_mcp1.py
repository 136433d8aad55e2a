"""Drives a server with the `mcp` package, version 1: `python_mcp1.py PLAN`."""

import base64
from contextlib import asynccontextmanager
from datetime import timedelta

from demo_steps import Answer, Notices, run
from mcp import ClientSession, types
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl


class Peer:
    def __init__(self, session: ClientSession, revision: str) -> None:
        self.session = session
        self.revision = revision

    async def tools(self) -> list[tuple[str, dict]]:
        found, cursor = [], None
        while True:
            page = await self.session.list_tools(cursor)
            found += [(tool.name, tool.inputSchema) for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                return found

    async def call(self, name: str, arguments: dict) -> Answer:
        result = await self.session.call_tool(name, arguments)
        text = "\n".join(getattr(item, "text", "") for item in result.content)
        return Answer(bool(result.isError), text, result.structuredContent)

    async def skills(self) -> list[dict]:
        return await self.all_pages("skills/list", {}, "skills")

    async def read(self, uri: str) -> bytes:
        (only,) = (await self.session.read_resource(AnyUrl(uri))).contents
        text = getattr(only, "text", None)
        return base64.b64decode(only.blob) if text is None else text.encode()

    async def children(self, uri: str) -> dict[str, str]:
        found = await self.all_pages("resources/directory/read", {"uri": uri}, "resources")
        return {child["uri"]: child.get("mimeType") for child in found}

    async def all_pages(self, method: str, params: dict, member: str) -> list[dict]:
        """A method that this version of the package does not know."""
        found = []
        while True:
            request = types.Request[dict, str](method=method, params=params)
            page = (await self.session.send_request(request, types.Result)).model_dump()
            found += page[member]
            if page.get("nextCursor") is None:
                return found
            params = params | {"cursor": page["nextCursor"]}


@asynccontextmanager
async def connect(plan: dict, notices: Notices):
    async def on_message(message: object) -> None:
        if isinstance(message, types.ServerNotification) and isinstance(
            message.root, types.ToolListChangedNotification
        ):
            notices.note()

    if plan["url"] is None:
        command, *arguments = plan["command"]
        transport = stdio_client(StdioServerParameters(command=command, args=arguments, env=plan["environment"]))
    else:
        transport = streamablehttp_client(plan["url"])
    async with transport as streams:
        async with ClientSession(
            streams[0], streams[1], read_timeout_seconds=timedelta(seconds=60), message_handler=on_message
        ) as session:
            begun = await session.initialize()
            yield Peer(session, str(begun.protocolVersion))


run(connect)
