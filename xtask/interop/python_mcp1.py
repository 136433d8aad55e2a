"""Drives a server with the `mcp` package, version 1: `python_mcp1.py PLAN`."""

from contextlib import asynccontextmanager
from datetime import timedelta

from demo_steps import Answer, Notices, run
from mcp import ClientSession, types
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamablehttp_client


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
