"use strict";
/* Renews the parts of a page that say how things are: the page is asked for again, and its parts are put in place of the old ones. Forms
   are left alone. A page that cannot be renewed says so, and what was so before is greyed. */
(() => {
  const root = document.querySelector("[data-fresh]");
  if (!root || !window.fetch || !window.DOMParser) return;
  const pause = Math.max(2, Number(root.dataset.fresh) || 10) * 1000;
  const notice = document.createElement("p");
  notice.className = "stale";
  notice.setAttribute("role", "status");
  notice.hidden = true;
  root.prepend(notice);
  // Without what became of an order.
  const gate = new URLSearchParams(location.search).get("gate");
  const where = location.pathname + (gate ? "?gate=" + encodeURIComponent(gate) : "");
  let heard = Date.now(), isAsking = false, hasFailed = false;
  const stale = () => {
    const isStale = hasFailed || Date.now() - heard > 3 * pause;
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
        const open = [...old.querySelectorAll("details")].map((one) => one.open);
        part.querySelectorAll("details").forEach((one, index) => { one.open = open[index] === true; });
        old.replaceChildren(...[...part.childNodes].map((node) => document.importNode(node, true)));
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
  setInterval(ask, pause);
  setInterval(stale, 1000);
  document.addEventListener("visibilitychange", () => { stale(); ask(); });
})();
