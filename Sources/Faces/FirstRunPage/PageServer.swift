internal import FirstRun
internal import HTTPTypes
internal import Hummingbird
package import LinuxIO
internal import Logging
internal import NIOCore
internal import ScanModel
internal import ServiceLifecycle
internal import WireText

/// The page's process: answers one browser, and says what that sends to the terminal's process. It has nothing else.
package struct PageServer {
  /// The longest body of a form, in bytes.
  private static let maximumBody = 16_384
  /// How long it waits at the end for who takes nothing.
  private static let patience = Duration.seconds(2)

  private let link: PageLink
  private let draw: @Sendable (String) -> String
  private let state = PageState()

  /// - Parameters:
  ///   - socket: the other process.
  ///   - draw: draws a code as SVG.
  package init(_ socket: PacketSocket, draw: @escaping @Sendable (String) -> String) {
    link = PageLink(socket)
    self.draw = draw
  }

  /// Listens where it is told to, until the other process says that it is over, or is gone; who is being answered then is answered.
  package func run() async throws {
    let (places, place) = AsyncStream.makeStream(of: (host: String, port: Int).self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try link.listen { [state] message in
      switch message {
      case .listen(let host, let port)?: place.yield((host, port))
      case .view(let view)?: state.show(view)
      case .done(let id, let words)?: state.answer(id, words)
      case .end(let view)?:
        state.end(view)
        end.finish()
      case nil:
        state.end(nil)
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
    let service = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await service.run() }
      group.addTask {
        for await _ in ends {}
        await service.triggerGracefulShutdown()
        try? await Task.sleep(for: Self.patience)
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func router() -> Router<PageContext> {
    let router = Router(context: PageContext.self)
    router.add(middleware: PageGuard(page: html))
    router.get("style.css") { _, _ in
      // Kept, for the end is shown when nobody is left who could be asked for it.
      Response(
        status: .ok, headers: [.contentType: "text/css", .cacheControl: "max-age=1800"],
        body: .init(byteBuffer: ByteBuffer(string: PageHTML.style)))
    }
    router.get("live.js") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/javascript; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: PageScript.text)))
    }
    router.get("/") { request, _ in look(request) }
    router.get("changes") { request, context in changes(request, context) }
    router.post("sign-in") { request, context in try await signIn(request, context) }
    router.post("answer") { request, context in try await answer(request, context) }
    return router
  }

  /// The page in the language that a browser likes best of ours.
  private func html(_ request: Request) -> PageHTML {
    let language = request.headers[.acceptLanguage].flatMap(PageLanguage.preferred) ?? .en
    return PageHTML(texts: .of(language), draw: draw)
  }

  // MARK: Routes

  private func look(_ request: Request) -> Response {
    let html = html(request)
    guard let token = state.token(of: Self.session(request)) else { return PageGuard.page(html.signIn(nil)) }
    guard let (view, revision) = state.shown else { return PageGuard.page(html.words(.pageUnasked)) }
    if view.isOver { link.send(.seen) }
    let isStill = request.uri.query != nil
    let refresh: Int? =
      switch view.topic {
      case .waiting: 1
      case .test, .reader: isStill ? nil : 3
      default: nil
      }
    return PageGuard.page(html.question(view, revision: revision, token: token, refresh: refresh))
  }

  /// Tells a page when what it shows is no longer what is to be seen, and that it is over; then that page knows enough. A page that asks
  /// for the code is told that it is over, and nothing else.
  private func changes(_ request: Request, _ context: PageContext) -> Response {
    let html = html(request)
    let isAdmitted = state.token(of: Self.session(request)) != nil
    guard let after = request.uri.queryParameters.get("after", as: Int.self), let (id, wakes) = state.watch() else {
      return PageGuard.page(html.words(.pageOther), .forbidden)
    }
    let revision = isAdmitted ? after : nil
    context.closing.whenComplete { [state] _ in state.endWatch(id) }
    let body = ResponseBody { [state] writer in
      defer { state.endWatch(id) }
      try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
      for await _ in wakes {
        guard let news = state.news(after: revision) else { continue }
        try await writer.write(ByteBuffer(string: PageScript.event(news, html.texts)))
        break
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close"],
      body: body)
  }

  private func signIn(_ request: Request, _ context: PageContext) async throws -> Response {
    let (html, form) = (html(request), try await form(request, context))
    guard let code = form["code"], code.utf8.count <= 64 else {
      return PageGuard.page(html.signIn(.own(.pageTypeCode)), .badRequest)
    }
    if let words = await state.ask({ link.send(.code($0, code)) }) {
      return PageGuard.page(html.signIn(words), .forbidden)
    }
    var response = PageGuard.redirect()
    // No Secure: a browser would not send it back to http://127.0.0.1.
    response.headers[.setCookie] = "setup=\(state.begin()); HttpOnly; SameSite=Strict; Path=/"
    return response
  }

  private func answer(_ request: Request, _ context: PageContext) async throws -> Response {
    let html = html(request)
    guard let token = state.token(of: Self.session(request)) else {
      return PageGuard.page(html.signIn(.own(.pageCodeFirst)), .forbidden)
    }
    let form = try await form(request, context)
    guard let shown = form["token"], PageState.isSame(shown, token),
      let number = form["question"].flatMap({ Int($0) })
    else { return PageGuard.page(html.words(.pageForm), .forbidden) }
    // An answer to another question is none; whoever sent it sees the one that is asked now.
    if let view = state.shown?.view, view.number == number {
      if view.field?.isSecret == true, let key = form["key"] {
        _ = await state.ask { link.send(.key($0, question: number, key)) }
      } else if let answer = form["answer"] {
        _ = await state.ask { link.send(.answer($0, question: number, answer)) }
      }
    }
    return PageGuard.redirect()
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
  /// When its connection is closed.
  let closing: EventLoopFuture<Void>

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    closing = source.channel.closeFuture
  }
}
