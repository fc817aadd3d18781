"""An MCP client over HTTP, in both revisions: 2025-11-25 with a session, 2026-07-28 without.

Owns: the form of requests, the session of a client, and which failures leave it open whether the server acted.
Never: decides what an answer should be.
"""

import http.client
import json
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
REVISIONS = (LEGACY, MODERN)
# The name under which the servers are addressed, whatever their address.
HOST = "cluster.example"
TASKS = "io.modelcontextprotocol/tasks"
META = "io.modelcontextprotocol/"
# Which parameter a header of the modern revision repeats.
NAMED = {"resources/read": "uri", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}


class Refused(Exception):
    """The server answered with an error: it says what it did not do."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Unknown(Exception):
    """No answer arrived: the server may have acted or not."""


def error_of(result):
    """The code and message of a tool's error."""
    content = result.get("structuredContent") or {}
    text = " ".join(item.get("text", "") for item in result.get("content", []))
    error = content.get("error")
    if isinstance(error, dict):
        return error.get("code", "ERROR"), error.get("message", text)
    return "ERROR", text


class Client:
    """One connection, which is opened again after a failure. For one thread at a time."""

    def __init__(self, address, token, revision=MODERN, timeout=60):
        self.address, self.token, self.revision, self.timeout = address, token, revision, timeout
        self.connection = None
        self.session = None
        self.next_id = 0
        # How often another server than that of the session was met, and how often a call was sent again.
        self.new_sessions = self.retries = 0

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def post(self, headers, message):
        """Sends one message. Returns the status, the session's id and the answer, if there is one."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.address, timeout=self.timeout)
        sent = {
            "Host": HOST,
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        }
        try:
            self.connection.request("POST", "/mcp", json.dumps(message).encode(), sent)
            response = self.connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Unknown(f"{type(error).__name__}: {error}") from error
        answer = None
        if response.getheader("Content-Type", "").startswith("text/event-stream"):
            lines = [line[6:] for line in body.decode().splitlines() if line.startswith("data: ")]
            for found in map(json.loads, filter(None, lines)):
                if found.get("id") == message.get("id") and ("result" in found or "error" in found):
                    answer = found
        elif response.getheader("Content-Type", "").startswith("application/json"):
            answer = json.loads(body)
        if response.status >= 500 and answer is None:
            raise Unknown(f"HTTP {response.status}")
        return response.status, response.getheader("Mcp-Session-Id"), answer

    def initialize(self):
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "cluster", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        status, session, answer = self.post({}, message)
        if status != 200 or session is None:
            raise Unknown(f"initialize: HTTP {status}: {answer}")
        self.session = session
        self.post(self.session_headers(), {"jsonrpc": "2.0", "method": "notifications/initialized"})

    def session_headers(self):
        return {"Mcp-Session-Id": self.session, "Mcp-Protocol-Version": LEGACY}

    def request(self, method, params, capabilities=None):
        """Sends one request. Returns its result."""
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        if self.revision == MODERN:
            meta = {META + "protocolVersion": MODERN, META + "clientCapabilities": capabilities or {}}
            message["params"] = {**params, "_meta": meta}
            headers = {"Mcp-Protocol-Version": MODERN, "Mcp-Method": method}
            name = params.get(NAMED.get(method, "name"))
            if name is not None:
                headers["Mcp-Name"] = name
            status, _, answer = self.post(headers, message)
        else:
            if self.session is None:
                self.initialize()
            status, _, answer = self.post(self.session_headers(), message)
            if status == 404:
                # The server of the session is gone; the server that was asked did nothing.
                self.new_sessions += 1
                self.initialize()
                status, _, answer = self.post(self.session_headers(), message)
        if answer is None:
            raise Unknown(f"HTTP {status} without an answer")
        if "error" in answer:
            raise Refused(answer["error"].get("code"), answer["error"].get("message"))
        return answer["result"]

    def call(self, tool, arguments, capabilities=None):
        """Calls a tool. Returns its structured content, or the whole result of a task or an input request."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}, capabilities)
        if result.get("isError"):
            raise Refused(*error_of(result))
        if result.get("resultType", "complete") != "complete":
            return result
        return result.get("structuredContent", result)

    def call_until(self, tool, arguments, seconds=60, again=("BUSY", -31000), unknown=False, done=()):
        """Calls a tool again while it is busy, and if `unknown` also when no answer arrived.

        A code of `done` says that an earlier call, whose answer did not arrive, was the one: then None is returned.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                return self.call(tool, arguments)
            except Refused as error:
                if error.code in done:
                    return None
                if error.code not in again or time.monotonic() > end:
                    raise
            except Unknown:
                if not unknown or time.monotonic() > end:
                    raise
            self.retries += 1
            time.sleep(0.05)


def together(workers):
    """Runs functions in threads, all at once. Returns what each returned, or raises the first error."""
    results, errors = [None] * len(workers), []
    start = threading.Barrier(len(workers))

    def work(at, worker):
        try:
            start.wait()
            results[at] = worker()
        except Exception as error:  # pylint: disable=broad-except
            errors.append(error)

    threads = [threading.Thread(target=work, args=one, daemon=True) for one in enumerate(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def reachable(address):
    """Whether something that answers /healthz listens there."""
    connection = http.client.HTTPConnection(*address, timeout=1)
    try:
        connection.request("GET", "/healthz", headers={"Host": HOST})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
