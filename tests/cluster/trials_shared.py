"""Trials of what all servers write at once: counters, cards, proposals, the playbook, tasks and the audit trail.

Each trial does its work on one site and checks what came of it. It returns what it counted, as one phrase.
"""

import json
import time
import uuid

from client import MODERN, TASKS, Refused, together
from trials_runs import counter, listed_cards

N_WRITERS = 6


def counters(site):
    """Clients of both revisions count in one namespace and in one of each, through the proxy."""
    each = 15
    code = "return {alc.state.incr('shared_count'), alc.state.incr('own_%d')}"

    def count(at, client):
        answers = [client.call_until("alc_run", {"code": code % at})["result"] for _ in range(each)]
        return [shared for shared, _ in answers], [own for _, own in answers]

    clients = site.clients(N_WRITERS)
    found = together([lambda at=at, client=client: count(at, client) for at, client in enumerate(clients)])
    total = N_WRITERS * each
    assert sorted(sum((shared for shared, _ in found), [])) == list(range(1, total + 1)), "a number came twice, or never"
    assert all(own == list(range(1, each + 1)) for _, own in found), "a writer's own counter skipped"
    assert counter(site.direct(1), "shared_count") == total
    return f"{total} increments by {N_WRITERS} clients, each number once"


def reads_of_replaced(site):
    """A file is read on two machines while a third one replaces it: no read fails, and none is older than the one before."""
    write = "for _ = 1, 100 do alc.state.incr('seen') end return alc.state.get('seen')"
    read = (
        "local last = 0 for _ = 1, 250 do local now = alc.state.get('seen', 0) "
        "if now < last then error('read ' .. now .. ' after ' .. last) end last = now end return last"
    )

    def look(client):
        for _ in range(2):
            client.call("alc_run", {"code": read})

    writer = site.direct(0)
    written = together([
        lambda: writer.call("alc_run", {"code": write})["result"],
        *(lambda client=site.direct(at): look(client) for at in (1, 1, 2, 2)),
    ])[0]
    assert written == 100, f"{written} of 100 increments"
    return "2,000 reads during 100 replacements, each whole and none older than the one before"


def cards(site):
    """All servers create cards, append to one card, and set one alias."""
    each = 8
    make = {"code": "return alc.card.create({pkg = {name = 'contended'}, stats = {pass_rate = 0.5}}).card_id"}
    first = site.direct(0).call_until("alc_run", make)["result"]

    def write(at, client):
        made = []
        for n in range(each):
            made.append(client.call_until("alc_run", make)["result"])
            client.call_until("alc_card_append", {"card_id": first, "fields": {f"field_{at}_{n}": n}})
            client.call_until("alc_card_alias_set", {"name": "newest", "card_id": made[-1]})
        return made

    found = together([lambda at=at, client=client: write(at, client) for at, client in enumerate(site.clients(N_WRITERS))])
    ids = {first, *sum(found, [])}
    assert len(ids) == N_WRITERS * each + 1, "two cards have one id"
    assert listed_cards(site.direct(1), "contended") == ids, "a card is not listed"
    card = site.direct(2).call_until("alc_card_get", {"card_id": first})
    fields = [name for name in json.dumps(card).split('"') if name.startswith("field_")]
    assert len(fields) == len(set(fields)) == N_WRITERS * each, f"{len(fields)} of {N_WRITERS * each} fields"
    alias = site.direct(0).call_until("alc_card_get_by_alias", {"name": "newest"})
    assert any(one in json.dumps(alias) for one in (made[-1] for made in found)), "the alias is that of an earlier card"
    return f"{len(ids)} cards, {len(fields)} fields of one card, 1 alias"


def proposals(site):
    """Drafts are proposed by all servers; each is then accepted by one server and discarded by another at once."""
    each = 4

    def draft(at, client):
        asks = [{"title": f"Draft {at} {n}", "content": f"Text {at} {n}."} for n in range(each)]
        return [client.call_until("draft_post", ask)["proposalId"] for ask in asks]

    made = sum(together([lambda at=at, client=client: draft(at, client) for at, client in enumerate(site.clients(N_WRITERS))]), [])
    assert len(set(made)) == N_WRITERS * each

    def decide(client, tool, proposal):
        try:
            client.call_until(tool, {"proposalId": proposal}, again=("BUSY", -31000, "LOCKED"))
            return tool
        except Refused as error:
            assert error.code in ("CONFLICT", "PROPOSAL_CONFLICT", "PROPOSAL_NOT_FOUND"), error
            return None

    first, second = site.direct(0), site.direct(1)
    accepted = 0
    for proposal in made:
        did = together([
            lambda one=proposal: decide(first, "accept_proposal", one),
            lambda one=proposal: decide(second, "discard_proposal", one),
        ])
        assert sum(one is not None for one in did) == 1, f"{proposal}: {did}"
        accepted += did[0] is not None
    posts = [path.read_text() for path in (site.app / "blog/posts").rglob("*.md")]
    assert sum("title: Draft " in text for text in posts) == accepted, f"not {accepted} posts of accepted drafts"
    # Each server finds them in its index after a while: the last trial looks.
    site.accepted = accepted
    return f"{len(made)} proposals, each decided once: {accepted} accepted, {len(made) - accepted} discarded"


