"""Drives a server with the FastMCP client: `fastmcp_client.py PLAN`. The mode is `auto` or `legacy`."""

from contextlib import asynccontextmanager

from demo_steps import Answer, Notices, run
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


class Peer:
    def __init__(self, client: Client) -> None:
        self.client = client
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
    async with Client(target, mode=plan["mode"], timeout=60.0, cache=False, message_handler=on_message) as client:
        yield Peer(client)


run(connect)
