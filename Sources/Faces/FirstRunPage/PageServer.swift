internal import FirstRun
internal import HTTPTypes
internal import Hummingbird
package import LinuxIO
internal import Logging
internal import NIOCore
internal import WireText

/// The page's process: answers one browser, and says what that sends to the terminal's process. It has nothing else.
package struct PageServer {
  /// The longest body of a form, in bytes.
  private static let maximumBody = 16_384

  private let link: PageLink
  private let html: PageHTML
  private let state = PageState()

  /// - Parameters:
  ///   - socket: the other process.
  ///   - draw: draws a code as SVG.
  package init(_ socket: PacketSocket, draw: @escaping @Sendable (String) -> String) {
    link = PageLink(socket)
    html = PageHTML(draw: draw)
  }

  /// Listens where it is told to, until the other process is gone.
  package func run() async throws {
    let (places, place) = AsyncStream.makeStream(of: (host: String, port: Int).self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try link.listen { [state] message in
      switch message {
      case .listen(let host, let port)?: place.yield((host, port))
      case .view(let view)?: state.show(view)
      case .admitted(let id, let words)?: state.answer(id, words)
      case nil:
        state.end()
        place.finish()
        end.finish()
      default: break
      }
    }
    var iterator = places.makeAsyncIterator()
    guard let (host, port) = await iterator.next() else { return }
    var logger = Logger(label: "setup-page")
    // It could quote a request.
    logger.logLevel = .critical
    let application = Application(
      router: router(), server: .http1(),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), availableConnectionsDelegate: nil),
      onServerRunning: { [link] channel in link.send(.ready(port: channel.localAddress?.port ?? port)) },
      logger: logger)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await application.run() }
      group.addTask { for await _ in ends {} }
      await group.next()
      group.cancelAll()
    }
  }

  private func router() -> Router<PageContext> {
    let router = Router(context: PageContext.self)
    router.add(middleware: PageGuard(html: html))
    router.get("style.css") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/css"], body: .init(byteBuffer: ByteBuffer(string: PageHTML.style)))
    }
    router.get("/") { request, _ in look(request) }
    router.post("sign-in") { request, context in try await signIn(request, context) }
    router.post("answer") { request, context in try await answer(request, context) }
    return router
  }

  // MARK: Routes

  private func look(_ request: Request) -> Response {
    guard let token = state.token(of: Self.session(request)) else { return PageGuard.page(html.signIn(nil)) }
    guard let view = state.view else { return PageGuard.page(html.words("Nothing is asked yet.")) }
    if view.isOver { link.send(.seen) }
    let isStill = request.uri.query != nil
    let refresh: Int? =
      switch view.topic {
      case .waiting: 1
      case .test, .reader: isStill ? nil : 3
      default: nil
      }
    return PageGuard.page(html.question(view, token: token, refresh: refresh))
  }

  private func signIn(_ request: Request, _ context: PageContext) async throws -> Response {
    let form = try await form(request, context)
    guard let code = form["code"], code.utf8.count <= 64 else {
      return PageGuard.page(html.signIn("Type the code that the terminal shows."), .badRequest)
    }
    if let words = await state.admission({ link.send(.code($0, code)) }) {
      return PageGuard.page(html.signIn(words), .forbidden)
    }
    var response = PageGuard.redirect()
    // No Secure: a browser would not send it back to http://127.0.0.1.
    response.headers[.setCookie] = "setup=\(state.begin()); HttpOnly; SameSite=Strict; Path=/"
    return response
  }

  private func answer(_ request: Request, _ context: PageContext) async throws -> Response {
    guard let token = state.token(of: Self.session(request)) else {
      return PageGuard.page(html.signIn("Type the code first."), .forbidden)
    }
    let form = try await form(request, context)
    guard let shown = form["token"], PageState.isSame(shown, token),
      let number = form["question"].flatMap({ Int($0) })
    else { return PageGuard.page(html.words("This form is not of this page."), .forbidden) }
    // An answer to another question is none; whoever sent it sees the one that is asked now.
    if let view = state.view, view.number == number {
      if view.field?.isSecret == true, let key = form["key"] {
        link.send(.key(number, key))
      } else if let answer = form["answer"] {
        link.send(.answer(number, answer))
      }
      await settled(behind: number)
    }
    return PageGuard.redirect()
  }

  /// Returns when there is another question, or soon.
  private func settled(behind number: Int) async {
    for _ in 0..<40 where state.view?.number == number { try? await Task.sleep(for: .milliseconds(25)) }
  }

  private func form(_ request: Request, _ context: PageContext) async throws -> [String: String] {
    let body = try await request.body.collect(upTo: Self.maximumBody)
    var fields: [String: String] = [:]
    for part in body.readableBytesView.split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let value = part[end...].dropFirst().map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
      guard let name = PercentCoding.decode(part[..<end]).flatMap({ String(validating: $0, as: UTF8.self) }),
        let text = PercentCoding.decode(value).flatMap({ String(validating: $0, as: UTF8.self) }),
        fields.updateValue(text, forKey: name) == nil, fields.count <= 16
      else { return [:] }
    }
    return fields
  }

  private static func session(_ request: Request) -> String? {
    for field in request.headers[values: .cookie] {
      for part in field.split(separator: ";") {
        let pair = part.drop { $0 == " " }
        if pair.hasPrefix("setup=") { return String(pair.dropFirst(6)) }
      }
    }
    return nil
  }
}

/// A request on its way through the page's process.
struct PageContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
}
