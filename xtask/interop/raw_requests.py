"""Requests that version 2 of the `mcp` package has no method for, and what its resources hold."""

import base64

import mcp_types
from mcp import ClientSession
from pydantic import TypeAdapter


async def ask(session: ClientSession, method: str, params: dict) -> dict:
    return await session.send_request(mcp_types.Request[dict, str](method=method, params=params), TypeAdapter(dict))


async def all_pages(session: ClientSession, method: str, params: dict, member: str) -> list[dict]:
    found = []
    while True:
        page = await ask(session, method, params)
        found += page[member]
        if page.get("nextCursor") is None:
            return found
        params = params | {"cursor": page["nextCursor"]}


async def children(session: ClientSession, uri: str) -> dict[str, str]:
    found = await all_pages(session, "resources/directory/read", {"uri": uri}, "resources")
    return {child["uri"]: child.get("mimeType") for child in found}


def content_of(contents: list) -> bytes:
    (only,) = contents
    text = getattr(only, "text", None)
    return base64.b64decode(only.blob) if text is None else text.encode()
