internal import FirstRun

/// What a page does with JavaScript that it cannot do without: it follows what happens, and says so when nobody is there any more.
enum PageScript {
  static let text = """
    "use strict";
    (() => {
      const main = document.querySelector("main[data-revision]"), lost = document.getElementById("lost"),
        news = document.getElementById("news");
      if (!main || !lost || !news || !window.EventSource) return;
      let feed;
      // What somebody types is not taken away by a page that is loaded anew.
      const isTyping = () => [...main.querySelectorAll("input:not([type=hidden])")].some((each) => each.value !== each.defaultValue);
      const follow = (revision) => {
        feed = new EventSource("/changes?after=" + revision);
        feed.addEventListener("open", () => { lost.hidden = true; });
        feed.addEventListener("error", () => { lost.hidden = false; });
        feed.addEventListener("changed", (event) => {
          feed.close();
          if (!isTyping()) { location.replace("/"); return; }
          news.hidden = false;
          follow(event.data);
        });
        feed.addEventListener("over", end);
      };
      // Nobody is there who could be asked for another page.
      const end = (event) => {
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
      };
      follow(main.dataset.revision);
      for (const way of ["submit", "pagehide"]) addEventListener(way, () => feed.close());
    })();

    """

  /// As the browser is told.
  static func event(_ news: PageState.News, _ texts: FirstRunTexts) -> String {
    switch news {
    case .changed(let revision): return "event: changed\ndata: \(revision)\n\n"
    case .over(let view):
      let lines = view.map { ([$0.title] + [$0.fault].compactMap(\.self) + $0.words).map { texts($0) } } ?? [""]
      return "event: over\n" + lines.map { "data: \(PageHTML.line($0))\n" }.joined() + "\n"
    }
  }
}
