"""Drives a server with the `mcp` package, version 2: `python_mcp2.py PLAN`. The mode is `auto` or `legacy`."""

from contextlib import AsyncExitStack, asynccontextmanager

import anyio
import raw_requests
from demo_steps import Answer, Notices, run
from mcp import Client
from mcp.client.stdio import StdioServerParameters


class Peer:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.revision = client.protocol_version

    async def tools(self) -> list[tuple[str, dict]]:
        found, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor, cache_mode="bypass")
            found += [(tool.name, tool.input_schema) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def call(self, name: str, arguments: dict) -> Answer:
        result = await self.client.call_tool(name, arguments)
        text = "\n".join(getattr(item, "text", "") for item in result.content)
        return Answer(bool(result.is_error), text, result.structured_content)

    async def skills(self) -> list[dict]:
        return await raw_requests.all_pages(self.client.session, "skills/list", {}, "skills")

    async def read(self, uri: str) -> bytes:
        return raw_requests.content_of((await self.client.read_resource(uri)).contents)

    async def children(self, uri: str) -> dict[str, str]:
        return await raw_requests.children(self.client.session, uri)


@asynccontextmanager
async def connect(plan: dict, notices: Notices):
    async def on_message(message: object) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            notices.note()

    target = plan["url"]
    if target is None:
        command, *arguments = plan["command"]
        target = StdioServerParameters(command=command, args=arguments, env=plan["environment"])
    modern = plan["mode"] == "auto"
    handler = None if modern else on_message
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(anyio.create_task_group())
        # The last thing to leave is the first to be cancelled: the counting task ends before its client.
        stack.callback(tasks.cancel_scope.cancel)
        client = await stack.enter_async_context(
            Client(target, mode=plan["mode"], read_timeout_seconds=60.0, message_handler=handler)
        )
        if modern:
            subscription = await stack.enter_async_context(client.listen(tools_list_changed=True))

            async def count() -> None:
                async for _ in subscription:
                    notices.note()

            tasks.start_soon(count)
        yield Peer(client)


run(connect)
