// Liveness and keys of the explorer. Every page can be read without it.
(() => {
  "use strict";
  const MARKED_MS = 2500;
  const REFRESH_MS = 500;
  document.documentElement.classList.add("scripted");
  const alertBox = document.getElementById("taken-back");
  let source = null;
  let refresh = null;
  let refreshed = 0;

  // Live: events say that the chain has changed; parts of the page with hx-get are read again.

  function changed(wait) {
    clearTimeout(refresh);
    const soonest = Math.max(wait, refreshed + REFRESH_MS - Date.now());
    refresh = setTimeout(() => {
      // What a reader has opened, or types, stays until it is closed.
      if (document.querySelector("#live:not(.pending) details[open], #live :is(input, select, textarea):focus")) {
        changed(REFRESH_MS);
        return;
      }
      refreshed = Date.now();
      htmx.trigger(document.body, "chain-changed");
    }, Math.max(soonest, 0));
  }

  function takeBack(removed) {
    const gone = new Set(removed);
    for (const row of document.querySelectorAll("main [data-block]")) {
      if (gone.has(row.dataset.block)) row.classList.add("gone");
    }
    const own = document.body.dataset.block;
    if (own && gone.has(own)) {
      alertBox.textContent = "The block of this page was taken back: it is no longer on the chain.";
      alertBox.hidden = false;
    } else if (document.querySelector(".gone")) {
      const count = removed.length;
      alertBox.textContent = `${count} ${count === 1 ? "block was" : "blocks were"} taken back.`;
      alertBox.hidden = false;
      setTimeout(() => { alertBox.hidden = true; }, 2 * MARKED_MS);
    }
  }

  function onChain(event) {
    const news = JSON.parse(event.data);
    const height = document.getElementById("height");
    if (height) height.textContent = news.height.toLocaleString("en-US");
    if (news.removed.length) takeBack(news.removed);
    changed(news.removed.length ? MARKED_MS : 0);
  }

  // A browser keeps six connections to one node: hidden tabs give theirs back.
  function listen() {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource(document.body.dataset.live);
      source.addEventListener("open", () => document.documentElement.classList.add("live"));
      source.addEventListener("error", () => document.documentElement.classList.remove("live"));
      source.addEventListener("chain", onChain);
    }
  }
  document.addEventListener("visibilitychange", () => {
    listen();
    if (!document.hidden) changed(0);
  });
  listen();

  // A link to a part that is folded opens it.

  function unfold() {
    const part = document.getElementById(location.hash.slice(1));
    if (part?.localName === "details") part.open = true;
  }
  addEventListener("hashchange", unfold);
  unfold();

  // Where tabs do not fit, the one of this page is in view.

  for (const tab of document.querySelectorAll("nav [aria-current]")) {
    const nav = tab.closest("nav");
    nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2;
  }

  // Copying

  function showCopyButtons() {
    for (const button of document.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
  }
  if (navigator.clipboard) {
    showCopyButtons();
    document.body.addEventListener("htmx:afterSwap", showCopyButtons);
    document.addEventListener("click", async event => {
      const button = event.target.closest("[data-copy]");
      if (!button) return;
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // Folding a call tree

  document.addEventListener("click", event => {
    const button = event.target.closest("[data-fold]");
    if (!button) return;
    const tree = document.getElementById(button.dataset.tree);
    for (const each of tree.querySelectorAll("details:not(.more)")) each.open = button.dataset.fold === "open";
  });

  // Stepping through a transaction: a click on a line is one on its number. Each step is an entry of
  // the browser's history: its Back returns to the step before, which is read again.

  document.addEventListener("click", event => {
    const line = event.target.closest("#steps .at-source tr");
    if (!line || event.target.closest("a") || String(getSelection())) return;
    line.querySelector("a.runs")?.click();
  });
  document.body.addEventListener("htmx:afterSwap", event => {
    const steps = document.getElementById("steps");
    if (!steps) return;
    const isReturn = event.detail.requestConfig.elt === document.body;
    if (!isReturn) {
      if (location.href.endsWith(steps.dataset.here)) return;
      history.pushState(null, "", steps.dataset.here);
    }
    document.getElementById("moved").textContent = steps.dataset.says;
  });
  addEventListener("popstate", () => {
    const steps = document.getElementById("steps");
    if (!steps || location.href.endsWith(steps.dataset.here)) return;
    const swap = {target: "#steps", select: "#steps", swap: "outerHTML show:none"};
    htmx.ajax("GET", location.href, swap);
  });
  document.body.addEventListener("htmx:responseError", event => {
    // The error has a page of its own.
    const isStep = ["steps", "live"].includes(event.detail.target.id);
    if (isStep) location.href = event.detail.pathInfo.finalRequestPath;
  });

  // Keys

  const search = document.getElementById("search");
  const base = document.querySelector(".brand").getAttribute("href");
  const pages = {b: "/block/latest", t: "/txs", g: ""};
  const isPlain = key => /^[A-Za-z]$/.test(key);
  document.addEventListener("keydown", event => {
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (isPlain(event.key) && document.querySelector(`[data-key="${event.key}"]`)) {
      document.querySelector(`[data-key="${event.key}"]`).click();
    } else if (event.key in pages && !document.getElementById("steps")) {
      location.href = base + pages[event.key];
    }
  });
})();
