"use strict";
/* Keeps a door's face live. Whatever comes is text, and is put where text is: nothing is made, so nothing grows. A page that hears nothing
   says so after three seconds, also one whose machine slept: nothing that was green stays. */
(() => {
  const root = document.querySelector("[data-stream]");
  if (!root || !window.EventSource) return;
  const LOST = 3000, AGAIN = 5000, DRIFT = 2;
  const face = root.querySelector("[data-face]");
  const places = new Map();
  for (const place of root.querySelectorAll("[data-put]")) places.set(place.dataset.put, place);
  const facts = root.querySelectorAll("[data-fact]"), notes = root.querySelectorAll("[data-note]");
  let source = null, begun = 0, heard = { wall: Date.now(), run: performance.now() }, offset = Infinity;
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
  };
  const wait = () => show({ kind: "awaited", head: root.dataset.wait });
  /* A verdict's time is over. */
  const end = () => {
    over = 0;
    if (idle) show(idle); else wait();
  };
  const lost = () => {
    [over, idle] = [0, null];
    if (isLost) return;
    isLost = true;
    show({ kind: "lost", head: root.dataset.lost, reason: root.dataset.lostWords });
    list(notes, []);
    put(places.get("clock"), "");
  };
  const silence = () => Math.max(Date.now() - heard.wall, performance.now() - heard.run);
  /* How many milliseconds later than the quickest this was under way. */
  const late = (at) => {
    if (typeof at !== "number") return 0;
    const way = performance.now() - at;
    offset = Math.min(way, offset + DRIFT);
    return way - offset;
  };
  const hear = () => { heard = { wall: Date.now(), run: performance.now() }; };
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
    source = new EventSource(root.dataset.stream);
    source.addEventListener("face", (event) => {
      const told = parsed(event);
      if (!told) return;
      const delay = late(told.at);
      if (delay > LOST) return;
      hear();
      isLost = false;
      const left = typeof told.left === "number" ? told.left - delay : null;
      over = 0;
      idle = told.then && typeof told.then === "object" ? told.then : null;
      if (left === null || left > 0) show(told); else end();
      list(notes, told.notes);
      if (left !== null && left > 0) over = performance.now() + left;
    });
    source.addEventListener("beat", (event) => {
      const told = parsed(event);
      if (!told || late(told.at) > LOST) return;
      hear();
      put(places.get("clock"), told.clock);
    });
    source.addEventListener("error", lost);
  };
  const look = () => {
    const now = performance.now();
    if (over && now >= over) end();
    if (silence() > LOST) lost();
    if (isLost && now - begun > (source && source.readyState === EventSource.CLOSED ? 1000 : AGAIN)) listen();
  };
  wait();
  listen();
  setInterval(look, 200);
  for (const name of ["visibilitychange", "pageshow", "resume", "focus", "online"]) {
    (name === "pageshow" || name === "focus" || name === "online" ? window : document).addEventListener(name, look);
  }
  // A page that is put aside shows nothing when it comes back.
  for (const [target, name] of [[document, "freeze"], [window, "pagehide"], [window, "offline"]]) target.addEventListener(name, lost);
})();
