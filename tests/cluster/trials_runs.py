"""Trials of durable runs: who may answer a question, and where a paused run goes on.

Each trial does its work on one site and checks what came of it. It returns what it counted, as one phrase.
"""

import threading

from client import Refused, together

N_QUESTIONS = 30
N_PAUSED = 200
# The first answer counts; a second one must not.
ASKS = "local answer = alc.llm('which?') local n = alc.state.incr('{key}') return {{answer, n}}"


def counter(client, key):
    return client.call_until("alc_run", {"code": f"return alc.state.get('{key}', 0)"})["result"]


def one_question(site):
    """Two servers get different answers to one question at once."""
    key = "one_question"
    first, second = site.direct(0), site.direct(1)
    accepted, refused = 0, {}
    for _ in range(N_QUESTIONS):
        session = first.call_until("alc_run", {"code": ASKS.format(key=key)})["session_id"]

        def answer(client, text, session=session):
            try:
                return client.call("alc_continue", {"session_id": session, "query_id": "q-0", "response": text})["result"]
            except Refused as error:
                refused[error.code] = refused.get(error.code, 0) + 1
                return None

        given = [found for found in together([lambda: answer(first, "one"), lambda: answer(second, "two")]) if found]
        assert given, "both answers were refused"
        assert all(found == given[0] for found in given), f"two results of one run: {given}"
        accepted += 1
        for client in (first, second):
            # A client that was refused gets what came of it.
            again = client.call_until("alc_continue", {"session_id": session, "query_id": "q-0", "response": "three"})
            assert again["result"] == given[0], f"{again['result']} after {given[0]}"
    count = counter(first, key)
    assert count == N_QUESTIONS, f"{count} answers counted of {N_QUESTIONS} questions"
    return f"{accepted} questions, {count} answers counted; refused: {refused or 'none'}"


def paused_runs(site):
    """Runs that pause at one server are resumed at another, through several pauses, while servers change."""
    key = "paused_runs"
    code = (
        "local a = alc.llm('one') local n = alc.state.incr('" + key + "') local b = alc.llm('two ' .. n) "
        "local card = alc.card.create({pkg = {name = 'paused'}}).card_id return {a, b, n, card}"
    )
    begun, lock = [], threading.Lock()

    def begin(at):
        client = site.direct(at)
        for _ in range(N_PAUSED // 4 + (at < N_PAUSED % 4)):
            session = client.call_until("alc_run", {"code": code})["session_id"]
            with lock:
                begun.append((at, session))

    together([lambda at=at: begin(at) for at in range(4)])
    assert len(begun) == N_PAUSED
    results = []

    def resume(worker):
        clients = [site.direct(at) for at in range(3)]
        for at, session in begun[worker::4]:
            # Neither of both is the server where it paused before.
            second = clients[(at + 1) % 3].call_until("alc_continue", {"session_id": session, "response": "A"})
            assert second["status"] == "needs_response", second
            third = clients[(at + 2) % 3].call_until("alc_continue", {"session_id": session, "response": "B"})
            with lock:
                results.append(third["result"])

    together([lambda worker=worker: resume(worker) for worker in range(4)])
    assert all(result[:2] == ["A", "B"] for result in results)
    numbers, cards = sorted(result[2] for result in results), {result[3] for result in results}
    assert numbers == list(range(1, N_PAUSED + 1)), "a run counted twice, or not at all"
    assert counter(site.direct(2), key) == N_PAUSED
    rows = listed_cards(site.direct(1), "paused")
    assert rows == cards and len(cards) == N_PAUSED, f"{len(rows)} cards of {N_PAUSED} runs"
    return f"{N_PAUSED} runs over 2 pauses each, {len(numbers)} counted once, {len(rows)} cards"


def listed_cards(client, package):
    """The ids of all cards of a package."""
    found, offset = set(), 0
    while True:
        answer = client.call_until("alc_card_list", {"pkg": package, "limit": 100, "offset": offset})
        rows = answer if isinstance(answer, list) else next(value for value in answer.values() if isinstance(value, list))
        found |= {row["card_id"] for row in rows}
        if len(rows) < 100:
            return found
        offset += len(rows)
