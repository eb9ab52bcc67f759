internal import FirstRun

/// The page, as HTML. Whatever comes from devices and servers is text in it.
struct PageHTML {
  /// Draws a code as SVG.
  let draw: @Sendable (String) -> String

  static let style = """
    body{font:18px/1.5 system-ui,sans-serif;margin:0 auto;max-width:44rem;padding:1rem;color:#111;background:#fff}
    h1{font-size:1.5rem}pre{overflow:auto;background:#f2f2f2;padding:.75rem;font-size:.9rem}
    button,input{font:inherit;padding:.6rem .8rem;margin:.25rem 0;max-width:100%;box-sizing:border-box}
    button{display:block;width:100%;text-align:left;border:2px solid #333;border-radius:.4rem;background:#fff;color:#111}
    button:focus,input:focus{outline:3px solid #0a58ca}input{width:100%;border:2px solid #333;border-radius:.4rem}
    .fault{border-left:.5rem solid #b00020;padding-left:.75rem}.step{color:#444}

    """

  /// The form for the code.
  func signIn(_ words: String?) -> String {
    page(
      "Set this station up",
      fault(words)
        + "<p>The terminal shows a code.</p><form method=\"post\" action=\"/sign-in\"><label>Code <input name=\"code\" "
        + "autocomplete=\"off\" autocapitalize=\"characters\" maxlength=\"16\" required autofocus></label>"
        + "<button>Go on</button></form>")
  }

  /// A question.
  /// - Parameters:
  ///   - token: what the form shows that it is this page's.
  ///   - refresh: in how many seconds the page looks again; `nil` for never.
  func question(_ view: FirstRunView, token: String, refresh: Int?) -> String {
    var body = view.isOver ? "" : "<p class=\"step\">Step \(view.step) of \(FirstRunView.steps)</p>"
    body += "<h1>\(Self.escape(view.title))</h1>" + fault(view.fault)
    for line in view.words { body += "<p>\(Self.escape(line))</p>" }
    if let code = view.code { body += "<div>\(draw(code))</div>" }
    if !view.text.isEmpty { body += "<pre>\(Self.escape(view.text.joined(separator: "\n")))</pre>" }
    if let field = view.field {
      // A key is never shown again: nothing stands in its field.
      let input =
        field.isSecret
        ? "<input name=\"key\" type=\"password\" autocomplete=\"off\" required>"
        : "<input name=\"answer\" value=\"\(Self.escape(field.suggestion))\" autocomplete=\"off\">"
      body += form(view, token, "<label>\(Self.escape(field.label)) \(input)</label><button>Send</button>")
    }
    for choice in view.choices {
      body += form(
        view, token,
        "<button name=\"answer\" value=\"\(Self.escape(choice.id))\">\(Self.escape(choice.label))</button>")
    }
    if refresh != nil { body += "<p><a href=\"/?still\">Hold this page still</a></p>" }
    return page(view.title, body, refresh: refresh)
  }

  /// A page without a form: something was refused.
  func words(_ words: String) -> String { page("Set this station up", "<p>\(Self.escape(words))</p>") }

  private func form(_ view: FirstRunView, _ token: String, _ inner: String) -> String {
    "<form method=\"post\" action=\"/answer\"><input type=\"hidden\" name=\"token\" value=\"\(token)\">"
      + "<input type=\"hidden\" name=\"question\" value=\"\(view.number)\">\(inner)</form>"
  }

  private func fault(_ words: String?) -> String {
    words.map { "<p class=\"fault\" role=\"alert\">\(Self.escape($0))</p>" } ?? ""
  }

  private func page(_ title: String, _ body: String, refresh: Int? = nil) -> String {
    let again = refresh.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" } ?? ""
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>\(Self.escape(title))</title>"
      + "<meta name=\"viewport\" content=\"width=device-width\">\(again)<link rel=\"stylesheet\" href=\"/style.css\">"
      + "</head><body><main>\(body)</main></body></html>"
  }

  /// Text as text.
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
