import HTTPTypes
import Hummingbird
import NIOCore

/// The pages by which one signs in, as HTML.
struct SignInPage {
  /// Text that a browser shows and never heeds.
  static func text(_ text: String) -> String {
    var shown = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": shown += "&amp;"
      case "<": shown += "&lt;"
      case ">": shown += "&gt;"
      case "\"": shown += "&quot;"
      case "'": shown += "&#39;"
      default: shown.unicodeScalars.append(character)
      }
    }
    return shown
  }

  static func response(
    _ title: String, _ body: String, status: HTTPResponse.Status = .ok, _ fields: HTTPFields = HTTPFields()
  ) -> Response {
    var fields = fields
    fields[.contentType] = "text/html; charset=utf-8"
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(text(title))</title></head>
      <body><main><h1>\(text(title))</h1>
      \(body)
      </main></body></html>

      """
    return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: page)))
  }
}

extension PageRefusal {
  /// A page that says it; where signing in helps, the way there.
  func response(to request: Request) -> Response {
    if self == .signIn, request.method == .get {
      return Response.redirect(to: SignInPaths.signIn(for: request.uri.path), type: .normal)
    }
    return SignInPage.response("scangate", "<p role=\"alert\">\(SignInPage.text(words))</p>", status: status)
  }
}
