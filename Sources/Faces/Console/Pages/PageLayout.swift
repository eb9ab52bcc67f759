import HTTPTypes
import Hummingbird
import NIOCore
import ScanModel

/// A page on its way to a browser: a template of its own within the layout that all share.
struct PageLayout: Sendable {
  /// The template of what is within.
  var template: String
  /// What stands in the browser's title.
  var title: String
  /// What the template is filled with; besides, each has `t` (texts), `lang`, `style` and `script` (paths).
  var model: PageModel
  /// The page's class, by which the style knows it.
  var kind: String
  /// Whether it has live parts.
  var isLive = false
  /// Its script, where it is another one.
  var script: PageStatic.File?
  /// After how many seconds it loads itself anew where there is no script; `nil` for never.
  var refresh: Int?
  var status = HTTPResponse.Status.ok
  /// Styles that stand within it, for what is to be seen at once; none where it names the file that browsers keep.
  var styles: [StyleWithin] = []

  init(_ template: String, title: String, kind: String, _ model: PageModel) {
    (self.template, self.title, self.kind, self.model) = (template, title, kind, model)
  }

  /// What a browser may do with a page of ours: show it by itself with our style and script, and send its forms back to us.
  static let policy = policy(styles: [])

  private static func policy(styles: [StyleWithin]) -> String {
    "default-src 'none'; style-src 'self'\(styles.map { " \($0.source)" }.joined()); script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
      + "base-uri 'none'; frame-ancestors 'none'"
  }

  /// What is sent, in a language.
  func response(_ texts: PageTexts) -> Response {
    guard let html = html(texts) else {
      return ConsoleAnswer(.internalServerError, "internalError", "The page could not be made.").response
    }
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy: Self.policy(styles: styles),
        .contentLanguage: texts.language.rawValue, .vary: "Accept-Language",
      ],
      body: .init(byteBuffer: ByteBuffer(string: html)))
  }

  /// The whole page.
  func html(_ texts: PageTexts) -> String? {
    var model = model
    model.set("t", .texts(texts))
    model.set("lang", .text(texts.language.rawValue))
    guard let body = PageTemplates.shared.render(template, model) else { return nil }
    let layout: PageModel = [
      "t": .texts(texts), "lang": .text(texts.language.rawValue), "title": .text(title), "kind": .text(kind),
      "style": styles.isEmpty ? .text(PageStatic.style.path) : nil, "icon": .text(PageStatic.icon.path),
      // Of ours, and colours made of numbers.
      "styles": .list(styles.map { ["text": .markup($0.text)] }),
      "script": (script ?? (isLive ? PageStatic.script : nil)).map { .text($0.path) },
      "refresh": refresh.map { .text(String($0)) },
      // Escaped where it was made.
      "body": .markup(body),
    ]
    return PageTemplates.shared.render("layout", layout)
  }
}
