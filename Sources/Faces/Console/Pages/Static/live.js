"use strict";
/* Keeps pages live. Whatever comes of a door is text, and is put where text is: nothing is made, so nothing grows. A page that hears nothing
   says so after three seconds, also one whose machine slept: nothing that was green stays. */
const LOST = 3000;

/* Follows a stream of the console, which writes each second. `told(face, delay)` has what it says, `beat(told)` that it lives, and `lost()` that
   nobody tells this page anything any more. */
const follow = (path, { told, beat, lost, look = () => {} }) => {
  const AGAIN = 5000, DRIFT = 2;
  let source = null, begun = 0, heard = { wall: Date.now(), run: performance.now() }, offset = Infinity, isLost = false;

  const lose = () => {
    isLost = true;
    lost();
  };
  const hear = () => {
    heard = { wall: Date.now(), run: performance.now() };
  };
  // Two clocks: one of them stands still while a machine sleeps.
  const silence = () => Math.max(Date.now() - heard.wall, performance.now() - heard.run);
  /* How many milliseconds later than the quickest this was under way. */
  const late = (at) => {
    if (typeof at !== "number") return 0;
    const way = performance.now() - at;
    offset = Math.min(way, offset + DRIFT);
    return way - offset;
  };
  const parsed = (event) => {
    try {
      const told = JSON.parse(event.data);
      return told && typeof told === "object" ? told : null;
    } catch { return null; }
  };
  const listen = () => {
    if (source) source.close();
    begun = performance.now();
    offset = Infinity;
    source = new EventSource(path);
    source.addEventListener("face", (event) => {
      const face = parsed(event);
      const delay = face ? late(face.at) : Infinity;
      if (delay > LOST) return;
      hear();
      isLost = false;
      told(face, delay);
    });
    source.addEventListener("beat", (event) => {
      const face = parsed(event);
      if (!face || late(face.at) > LOST) return;
      hear();
      beat(face);
    });
    source.addEventListener("error", lose);
  };
  const check = () => {
    look();
    if (silence() > LOST) lose();
    if (isLost && performance.now() - begun > (source && source.readyState === EventSource.CLOSED ? 1000 : AGAIN)) listen();
  };
  listen();
  setInterval(check, 200);
  for (const name of ["visibilitychange", "pageshow", "resume", "focus", "online"]) {
    (name === "pageshow" || name === "focus" || name === "online" ? window : document).addEventListener(name, check);
  }
  // A page that is put aside shows nothing when it comes back.
  for (const [target, name] of [[document, "freeze"], [window, "pagehide"], [window, "offline"]]) target.addEventListener(name, lose);
};

/* A door's face. */
(() => {
  const root = document.querySelector("[data-stream]");
  if (!root || !window.EventSource) return;
  const face = root.querySelector("[data-face]");
  const places = new Map();
  for (const place of root.querySelectorAll("[data-put]")) places.set(place.dataset.put, place);
  const facts = root.querySelectorAll("[data-fact]"), notes = root.querySelectorAll("[data-note]");
  let over = 0, idle = null, isLost = false;

  const put = (place, text) => {
    if (!place) return;
    const words = typeof text === "string" ? text : "";
    if (place.textContent !== words) place.textContent = words;
    if (place.hidden !== (words === "")) place.hidden = words === "";
  };
  const list = (all, texts) => all.forEach((place, index) => put(place, Array.isArray(texts) ? texts[index] : ""));
  const show = (told) => {
    const kind = /^[a-zA-Z]{1,20}$/.test(told.kind) ? told.kind : "lost";
    for (const name of ["head", "mark", "reason", "code", "detail"]) put(places.get(name), told[name]);
    list(facts, told.facts);
    if (face.dataset.kind !== kind) face.dataset.kind = kind;
    // Another one each time, so that the style's own end of a verdict begins anew.
    face.dataset.turn = face.dataset.turn === "a" ? "b" : "a";
    // What could be ordered here is not done now.
    root.classList.toggle("old", kind === "lost" || kind === "away");
  };
  const wait = () => show({ kind: "awaited", head: root.dataset.wait });
  /* A verdict's time is over. */
  const end = () => {
    over = 0;
    if (idle) show(idle); else wait();
  };
  wait();
  follow(root.dataset.stream, {
    told: (told, delay) => {
      isLost = false;
      const left = typeof told.left === "number" ? told.left - delay : null;
      over = 0;
      idle = told.then && typeof told.then === "object" ? told.then : null;
      if (left === null || left > 0) show(told); else end();
      list(notes, told.notes);
      if (left !== null && left > 0) over = performance.now() + left;
    },
    beat: (told) => put(places.get("clock"), told.clock),
    lost: () => {
      [over, idle] = [0, null];
      if (isLost) return;
      isLost = true;
      show({ kind: "lost", head: root.dataset.lost, reason: root.dataset.lostWords });
      list(notes, []);
      put(places.get("clock"), "");
    },
    look: () => { if (over && performance.now() >= over) end(); },
  });
})();

