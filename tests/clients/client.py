"""The Python client (mcp 2): `python client.py FACTS`. It speaks every era.

The steps are those of checks.mjs, in Python; the facts are the same.
"""

import asyncio
import json
import os
import shutil
import sys
import traceback
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning

# The older eras subscribe in a way that the newer one has not.
warnings.simplefilter("ignore", MCPDeprecationWarning)

STEP = 120
SEEN = 20
# Schemas and answers stand in some messages, whole.
MOST_TOLD = 4000
FACTS = json.loads(Path(sys.argv[1]).read_text())
ERA = FACTS["era"]
APP = Path(FACTS["app"])
MODE = {"legacy": "legacy", "auto": "auto", "pinned": FACTS["version"]}[FACTS["mode"]]
LISTS = {
    "tools": ("list_tools", "tools", "name"),
    "prompts": ("list_prompts", "prompts", "name"),
    "resources": ("list_resources", "resources", "uri"),
    "templates": ("list_resource_templates", "resource_templates", "uriTemplate"),
}


def equal(found: Any, wanted: Any, what: str) -> None:
    if found != wanted:
        raise AssertionError(f"{what}\n  found  {found!r}\n  wanted {wanted!r}")


def wire(model: Any) -> dict[str, Any]:
    """A model as it stands on the wire."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def until(what: str, ask: Callable[[], Any]) -> None:
    """Asks until the answer is the wanted one."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SEEN
    while True:
        found = ask()
        if isinstance(found, Awaitable):
            found = await found
        if found:
            return
        if loop.time() > end:
            raise AssertionError(f"{what}: not within {SEEN} s")
        await asyncio.sleep(0.1)


async def refused(what: str, asking: Awaitable[Any], code: int, message: str) -> None:
    try:
        answer = await asking
    except MCPError as error:
        equal(error.code, code, what)
        if message not in error.message:
            raise AssertionError(f"{what}: says {error.message}") from error
        return
    raise AssertionError(f"{what}: answered {answer!r}")


class Heard:
    """What the server told, and what it asked the user."""

    def __init__(self) -> None:
        self.updated: list[str] = []
        self.lists: set[str] = set()
        self.asked: list[dict[str, Any]] = []
        self.reply = types.ElicitResult(action="cancel")

    async def message(self, message: Any) -> None:
        match message:
            case types.ResourceUpdatedNotification():
                self.updated.append(str(message.params.uri))
            case types.ToolListChangedNotification():
                self.lists.add("tools")
            case types.ResourceListChangedNotification():
                self.lists.add("resources")

    async def listen(self, subscription: Any) -> None:
        async for event in subscription:
            match event:
                case ResourceUpdated():
                    self.updated.append(str(event.uri))
                case ToolsListChanged():
                    self.lists.add("tools")
                case ResourcesListChanged():
                    self.lists.add("resources")

    async def elicit(self, _context: Any, params: Any) -> types.ElicitResult:
        asked = wire(params)
        self.asked.append({"message": asked["message"], "requestedSchema": params.requested_schema})
        return self.reply


HEARD = Heard()


async def listed(client: Client, kind: str) -> list[Any]:
    method, field, _ = LISTS[kind]
    items: list[Any] = []
    cursor = None
    while True:
        page = await getattr(client, method)(cursor=cursor)
        items += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            return items


async def called(client: Client, tool: str, given: dict[str, Any]) -> Any:
    """A call that works; the client holds the answer against the tool's schema."""
    answer = await client.call_tool(tool, given)
    if answer.is_error:
        raise AssertionError(f"{tool} fails: {answer!r}")
    return answer.structured_content


async def lists(client: Client) -> None:
    for kind, wanted in FACTS["lists"][ERA].items():
        key = LISTS[kind][2]
        found = []
        for item in await listed(client, kind):
            shown = wire(item)
            # As they came: what is null in a schema stays.
            if kind == "tools":
                shown |= {"inputSchema": item.input_schema}
                if item.output_schema is not None:
                    shown["outputSchema"] = item.output_schema
            fields = {"name", "description", "inputSchema", "outputSchema", "arguments", "uri", "uriTemplate", "mimeType"}
            found.append({name: value for name, value in shown.items() if name in fields})
        by_key = lambda item: item[key]  # noqa: E731
        equal(sorted(found, key=by_key), sorted(wanted, key=by_key), f"{kind} differ from what the server sent")


