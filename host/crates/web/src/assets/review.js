// The review page with a keyboard, and pages that follow changes. Everything works without this file.
"use strict";

const items = () => [...document.querySelectorAll("[data-item]")];

function isTyping(target) {
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

// Moves the focus to the next or previous item.
function step(by) {
  const all = items();
  const at = all.findIndex((item) => item === document.activeElement || item.closest("li, section")?.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by;
  all[next]?.focus();
}

// Moves the focus to the button for a key: that of the current item, else the first one of the page.
function focusKey(key) {
  const near = document.activeElement?.closest("li, section, form");
  const found = near?.querySelector(`[data-key="${key}"]`) ?? document.querySelector(`[data-key="${key}"]`);
  found?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  switch (event.key) {
    case "j": step(1); break;
    case "k": step(-1); break;
    case "a": focusKey("a"); break;
    case "d": focusKey("d"); break;
    case "/": document.querySelector("input[type=search]")?.focus(); break;
    case "?": {
      const keys = document.getElementById("keys");
      keys.open = !keys.open;
      if (keys.open) keys.querySelector("summary").focus();
      break;
    }
    default: return;
  }
  event.preventDefault();
});

// Whether a person would lose something if the page changed under them.
function isInUse() {
  const active = document.activeElement;
  const main = document.getElementById("content");
  const firstChoice = (field) => Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  const isEdited = (field) => field.type === "select-one" ? field.selectedIndex !== firstChoice(field)
    : ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked
    : field.type !== "hidden" && field.value !== field.defaultValue && field.defaultValue !== undefined;
  return (main.contains(active) && active !== main) || [...main.querySelectorAll("input, select, textarea")].some(isEdited);
}

function offerReload() {
  const status = document.getElementById("status");
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "Show the page as it is now";
  status.replaceChildren("Something changed. ", link);
}

async function follow(version) {
  if (version === document.body.dataset.version) return;
  if (isInUse()) return offerReload();
  const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
  // What was at the address is elsewhere by now.
  if (!reply.ok || reply.redirected) return offerReload();
  const next = new DOMParser().parseFromString(await reply.text(), "text/html");
  if (!next.getElementById("content") || isInUse()) return offerReload();
  const open = new Set([...document.querySelectorAll("main details[open][id]")].map((details) => details.id));
  for (const part of [".site", "#content"]) {
    const [old, fresh] = [document.querySelector(part), next.querySelector(part)];
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
  }
  open.forEach((id) => { const details = document.getElementById(id); if (details) details.open = true; });
  document.body.dataset.version = next.body.dataset.version ?? version;
  document.title = next.title;
  document.getElementById("status").replaceChildren();
}

// A browser has few connections for a server: hidden pages hold none.
let source = null;
function connect() {
  const address = document.body.dataset.events;
  if (!address) return;
  if (document.hidden) {
    source?.close();
    source = null;
  } else if (!source) {
    source = new EventSource(address);
    source.addEventListener("version", (event) => { follow(event.data).catch(offerReload); });
  }
}
document.addEventListener("visibilitychange", connect);
connect();
