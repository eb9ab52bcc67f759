internal import FirstRun
internal import ScanModel

/// The page, as HTML, in one language. Whatever comes from devices and servers is text in it.
struct PageHTML {
  /// Its words.
  let texts: FirstRunTexts
  /// Draws a code as SVG.
  let draw: @Sendable (String) -> String

  static let style = """
    :root{color-scheme:light dark;--ink:#111;--paper:#fff;--quiet:#444;--shade:#f2f2f2;--line:#333;--fault:#b00020;--focus:#0a58ca}
    @media(prefers-color-scheme:dark){:root{--ink:#eee;--paper:#111;--quiet:#bbb;--shade:#222;--line:#aaa;--fault:#ff8a94;--focus:#8ab8ff}}
    body{font:1em/1.5 system-ui,sans-serif;font-size:clamp(1.1rem,.9rem + .4vw,2rem);margin:0 auto;max-width:44em;padding:1em;
    color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
    h1{font-size:1.5em;line-height:1.25;margin:.5em 0}h1:focus{outline:none}
    pre{overflow:auto;background:var(--shade);padding:.75em;font-size:.85em;overflow-wrap:normal}
    button,input{font:inherit;padding:.6em .8em;margin:.25em 0;max-width:100%;box-sizing:border-box;min-height:48px;color:var(--ink);
    background:var(--paper);border:2px solid var(--line);border-radius:.4em}
    button{display:block;width:100%;text-align:left;cursor:pointer}input{width:100%}
    button:focus-visible,input:focus-visible,pre:focus-visible,a:focus-visible{outline:4px solid var(--focus);outline-offset:2px}
    .aside{border-style:dashed;color:var(--quiet)}.code{background:#fff;width:min(100%,22em);padding:.5em;box-sizing:border-box}
    .code svg{display:block;width:100%;height:auto}.fault,.lost,.news{border-left:.5em solid var(--fault);padding-left:.75em}
    .step,footer{color:var(--quiet)}footer{font-size:.85em;margin-top:2em}a{color:var(--focus)}

    """

  /// The form for the code.
  func signIn(_ fault: FirstRunText?) -> String {
    page(
      texts(.pageTitle),
      notes + "<h1>\(own(.pageTitle))</h1>" + shown(fault)
        + "<p>\(own(.pageCodeWords))</p><form method=\"post\" action=\"/sign-in\"><label>\(own(.pageCode)) "
        + "<input name=\"code\" autocomplete=\"off\" autocapitalize=\"characters\" maxlength=\"16\" required autofocus>"
        + "</label>"
        + "<button>\(own(.pageGoOn))</button></form>" + footer, revision: 0)
  }

  /// A question.
  /// - Parameters:
  ///   - revision: how often what is to be seen has become another: with a script the page looks again when it does once more.
  ///   - token: what the form shows that it is this page's.
  ///   - refresh: in how many seconds the page looks again where it has no script; `nil` for never.
  func question(_ view: FirstRunView, revision: Int, token: String, refresh: Int?) -> String {
    let step = Self.escape(texts(.pageStep, "\(view.step)", "\(FirstRunView.steps)"))
    var body = view.isOver ? "" : notes + "<p class=\"step\">\(step)</p>"
    body += "<h1>\(Self.escape(texts(view.title)))</h1>" + shown(view.fault)
    for line in view.words { body += "<p>\(Self.escape(texts(line)))</p>" }
    if let code = view.code { body += "<div class=\"code\">\(draw(code))</div>" }
    if !view.text.isEmpty {
      // What may have to be scrolled is reached by the keyboard.
      body += "<pre tabindex=\"0\">\(Self.escape(view.text.joined(separator: "\n")))</pre>"
    }
    for choice in view.choices where !Self.isAside(choice) { body += form(view, token, button(choice)) }
    if let field = view.field {
      // A key is never shown again: nothing stands in its field.
      let input =
        field.isSecret
        ? "<input name=\"key\" type=\"password\" autocomplete=\"off\" required>"
        : "<input name=\"answer\" value=\"\(Self.escape(field.suggestion))\" autocomplete=\"off\" spellcheck=\"false\">"
      let label = "<label>\(Self.escape(texts(field.label))) \(input)</label>"
      body += form(view, token, label + "<button>\(own(.pageSend))</button>")
    }
    for choice in view.choices where Self.isAside(choice) { body += form(view, token, button(choice)) }
    guard !view.isOver else { return page(texts(view.title), body) }
    if refresh != nil { body += "<noscript><p><a href=\"/?still\">\(own(.pageStill))</a></p></noscript>" }
    body += footer
    return page(texts(view.title), body, revision: revision, refresh: refresh)
  }

  /// A page without a form: something was refused.
  func words(_ word: FirstRunWord) -> String {
    page(texts(.pageTitle), "<h1>\(own(.pageTitle))</h1><p>\(own(word))</p>")
  }

  /// What a script shows: that nobody is there any more, and that there are news while somebody types.
  private var notes: String {
    "<p class=\"lost\" id=\"lost\" role=\"alert\" hidden>\(own(.pageLost))</p><p class=\"news\" id=\"news\" role=\"status\" hidden>"
      + "\(own(.pageNews)) <a href=\"/\">\(own(.pageShowNews))</a></p>"
  }

  private var footer: String { "<footer>\(own(.pageFooter))</footer>" }

  private func own(_ word: FirstRunWord) -> String { Self.escape(texts(word)) }

  private static func isAside(_ choice: FirstRunView.Choice) -> Bool { ["back", "quit"].contains(choice.id) }

  private func button(_ choice: FirstRunView.Choice) -> String {
    "<button\(Self.isAside(choice) ? " class=\"aside\"" : "") name=\"answer\" value=\"\(Self.escape(choice.id))\">"
      + "\(Self.escape(texts(choice.label)))</button>"
  }

  private func form(_ view: FirstRunView, _ token: String, _ inner: String) -> String {
    "<form method=\"post\" action=\"/answer\"><input type=\"hidden\" name=\"token\" value=\"\(token)\">"
      + "<input type=\"hidden\" name=\"question\" value=\"\(view.number)\">\(inner)</form>"
  }

  private func shown(_ fault: FirstRunText?) -> String {
    fault.map { "<p class=\"fault\" role=\"alert\">\(Self.escape(texts($0)))</p>" } ?? ""
  }

  private func page(_ title: String, _ body: String, revision: Int? = nil, refresh: Int? = nil) -> String {
    let again = refresh.map { "<noscript><meta http-equiv=\"refresh\" content=\"\($0)\"></noscript>" } ?? ""
    let live = revision == nil ? "" : "<script src=\"/live.js\" defer></script>"
    let main = revision.map { "<main data-revision=\"\($0)\">" } ?? "<main>"
    return "<!doctype html><html lang=\"\(texts.language.rawValue)\"><head><meta charset=\"utf-8\">"
      + "<title>\(Self.escape(title))</title>"
      + "<meta name=\"viewport\" content=\"width=device-width\">\(again)<link rel=\"stylesheet\" href=\"/style.css\">\(live)"
      + "</head><body>\(main)\(body)</main></body></html>"
  }

  /// Text as text: no markup, and nothing that turns the line around it.
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where isTurning(scalar): result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The same, for one line of an event, which is no markup.
  static func line(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(scalar.value < 0x20 ? " " : isTurning(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }

  /// Marks that have what follows read from the other side, and what is no text.
  private static func isTurning(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
