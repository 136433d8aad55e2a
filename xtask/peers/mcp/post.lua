-- Requests for wrk, every one with an id of its own. OP=list or call.
local method = os.getenv("OP") == "call" and "tools/call" or "tools/list"
local meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
  .. '"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
local headers = {
  ["Content-Type"] = "application/json",
  ["Accept"] = "application/json, text/event-stream",
  ["MCP-Protocol-Version"] = "2026-07-28",
  ["Mcp-Method"] = method,
}
local params = meta
if method == "tools/call" then
  headers["Mcp-Name"] = "tool_050"
  params = '"name":"tool_050","arguments":{"a":1},' .. meta
end
local head = '{"jsonrpc":"2.0","id":'
local tail = ',"method":"' .. method .. '","params":{' .. params .. '}}'
local number = 0
function request()
  number = number + 1
  return wrk.format("POST", nil, headers, head .. number .. tail)
end
-- The requests per second, and the latencies in microseconds, in one line.
function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status
    + summary.errors.timeout
  io.write(string.format('{"per_second":%.1f,"p50_us":%.1f,"p99_us":%.1f,"failed":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50), latency:percentile(99), failed))
end
