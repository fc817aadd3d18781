
"use strict";
// A proposal in the window of an agent, by the protocol of MCP Apps. Texts are set as texts and never become elements.
(() => {
  const VERSION = "2026-01-26";
  const REVIEW = "wardroom/review";
  const host = window.parent;
  const main = document.querySelector("main");
  const waiting = new Map();
  let lastId = 0;
  let canTellModel = false;

  const send = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = (method, params) => new Promise((resolve, reject) => {
    lastId += 1;
    waiting.set(lastId, { resolve, reject });
    send({ id: lastId, method, params });
  });
  const callTool = (name, args) => request("tools/call", { name, arguments: args });

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    // One by one: a call has room for some thousands of arguments.
    for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
    return made;
  }

  function show(...children) {
    main.replaceChildren(...children.filter((child) => child !== null));
  }

  function status(text, isError) {
    return element("p", { id: "status", className: isError ? "note error" : "note", textContent: text, role: isError ? "alert" : "status" });
  }

  // What a failed call says.
  function message(result) {
    const texts = (result?.content ?? []).filter((item) => item.type === "text").map((item) => item.text);
    return result?.structuredContent?.error?.message ?? (texts.join("\n") || "The call failed.");
  }

  function fieldTable(fields) {
    const cell = (text) => element("td", { textContent: text || "none" });
    const hasCurrent = fields.some((field) => field.current !== null);
    const names = hasCurrent ? ["Field", "Before", "Proposed"] : ["Field", "Proposed"];
    const head = element("tr", {}, ...names.map((name) => element("th", { textContent: name, scope: "col" })));
    const rows = fields.map(({ name, current, proposed }) => element("tr", {},
      element("th", { textContent: name, scope: "row" }), hasCurrent ? cell(current) : null, cell(proposed)));
    return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  }

  function lines(hunk) {
    const signs = { kept: " ", removed: "−", added: "+" };
    const rows = hunk.map((line) => element("div", { className: line.kind },
      element("span", { className: "sign", textContent: `${line.number} ${signs[line.kind]} ` }),
      line.parts.map(([isChanged, text]) => (isChanged ? element("mark", { textContent: text }) : text))));
    return element("div", { className: "lines" }, rows);
  }

  function actions(review) {
    const reason = element("input", { id: "reason", autocomplete: "off" });
    const accept = element("button", { id: "accept", textContent: review.canMerge ? "Accept the merge" : "Accept" });
    const discard = element("button", { id: "discard", className: "second", textContent: "Discard" });
    const place = element("div", {});
    const decide = async (event, tool, reviewToken, args) => {
      // A person presses a button; a script of the page around this one does not.
      if (!event.isTrusted) return;
      accept.disabled = discard.disabled = true;
      let result;
      try {
        result = await callTool(tool, { proposalId: review.id, reviewToken, ...args });
      } catch (error) {
        result = { isError: true, content: [{ type: "text", text: error.message }] };
      }
      const outcome = result.structuredContent;
      if (!result.isError) return decided(review, outcome?.message ?? "It is decided.", outcome?.success === false);
      const again = element("button", { id: "again", textContent: "Show it again", onclick: () => load(review.id) });
      place.replaceChildren(status(message(result), true), again);
      again.focus();
    };
    accept.onclick = (event) => decide(event, "accept_proposal", review.token, review.canMerge ? { merge: true } : {});
    discard.onclick = (event) =>
      decide(event, "discard_proposal", review.discardToken, reason.value ? { reason: reason.value } : {});
    place.append(element("div", { className: "actions" }, review.token === undefined ? null : accept,
      element("label", {}, "Reason for discarding, which the proposer reads", reason), discard));
    return place;
  }

  function decided(review, text, isPartial) {
    show(element("h1", { textContent: review.title }), status(text, isPartial));
    if (!canTellModel) return;
    const content = [{ type: "text", text: `The person decided: ${text}` }];
    request("ui/update-model-context", { content }).catch(() => {});
  }

  function render(review) {
    const until = new Date(review.expiresAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const isPending = review.status === "pending";
    const about = [review.kind, review.path, `by ${review.proposedBy}`, isPending ? `until ${until}` : review.status];
    const canDecide = isPending && review.discardToken !== undefined;
    const isNew = review.hunks.length > 0 && review.hunks.every((hunk) => hunk.every((line) => line.kind === "added"));
    const fields = isNew ? [] : review.fields;
    show(
      element("h1", { textContent: review.title }),
      element("p", { className: "soft", textContent: about.join(" · ") }),
      review.conflict ? status(review.conflict, true) : null,
      review.note ? status(review.note, false) : null,
      review.picture ? element("img", { src: review.picture, alt: "The media item" }) : null,
      fields.length > 0 ? element("h2", { textContent: "Fields" }) : null,
      fields.length > 0 ? fieldTable(fields) : null,
      review.hunks.length > 0 ? element("h2", { textContent: isNew ? "The new file" : "What changes in the file" }) : null,
      ...review.hunks.map(lines),
      canDecide ? actions(review) : null,
    );
  }

  // Takes the result of a tool. A host may have kept back what this page needs, and is asked for it once.
  function take(result, mayAsk) {
    const review = result?._meta?.[REVIEW];
    if (review) {
      try {
        return render(review);
      } catch (error) {
        return show(status(`This cannot be shown: ${error.message}. Decide on it with "wardroom review".`, true));
      }
    }
    const id = result?.structuredContent?.proposalId ?? result?.structuredContent?.id;
    if (result?.isError || id === undefined) return show(status(message(result), true));
    if (mayAsk) return load(id);
    show(status(`This client does not pass on what a decision needs: run "wardroom review", or "wardroom proposals show ${id}".`, true));
  }

  async function load(id) {
    try {
      take(await callTool("get_proposal", { proposalId: id }), false);
    } catch (error) {
      show(status(error.message, true));
    }
  }

  function adapt(context) {
    if (context?.theme) document.documentElement.dataset.theme = context.theme;
  }

  addEventListener("message", (event) => {
    if (event.source !== host || event.data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = event.data;
    if (method === undefined) {
      const promise = waiting.get(id);
      waiting.delete(id);
      if (error) promise?.reject(new Error(error.message));
      else promise?.resolve(result);
    } else if (method === "ui/notifications/tool-result") take(params, true);
    else if (method === "ui/notifications/tool-cancelled") show(status("The call was cancelled.", true));
    else if (method === "ui/notifications/host-context-changed") adapt(params);
    else if (method === "ui/resource-teardown" || method === "ping") send({ id, result: {} });
    else if (id !== undefined) send({ id, error: { code: -32601, message: "method not found" } });
  });

  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.documentElement);

  const about = { protocolVersion: VERSION, appInfo: { name: "wardroom review", version: "1" }, appCapabilities: {} };
  request("ui/initialize", about).then((answer) => {
    adapt(answer?.hostContext);
    canTellModel = answer?.hostCapabilities?.updateModelContext !== undefined;
    send({ method: "ui/notifications/initialized", params: {} });
  }).catch((error) => show(status(error.message, true)));
})();