async def reads(client: Client) -> None:
    for wanted in FACTS["reads"]:
        [content] = (await client.read_resource(wanted["uri"])).contents
        equal((str(content.uri), content.mime_type), (wanted["uri"], wanted["mimeType"]), "the content")
        if "text" in wanted:
            equal(content.text, wanted["text"], wanted["uri"])
        else:
            equal(json.loads(content.text), wanted["json"], wanted["uri"])
    missing = "alc://packages/none/meta"
    await refused("a missing resource", client.read_resource(missing), -32602, f"resource not found: {missing}")


async def calls(client: Client) -> None:
    for wanted in FACTS["calls"]:
        tool = wanted["tool"]
        answer = await client.call_tool(tool, wanted["given"])
        equal(bool(answer.is_error), wanted.get("fails", False), f"{tool}: {answer!r}")
        equal(answer.structured_content, wanted["structured"], tool)
        if "text" in wanted:
            equal([block.text for block in answer.content], [wanted["text"]], tool)


async def shapes(client: Client) -> None:
    problems = []
    for tool, given in FACTS["looks"]:
        try:
            equal(type(await called(client, tool, given)), dict, "structured content")
        except Exception as error:  # all of them are told
            problems.append(f"{tool}: {str(error).splitlines()[0]}")
    equal(problems, [], "answers that are not what their tools announce")


