import HTTPTypes
import Hummingbird
import NIOCore
import ScanModel

extension ConsoleRoutes {
  /// `/sign-in`, `/sign-out`, `/sessions` and `/device`.
  func addSignIn(to pages: ConsoleGroup, _ access: PageAccess) {
    let routes = SignInRoutes(access: access)
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
  let access: PageAccess

  func respond(to request: Request, _ context: ConsoleContext) async throws -> Response {
    switch (request.uri.path, context.pageForm) {
    case (SignInPaths.device, nil): return devicePage(request, nil)
    case (SignInPaths.device, let form?): return await addDevice(request, context, form)
    case (SignInPaths.sessions, let form): return try sessions(context, form)
    case (SignInPaths.signOut, _): return try signOut(context)
    case (_, nil): return signInPage(request, SignInPaths.next(in: request.uri.query), nil)
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
    case let outcome: return signInPage(request, next, outcome)
    }
  }

  private func signInPage(_ request: Request, _ next: String?, _ outcome: PageAccess.SignIn?) -> Response {
    page(request, "Sign in", outcome) { token in
      """
      <form method="post" action="\(SignInPaths.signIn)">
      <input type="hidden" name="\(PageGuard.field)" value="\(token)">
      <input type="hidden" name="next" value="\(SignInPage.text(next ?? ""))">
      <p><label for="user">Name</label> <input id="user" name="user" required maxlength="64" autocomplete="username" autocapitalize="none" spellcheck="false"></p>
      <p><label for="password">Password or PIN</label> <input id="password" name="password" type="password" required maxlength="256" autocomplete="current-password"></p>
      <p><button type="submit">Sign in</button></p>
      </form>
      """
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

  private func sessions(_ context: ConsoleContext, _ form: PageForm?) throws -> Response {
    guard let caller = context.pageCaller, case .session(let own) = caller.sign else { throw PageRefusal.signIn }
    if let form {
      guard let id = form["session"] else { throw PageRefusal.malformed }
      access.end(session: id, of: caller.name)
      var answer = Response.redirect(to: id == own ? SignInPaths.signIn : SignInPaths.sessions, type: .normal)
      if id == own { answer.headers.add(cookie: PageCookie.session.ending) }
      return answer
    }
    let token = PageGuard.formToken(for: caller)
    let rows = access.sessions(of: caller.name).map { session in
      """
      <tr><td>\(SignInPage.text(session.beganAt.iso8601Seconds))</td><td>\(SignInPage.text(session.address))</td><td>\(session.id == own ? "this one" : "")</td>
      <td><form method="post" action="\(SignInPaths.sessions)"><input type="hidden" name="\(PageGuard.field)" value="\(token)">
      <input type="hidden" name="session" value="\(session.id)"><button type="submit">End</button></form></td></tr>
      """
    }.joined(separator: "\n")
    return SignInPage.response(
      "Where \(caller.name) has signed in",
      "<table><thead><tr><th>Since</th><th>From</th><th></th><th></th></tr></thead><tbody>\n\(rows)\n</tbody></table>")
  }

  // MARK: Door screens

  private func addDevice(_ request: Request, _ context: ConsoleContext, _ form: PageForm) async -> Response {
    let outcome = await access.signIn(
      code: form["code"] ?? "", client: client(context), address: address(context))
    guard case .done(let secret) = outcome else { return devicePage(request, outcome) }
    var answer = Response.redirect(to: "/", type: .normal)
    answer.headers.add(cookie: PageCookie.device.setting(secret))
    answer.headers.add(cookie: PageCookie.visit.ending)
    return answer
  }

  private func devicePage(_ request: Request, _ outcome: PageAccess.SignIn?) -> Response {
    page(request, "Set up this door screen", outcome) { token in
      """
      <form method="post" action="\(SignInPaths.device)">
      <input type="hidden" name="\(PageGuard.field)" value="\(token)">
      <p><label for="code">Code</label> <input id="code" name="code" required maxlength="64" autocomplete="off" autocapitalize="characters" spellcheck="false"></p>
      <p><button type="submit">Set up</button></p>
      </form>
      """
    }
  }

  // MARK: Both

  /// A page with a form for whoever has not signed in, and what came of the last try.
  private func page(
    _ request: Request, _ title: String, _ outcome: PageAccess.SignIn?, _ form: (String) -> String
  ) -> Response {
    let shown = PageCookie.visit.value(in: request.head)
    let visit = shown ?? PageSecret.new()
    let (words, status, wait) = Self.words(outcome, isDevice: request.uri.path == SignInPaths.device)
    var fields = HTTPFields()
    if shown == nil { fields.add(cookie: PageCookie.visit.setting(visit)) }
    if let wait { fields[.retryAfter] = String(wait) }
    let alert = words.map { "<p role=\"alert\">\(SignInPage.text($0))</p>\n" } ?? ""
    return SignInPage.response(title, alert + form(PageGuard.formToken(visit: visit)), status: status, fields)
  }

  private static func words(
    _ outcome: PageAccess.SignIn?, isDevice: Bool
  ) -> (words: String?, status: HTTPResponse.Status, wait: Int?) {
    switch outcome {
    case nil, .done: (nil, .ok, nil)
    case .wrong:
      (
        isDevice
          ? "This is no code that is waited for: it is mistyped, was used, or its day is over."
          : "Name and password do not belong together.", .unauthorized, nil
      )
    case .wait(let seconds): ("Wait \(seconds) s, and try again.", .tooManyRequests, seconds)
    case .shut(let seconds):
      (
        "Too many wrong passwords were given for this name. Try again in \((seconds + 59) / 60) min.", .tooManyRequests,
        seconds
      )
    case .busy: ("Many sign in at this moment. Try again in a few seconds.", .serviceUnavailable, 5)
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
