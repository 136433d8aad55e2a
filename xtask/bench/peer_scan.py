"""One `scan_and_load` of the published package, as one line of JSON.

usage: peer_scan.py FOLDER
"""

import json
import os
import resource
import sys
import time

# Only the given folder, and no log lines between the figures.
os.environ["DCC_MCP_DISABLE_DEFAULT_SKILL_PATHS"] = "1"
os.environ["DCC_MCP_LOG_LEVEL"] = "error"
os.environ["RUST_LOG"] = "off"

import dcc_mcp_core  # noqa: E402

start = time.perf_counter()
skills, skipped = dcc_mcp_core.scan_and_load(extra_paths=[sys.argv[1]])
taken = (time.perf_counter() - start) * 1e3
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"milliseconds": taken, "found": len(skills), "rejected": len(skipped), "peak_kib": peak}))