async def runs(client: Client) -> None:
    code = "local first = alc.llm('One?')\nlocal second = alc.llm('Two?', { system = 'Be brief.' })\nreturn { first, second }"
    first = await called(client, "alc_run", {"code": code})

    def shown(answer: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(answer[name] for name in ("status", "prompt", "system", "max_tokens"))

    equal(shown(first), ("needs_response", "One?", None, 1024), "the first question")
    session = first["session_id"]

    async def answered(query: str, response: str) -> Any:
        return await called(client, "alc_continue", {"session_id": session, "query_id": query, "response": response})

    second = await answered(first["query_id"], "uno")
    equal(shown(second), ("needs_response", "Two?", "Be brief.", 1024), "the second question")
    equal(second["session_id"], session, "the session")
    last = await answered(second["query_id"], "due")
    equal((last["status"], last["result"]), ("completed", ["uno", "due"]), "the end")
    equal(last["stats"]["auto"]["llm_calls"], 2, "the numbers")


async def prompts(client: Client) -> None:
    answer = await client.get_prompt("brief", {"topic": "tea", "tone": "warm"})
    found = [(message.role, message.content.type, message.content.text) for message in answer.messages]
    equal(found, [("user", "text", "Write about tea in a warm tone.")], "the prompt")
    await refused("a missing argument", client.get_prompt("brief", {"topic": "tea"}), -32602, "tone")
    await refused("a missing prompt", client.get_prompt("none", {}), -32602, "none")


async def completes(client: Client) -> None:
    for wanted in FACTS["completes"]:
        given = wanted["reference"]
        if "prompt" in given:
            reference = types.PromptReference(name=given["prompt"])
        else:
            reference = types.ResourceTemplateReference(uri=given["template"])
        answer = await client.complete(reference, {"name": wanted["argument"], "value": wanted["value"]})
        equal(answer.completion.values, wanted["values"], f"{given}, {wanted['argument']}={wanted['value']}")


class Listening:
    """Hears of changes, by the means of the era, while it is entered."""

    def __init__(self, client: Client, uris: list[str], lists: bool) -> None:
        self.client, self.uris, self.lists = client, uris, lists

    async def __aenter__(self) -> None:
        HEARD.updated.clear()
        HEARD.lists.clear()
        if ERA == "older":
            for uri in self.uris:
                await self.client.subscribe_resource(uri)
            return
        self.stream = self.client.listen(
            resource_subscriptions=self.uris, tools_list_changed=self.lists, resources_list_changed=self.lists
        )
        self.task = asyncio.create_task(HEARD.listen(await self.stream.__aenter__()))

    async def __aexit__(self, *how: Any) -> None:
        if ERA == "older":
            for uri in self.uris:
                await self.client.unsubscribe_resource(uri)
            return
        self.task.cancel()
        await self.stream.__aexit__(None, None, None)


async def watches(client: Client) -> None:
    uri, file = "alc://packages/watched/init.lua", APP / "packages/watched/init.lua"
    before = file.read_text()

    async def text() -> str:
        return (await client.read_resource(uri)).contents[0].text

    equal(await text(), before, "the text before")
    async with Listening(client, [uri], lists=False):
        equal(HEARD.updated, [], "told of a change before there was one")
        with file.open("a") as edited:
            edited.write("-- edited\n")
        await until("the edited file is told of", lambda: HEARD.updated)
        equal(set(HEARD.updated), {uri}, "what is told of")
        equal(await text(), f"{before}-- edited\n", "the text afterwards")


async def follows(client: Client) -> None:
    async def both() -> tuple[bool, bool]:
        resources, tools = await listed(client, "resources"), await listed(client, "tools")
        return (
            any(str(item.uri) == "alc://packages/late/meta" for item in resources),
            any(item.name == "late_tool" for item in tools),
        )

    async def both_are(there: bool) -> bool:
        return await both() == (there, there)

    equal(await both(), (False, False), "before")
    places = [APP / "packages/late", APP / "registry/late"]
    entry = {
        "name": "late",
        "kind": "function.lua",
        "source": "file://handlers.lua",
        "method": "count",
        "meta": {"mcp.tool": True, "mcp.name": "late_tool", "mcp.description": "Came late."},
    }
    async with Listening(client, [], lists=True):
        for place in places:
            place.mkdir()
        (places[0] / "init.lua").write_text("return { meta = { name = 'late', version = '1' } }\n")
        shutil.copy(Path(FACTS["registry"]) / "handlers.lua", places[1])
        # JSON is YAML.
        (places[1] / "_index.yaml").write_text(json.dumps({"version": "1.0", "namespace": "late", "entries": [entry]}))
        await until("the lists changed after something came", lambda: HEARD.lists == {"tools", "resources"})
        HEARD.lists.clear()
        await until("the lists have what came", lambda: both_are(True))
        equal(await called(client, "late_tool", {"text": "a b"}), {"words": 2}, "late_tool")
        for place in places:
            shutil.rmtree(place)
        await until("the lists changed after it went", lambda: HEARD.lists == {"tools", "resources"})
        await until("the lists have not what went", lambda: both_are(False))


async def cancels(client: Client) -> None:
    async def running() -> int:
        sessions = (await called(client, "alc_status", {}))["sessions"]
        return sum(run["state"] == "running" for run in sessions)

    async def are(count: int) -> bool:
        return await running() == count

    equal(await running(), 0, "runs before the first one")
    call = asyncio.create_task(client.call_tool("alc_run", {"code": "while true do end"}))
    await until("the loop runs", lambda: are(1))
    call.cancel()
    done, _ = await asyncio.wait([call], timeout=SEEN)
    if not done or not call.cancelled():
        raise AssertionError(f"a cancelled call ends otherwise: {call!r}")
    await until("the run ended", lambda: are(0))


async def elicits(client: Client) -> None:
    schema = {"type": "object", "properties": {"cups": {"type": "integer", "minimum": 1, "maximum": 9}}, "required": ["cups"]}
    HEARD.asked.clear()

    async def order(drink: str, reply: types.ElicitResult) -> Any:
        HEARD.reply = reply
        return await called(client, "order_drink", {"drink": drink})

    accepted = await order("tea", types.ElicitResult(action="accept", content={"cups": 3}))
    equal(accepted, {"action": "accept", "drink": "tea", "cups": 3}, "an accepted question")
    declined = await order("milk", types.ElicitResult(action="decline"))
    equal(declined, {"action": "decline", "drink": "milk"}, "a declined question")
    wanted = [{"message": f"How many cups of {drink}?", "requestedSchema": schema} for drink in ("tea", "milk")]
    equal(HEARD.asked, wanted, "what was asked")


STEPS = [lists, reads, calls, shapes, runs, prompts, completes, watches, follows, cancels, elicits]


async def main() -> int:
    command = FACTS.get("command")
    server = FACTS["url"] if command is None else StdioServerParameters(**command)
    only = os.environ.get("STEPS", "").split(",") if "STEPS" in os.environ else None
    failed = False
    async with Client(
        server, mode=MODE, elicitation_callback=HEARD.elicit, message_handler=HEARD.message, read_timeout_seconds=STEP
    ) as client:
        equal(client.protocol_version, FACTS["version"], "the version that was agreed on")
        for step in STEPS:
            if only is not None and step.__name__ not in only:
                continue
            try:
                await asyncio.wait_for(step(client), STEP)
                print(f"  ok {step.__name__}", flush=True)
            except Exception:  # each step is tried
                failed = True
                told = traceback.format_exc(chain=False)
                print(f"  FAILED {step.__name__}: {told[:MOST_TOLD]}", flush=True)
    return 1 if failed else 0


sys.exit(asyncio.run(main()))
