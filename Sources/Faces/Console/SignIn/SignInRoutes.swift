import HTTPTypes
import Hummingbird
import NIOCore
import ScanModel

extension ConsoleRoutes {
  /// `/sign-in`, `/sign-out`, `/sessions` and `/device`.
  func addSignIn(to pages: ConsoleGroup, _ access: PageAccess) {
    let routes = SignInRoutes(setting: setting, access: access)
    for (path, methods) in [
      (SignInPaths.signIn, [HTTPRequest.Method.get, .head, .post]), (SignInPaths.device, [.get, .head, .post]),
      (SignInPaths.sessions, [.get, .head, .post]), (SignInPaths.signOut, [.post]),
    ] {
      for method in methods {
        pages.on(RouterPath(path), method: method) { request, context in
          try await routes.respond(to: request, context)
        }
      }
      pages.refuse(RouterPath(path), but: methods)
    }
  }
}

/// Signing in and out.
struct SignInRoutes: Sendable {
  let setting: ConsoleSetting
  let access: PageAccess

  func respond(to request: Request, _ context: ConsoleContext) async throws -> Response {
    switch (request.uri.path, context.pageForm) {
    case (SignInPaths.device, nil): return page(request, context, nil)
    case (SignInPaths.device, let form?): return await addDevice(request, context, form)
    case (SignInPaths.sessions, let form): return try sessions(request, context, form)
    case (SignInPaths.signOut, _): return try signOut(context)
    case (_, nil): return page(request, context, nil, next: SignInPaths.next(in: request.uri.query))
    case (_, let form?): return try await signIn(request, context, form)
    }
  }

  // MARK: Users

  private func signIn(_ request: Request, _ context: ConsoleContext, _ form: PageForm) async throws -> Response {
    guard let name = form["user"], let password = form["password"] else { throw PageRefusal.malformed }
    let next = SignInPaths.onward(form["next"])
    switch await access.signIn(name, password: password, client: client(context), address: address(context)) {
    case .done(let secret):
      // Who was signed in here before is so no more.
      end(context)
      var answer = Response.redirect(to: next ?? "/", type: .normal)
      answer.headers.add(cookie: PageCookie.session.setting(secret))
      answer.headers.add(cookie: PageCookie.visit.ending)
      return answer
    case let outcome: return page(request, context, outcome, next: next)
    }
  }

  private func signOut(_ context: ConsoleContext) throws -> Response {
    guard context.pageForm != nil else { throw PageRefusal.form }
    end(context)
    var answer = Response.redirect(to: SignInPaths.signIn, type: .normal)
    answer.headers.add(cookie: PageCookie.session.ending)
    return answer
  }

  private func end(_ context: ConsoleContext) {
    if let caller = context.pageCaller, case .session(let id) = caller.sign { access.end(session: id, of: caller.name) }
  }

  // MARK: Sessions

  private func sessions(_ request: Request, _ context: ConsoleContext, _ form: PageForm?) throws -> Response {
    guard let caller = context.pageCaller, case .session(let own) = caller.sign else { throw PageRefusal.signIn }
    if let form {
      guard let id = form["session"] else { throw PageRefusal.malformed }
      access.end(session: id, of: caller.name)
      var answer = Response.redirect(to: id == own ? SignInPaths.signIn : SignInPaths.sessions, type: .normal)
      if id == own { answer.headers.add(cookie: PageCookie.session.ending) }
      return answer
    }
    let texts = setting.texts(for: request, context)
    let token = PageGuard.formToken(for: caller)
    let clock = PageTime(now: SystemTime().wall())
    let rows = access.sessions(of: caller.name).map { session -> PageModel in
      [
        "began": .text(session.beganAt.iso8601Seconds), "beganWords": .text(clock.short(session.beganAt)),
        "address": .foreign(session.address, limit: 60),
        "own": .flag(session.id == own), "form": .text(token), "id": .text(session.id),
      ]
    }
    let title = texts("sessions.title", caller.name)
    return PageLayout("sessions", title: title, kind: "sessions", ["title": .text(title), "sessions": .list(rows)])
      .response(texts)
  }

  // MARK: Door screens

  private func addDevice(_ request: Request, _ context: ConsoleContext, _ form: PageForm) async -> Response {
    let outcome = await access.signIn(
      code: form["code"] ?? "", client: client(context), address: address(context))
    guard case .done(let secret) = outcome else { return page(request, context, outcome) }
    var answer = Response.redirect(to: "/", type: .normal)
    answer.headers.add(cookie: PageCookie.device.setting(secret))
    answer.headers.add(cookie: PageCookie.visit.ending)
    return answer
  }

  // MARK: Both

  /// The page with the form for whoever has not signed in, and what came of the last try.
  private func page(
    _ request: Request, _ context: ConsoleContext, _ outcome: PageAccess.SignIn?, next: String? = nil
  ) -> Response {
    let isDevice = request.uri.path == SignInPaths.device
    let texts = setting.texts(for: request, context)
    let shown = PageCookie.visit.value(in: request.head)
    let visit = shown ?? PageSecret.new()
    let (words, status, wait) = Self.words(outcome, texts, isDevice)
    var page = PageLayout(
      isDevice ? "device" : "signin", title: texts[isDevice ? "device.title" : "signIn.title"], kind: "signIn",
      [
        "form": .text(PageGuard.formToken(visit: visit)), "next": next.map { .text($0) },
        "alert": words.map { .text($0) },
      ])
    page.status = status
    if isDevice { page.script = PageStatic.device }
    var response = page.response(texts)
    if shown == nil { response.headers.add(cookie: PageCookie.visit.setting(visit)) }
    if let wait { response.headers[.retryAfter] = String(wait) }
    return response
  }

  private static func words(
    _ outcome: PageAccess.SignIn?, _ texts: PageTexts, _ isDevice: Bool
  ) -> (words: String?, status: HTTPResponse.Status, wait: Int?) {
    switch outcome {
    case nil, .done: (nil, .ok, nil)
    // Not 401, which would ask for a way of signing in that no page of ours has.
    case .wrong: (texts[isDevice ? "device.wrong" : "signIn.wrong"], .forbidden, nil)
    case .wait(let seconds): (texts("signIn.wait", String(seconds)), .tooManyRequests, seconds)
    case .shut(let seconds): (texts("signIn.shut", String((seconds + 59) / 60)), .tooManyRequests, seconds)
    case .busy: (texts["signIn.busy"], .serviceUnavailable, 5)
    }
  }

  /// Who waits for wrong ones: who is known already for itself, whatever address it shares.
  private func client(_ context: ConsoleContext) -> SignInWaits.Client {
    switch context.pageCaller?.sign {
    case .session: .user(context.pageCaller?.name ?? "")
    case .device(let id): .device(id)
    case .loopback, nil: .address(Self.network(of: address(context)))
    }
  }

  private func address(_ context: ConsoleContext) -> String { context.peer?.plainAddress ?? "" }

  /// What of an address one person has: of IPv6 the first 64 bits.
  static func network(of address: String) -> String {
    guard address.contains(":") else { return address }
    let plain = address.prefix { $0 != "%" }
    let halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let first = halves[0].split(separator: ":").map { String($0) }
    let last = halves.count > 1 ? halves[1].split(separator: ":").map { String($0) } : []
    let gap = [String](repeating: "0", count: max(0, 8 - first.count - last.count))
    return (first + gap + last).prefix(4).joined(separator: ":")
  }
}
