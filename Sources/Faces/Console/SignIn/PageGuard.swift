import HTTPTypes
import Hummingbird
import LibCrypto
import NIOCore
import ScanModel

/// Surrounds the pages: finds out who asks, takes a form only from a page of ours that was made for whoever sends it, and adds what
/// browsers heed. `router.group().add(middleware: PageGuard(setting, access))`, and the pages in that group.
struct PageGuard: RouterMiddleware {
  typealias Context = ConsoleContext

  /// The name of the hidden field that each form has.
  static let field = "form"
  /// Nobody outside this process can make what is made with it; another start has another one.
  private static let key = HMACSHA256(key: SymmetricKey(size: .bits256))
  /// Where a form is sent that is made for somebody who has not signed in.
  private static let doors: Set<String> = [SignInPaths.signIn, SignInPaths.device]

  private let setting: ConsoleSetting
  private let access: PageAccess

  init(_ setting: ConsoleSetting, _ access: PageAccess) { (self.setting, self.access) = (setting, access) }

  // MARK: Forms

  /// The value of the hidden field `form` of each form of a page that is made for this caller.
  static func formToken(for caller: PageCaller) -> String { token(for: subject(of: caller)) }

  /// The value of that field in a form by which somebody signs in.
  /// - Parameter visit: what their browser shows by the cookie `visit`.
  static func formToken(visit: String) -> String { token(for: "visit \(visit)") }

  private static func subject(of caller: PageCaller) -> String {
    switch caller.sign {
    case .loopback: "loopback"
    case .device(let id): "device \(id)"
    case .session(let id): "session \(id)"
    }
  }

  private static func token(for subject: String) -> String {
    Hexadecimal.text(key.authenticationCode(for: [UInt8]("form \(subject)".utf8)))
  }

  // MARK: Requests

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    var response: Response
    let shown = PageCookie.session.value(in: request.head)
    do {
      try checkSite(request)
      context.pageCaller = caller(of: request, context, shown)
      if request.method == .post { context.pageForm = try await form(of: request, context) }
      response = try await next(request, context)
    } catch let refusal as PageRefusal {
      response = try Self.answer(refusal, request)
    }
    if shown != nil, Self.isSession(context.pageCaller) == false, response.headers[.setCookie] == nil {
      response.headers.add(cookie: PageCookie.session.ending)
    }
    Self.complete(&response.headers)
    return response
  }

  /// Who may sign in goes there and comes back; what a page asks for by itself is told as programs are.
  private static func answer(_ refusal: PageRefusal, _ request: Request) throws -> Response {
    let path = request.uri.path
    if path.hasPrefix("/pages/") { throw ConsoleAnswer(refusal.status, "refusal.\(refusal.rawValue)", refusal.words) }
    guard refusal == .signIn, request.method == .get else { throw refusal }
    return .redirect(to: SignInPaths.signIn(for: path), type: .normal)
  }

  private static func isSession(_ caller: PageCaller?) -> Bool {
    if case .session = caller?.sign { true } else { false }
  }

  private func caller(of request: Request, _ context: ConsoleContext, _ session: String?) -> PageCaller? {
    // What a page asks for by itself is no use of it: of its own paths, or by its script.
    let isOfScript = HTTPField.Name("Sec-Fetch-Dest").flatMap { request.headers[$0] } == "empty"
    let isUse = !request.uri.path.hasPrefix("/pages/") && !isOfScript
    if let caller = session.flatMap({ access.caller(session: $0, isUse: isUse) }) { return caller }
    if let device = PageCookie.device.value(in: request.head), let caller = access.caller(device: device) {
      return caller
    }
    return context.isLoopback && !TokenMiddleware.isForwarded(request) ? .loopback : nil
  }

  /// Nothing of a page is for a page of another origin, be it to look at, to frame or to load; a link there may lead here.
  private func checkSite(_ request: Request) throws(PageRefusal) {
    func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
    guard let site = value("Sec-Fetch-Site"), site != "same-origin", site != "none" else { return }
    let isLink =
      request.method == .get && value("Sec-Fetch-Mode") == "navigate" && value("Sec-Fetch-Dest") == "document"
    guard isLink else { throw .origin }
  }

  /// What is sent comes from a page of this console, at this host and port, that was made for whoever sends it.
  private func form(of request: Request, _ context: ConsoleContext) async throws -> PageForm {
    guard isOwn(request) else { throw PageRefusal.origin }
    let type = (request.headers[.contentType] ?? "").split(separator: ";").first.map { $0.lowercased() }
    guard type == "application/x-www-form-urlencoded" else { throw PageRefusal.malformed }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: ConsoleLimits.maximumBody)
    } catch is NIOTooManyBytesError {
      throw PageRefusal.malformed
    }
    guard let form = PageForm([UInt8](body.readableBytesView)) else { throw PageRefusal.malformed }
    guard let shown = form[Self.field], let token = expected(request, context),
      areEqualInConstantTime([UInt8](shown.utf8), [UInt8](token.utf8))
    else { throw PageRefusal.form }
    return form
  }

  private func expected(_ request: Request, _ context: ConsoleContext) -> String? {
    if Self.doors.contains(request.uri.path) {
      return PageCookie.visit.value(in: request.head).map { Self.formToken(visit: $0) }
    }
    return context.pageCaller.map { Self.formToken(for: $0) }
  }

  /// Whether the one Origin is the one that was asked: the host and its port. Behind a proxy that speaks TLS the scheme is its own.
  private func isOwn(_ request: Request) -> Bool {
    let origins = request.headers[values: .origin]
    guard origins.count == 1, let authority = request.head.authority else { return false }
    return ["https", "http"].contains { scheme in
      guard setting.identity == nil || scheme == "https", origins[0].hasPrefix("\(scheme)://") else { return false }
      let asked = String(origins[0].dropFirst(scheme.count + 3)).lowercased()
      let port = scheme == "https" ? ":443" : ":80"
      func plain(_ text: String) -> String { text.hasSuffix(port) ? String(text.dropLast(port.count)) : text }
      return plain(asked) == plain(authority.lowercased())
    }
  }

  // MARK: Answers

  /// Adds what every page has.
  static func complete(_ headers: inout HTTPFields) {
    for field in fields where headers[field.name] == nil { headers[field.name] = field.value }
  }

  /// What every page has. A referrer to ourselves stays: without any, browsers send no Origin with a form.
  private static let fields: HTTPFields = {
    var fields: HTTPFields = [
      .contentSecurityPolicy: PageLayout.policy, .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      ("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Embedder-Policy", "require-corp"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      (
        "Permissions-Policy",
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), display-capture=(), fullscreen=(self), screen-wake-lock=(self)"
      ),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }()
}