/* Pages of staff: the parts that say how things are are put in place of the old ones every so often, and as soon as the gateway is back. Forms
   are left alone. Where the gateway does not answer, or nobody tells of it, what was so before is greyed at once. */
(() => {
  const root = document.querySelector("[data-fresh]");
  if (!root || !window.fetch || !window.DOMParser) return;
  const pause = Math.max(2, Number(root.dataset.fresh) || 10) * 1000;
  const notice = document.createElement("p");
  notice.className = "stale";
  notice.setAttribute("role", "alert");
  notice.hidden = true;
  root.prepend(notice);
  // Without what became of an order.
  const gate = new URLSearchParams(location.search).get("gate");
  const where = location.pathname + (gate ? "?gate=" + encodeURIComponent(gate) : "");
  let heard = Date.now(), isAsking = false, hasFailed = false, isAway = false;
  const stale = () => {
    const isStale = hasFailed || isAway || Date.now() - heard > 3 * pause;
    if (notice.hidden === isStale) {
      notice.textContent = isStale ? root.dataset.stale : "";
      notice.hidden = !isStale;
      root.classList.toggle("old", isStale);
    }
  };
  const ask = async () => {
    if (isAsking || document.visibilityState === "hidden") return;
    isAsking = true;
    try {
      const abort = new AbortController();
      const end = setTimeout(() => abort.abort(), 8000);
      const answer = await fetch(where, { cache: "no-store", redirect: "error", signal: abort.signal });
      const text = await answer.text();
      clearTimeout(end);
      const fresh = new DOMParser().parseFromString(text, "text/html");
      const parts = fresh.querySelectorAll("[data-part]");
      if (!answer.ok || parts.length === 0) throw new Error();
      for (const part of parts) {
        const old = root.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
        if (!old || old.contains(document.activeElement)) continue;
        // What was unfolded, and how far something was scrolled, stays so.
        const open = [...old.querySelectorAll("details")].map((one) => one.open);
        const scrolled = [...old.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
        part.querySelectorAll("details").forEach((one, index) => { one.open = open[index] === true; });
        old.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
        old.querySelectorAll(".scroll").forEach((one, index) => { one.scrollLeft = scrolled[index] || 0; });
      }
      const clock = fresh.querySelector(".clock"), old = root.querySelector(".clock");
      if (clock && old) old.textContent = clock.textContent;
      heard = Date.now();
      hasFailed = false;
    } catch {
      // Also a page that says that the station is away has no parts.
      hasFailed = true;
    } finally { isAsking = false; }
    stale();
  };
  const become = (away) => {
    const isBack = isAway && !away;
    isAway = away;
    stale();
    if (isBack) ask();
  };
  setInterval(ask, pause);
  setInterval(stale, 1000);
  document.addEventListener("visibilitychange", () => { stale(); ask(); });
  if (root.dataset.watch && window.EventSource) {
    follow(root.dataset.watch, { told: (told) => become(told.kind === "away"), beat: () => {}, lost: () => become(true) });
  }
})();
