internal import FirstRun

/// What a page does with JavaScript that it cannot do without: it follows what happens, and says so when nobody is there any more.
enum PageScript {
  static let text = """
    "use strict";
    (() => {
      const main = document.querySelector("main[data-revision]"), lost = document.getElementById("lost");
      if (!main || !lost || !window.EventSource) return;
      const feed = new EventSource("/changes?after=" + main.dataset.revision);
      feed.addEventListener("open", () => { lost.hidden = true; });
      feed.addEventListener("error", () => { lost.hidden = false; });
      feed.addEventListener("changed", () => { feed.close(); location.replace("/"); });
      // Nobody is there who could be asked for another page.
      feed.addEventListener("over", (event) => {
        feed.close();
        const [title, ...words] = event.data.split("\\n");
        if (!title) { lost.hidden = false; return; }
        const heading = document.createElement("h1");
        heading.textContent = title;
        heading.tabIndex = -1;
        main.replaceChildren(heading, ...words.map((each) => {
          const line = document.createElement("p");
          line.textContent = each;
          return line;
        }));
        document.title = title;
        heading.focus();
      });
      for (const way of ["submit", "pagehide"]) addEventListener(way, () => feed.close());
    })();

    """

  /// As the browser is told.
  static func event(_ news: PageState.News) -> String {
    switch news {
    case .changed: return "event: changed\ndata: 1\n\n"
    case .over(let view):
      let lines = view.map { [$0.title] + [$0.fault].compactMap(\.self) + $0.words } ?? [""]
      return "event: over\n" + lines.map { "data: \(PageHTML.line($0))\n" }.joined() + "\n"
    }
  }
}