def playbook(site):
    """Bullets are added, rated and traced by all servers at once."""
    each = 5
    words = ["anchor", "bosun", "capstan", "dinghy", "ensign", "fathom", "galley", "halyard", "jib", "keel"]

    def lesson(at, n):
        return " ".join(words[(at * each + n + step * (at + 2)) % 10] + str(at * 100 + n) for step in range(6))

    def write(at, client):
        ids = []
        for n in range(each):
            add = {"op": "add", "content": lesson(at, n), "section": "Build & Test Patterns"}
            result = client.call_until("ace_propose_bullets", {"operations": [add]})["results"][0]
            assert result.get("bulletId"), result
            ids.append(result["bulletId"])
            feedback = {"beadId": f"t-{at}-{n}", "bulletId": ids[0], "feedback": "helpful", "reason": "it helped"}
            client.call_until("ace_feedback", feedback)
            run = {"runner": "make", "command": "make test", "status": "pass", "errors": []}
            client.call_until("ace_capture_trace", {"beadId": f"t-{at}-{n}", "executions": [run]})
        return ids

    found = together([lambda at=at, client=client: write(at, client) for at, client in enumerate(site.clients(N_WRITERS))])
    text = (site.app / "ace/AGENTS.md").read_text()
    bullets = [line for line in text.splitlines() if line.startswith("[Bullet #")]
    ids = sorted(line.split("#")[1].split(",")[0] for line in bullets)
    assert ids == sorted(sum(found, [])), f"{len(ids)} bullets of {N_WRITERS * each}"
    helped = sum(int(line.split("helpful:")[1].split(",")[0]) for line in bullets)
    assert helped == N_WRITERS * each, f"{helped} ratings of {N_WRITERS * each}"
    traces = [line["bead_id"] for line in site.json_lines("ace/logs/execution_traces.jsonl")]
    counts = {bead: traces.count(bead) for bead in traces}
    # A rating leaves a trace as well.
    assert len(counts) == N_WRITERS * each and set(counts.values()) == {2}, counts
    return f"{len(ids)} bullets, {helped} ratings, {len(traces)} traces"


def tasks(site):
    """Tasks begin at one server and are looked at from the others; each ran once."""
    n_tasks = 24
    capabilities = {"extensions": {TASKS: {}}}
    run = uuid.uuid4().int % 1_000_000 * 100
    clients = site.clients(4, (MODERN,))

    def begin(client, numbers):
        return [(n, client.call("counted", {"n": n}, capabilities)["taskId"]) for n in numbers]

    numbers = [run + n for n in range(n_tasks)]
    begun = sum(together([lambda at=at, one=one: begin(one, numbers[at::4]) for at, one in enumerate(clients)]), [])
    watchers, end = [site.direct(at) for at in range(3)], time.monotonic() + 60
    seen = 0
    for n, task in begun:
        while True:
            seen += 1
            now = watchers[seen % 3].request("tasks/get", {"taskId": task}, capabilities)
            if now["status"] != "working":
                break
            assert time.monotonic() < end, f"the task does not end: {now}"
            time.sleep(0.02)
        assert now["status"] == "completed", now
        assert now["result"]["structuredContent"] == {"n": n, "times": 1}, now
        for watcher in watchers:
            assert watcher.request("tasks/get", {"taskId": task}, capabilities)["status"] == "completed"
    return f"{n_tasks} tasks, each ran once, looked at {seen + 3 * n_tasks} times"


def audit_trail(site):
    """The lines of all servers are whole, and each run of a burst begins and ends once."""
    # A caller has 1,000 lines, and more only slowly: this one begins with all of them.
    each = 10
    before = records(site)
    runs = together([
        lambda client=client: [client.call_until("alc_run", {"code": "return 1"}) for _ in range(each)]
        for client in site.clients(N_WRITERS, token=site.tokens[1])
    ])
    assert all(len(done) == each for done in runs)
    site.wardroom("audit", "verify")
    after = records(site)
    counts = {}
    for action in ("run_begun", "run_ended"):
        subjects = [record["subject"] for record in after if record["action"] == action]
        assert len(subjects) == len(set(subjects)), f"{action} of a run is there twice"
        counts[action] = len(subjects) - sum(record["action"] == action for record in before)
    total = N_WRITERS * each
    noted = f"{counts['run_begun']} begins and {counts['run_ended']} ends"
    assert counts == {"run_begun": total, "run_ended": total}, f"{noted} of {total} runs"
    return f"{noted} of {total} runs, {len(after)} records unchanged"


def records(site):
    return json.loads(site.wardroom("audit", "list", "--last", "1000000", "--json"))
