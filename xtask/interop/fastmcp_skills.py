"""FastMCP's skill server over standard input and output: `fastmcp_skills.py DIR template|resources`."""

import sys
from pathlib import Path

from fastmcp import FastMCP
from fastmcp.server.providers.skills import SkillsDirectoryProvider

server = FastMCP("fastmcp-skills")
server.add_provider(SkillsDirectoryProvider(Path(sys.argv[1]), supporting_files=sys.argv[2]))
server.run(show_banner=False)
