internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What the service says of an account.
struct AccountAnswer {
  let id: String?
  let email: String?
  let name: String?
  let role: String?
  let isVerified: Bool?
  let token: String?

  init(_ document: JSONValue, hiding secrets: [Redaction]) {
    let user = document["user"] ?? document["data"]?["user"] ?? .null
    func text(_ value: JSONValue?) -> String? { value?.told(hiding: secrets) }
    id = text(user["id"])
    email = text(user["email"])
    name = text(user["name"])
    role = text(user["role"])
    isVerified = user.first("emailVerified", "email_verified").flatMap {
      if case .bool(let truth) = $0 { truth } else { nil }
    }
    token = document.first("token")?.string
  }

  func json(_ session: BoxSession?, server: ServerAddress) -> JSONValue {
    .object([
      "id": .text(id), "email": .text(email), "name": .text(name), "role": .text(role),
      "emailVerified": isVerified.map { .bool($0) } ?? .null, "server": .string(server.description),
      "until": .text(session?.until.iso8601Seconds),
    ])
  }

  func fields(_ session: BoxSession?) -> [(name: String, text: String?)] {
    [
      ("Id", id), ("E-mail", email), ("Name", name), ("Role", role),
      ("E-mail verified", isVerified.map { $0 ? "yes" : "no" }),
      ("Signed in until", session?.until.iso8601Seconds),
    ]
  }
}

extension BoxOffice {
  /// Keeps the session of an answer, and prints whose it is.
  /// - Parameters:
  ///   - typed: the account that was meant; `nil` where its provider knows.
  ///   - otherwise: what is told where the answer has no session; `nil` where it must have one.
  func begin(
    _ document: JSONValue, typed: String?, sessions: BoxSessions, otherwise words: String? = nil
  ) throws {
    let token = document.first("token")?.string
    let office = token.map { hiding([Redaction($0, shownAs: "(session)")]) } ?? self
    let answer = AccountAnswer(document, hiding: office.secrets)
    if let typed, let told = answer.email, told.lowercased() != typed.lowercased() {
      throw DeskFault.unavailable("\(host) answered with another account than \(typed): no session was kept.")
    }
    guard let token else {
      guard let words else { throw DeskFault.unavailable("\(host) signed in, and told no session.") }
      office.print(answer.json(nil, server: server), answer.fields(nil))
      return office.tell(words)
    }
    let now = time.wall()
    guard let email = typed ?? (document["user"]?["email"]?.string).flatMap({ try? AccountAddress.read($0) }) else {
      throw DeskFault.unavailable("\(host) does not say who was signed in: say it by --email.")
    }
    guard let session = BoxSession(server: server, email: email, token: token, now: now) else {
      throw DeskFault.unavailable("\(host) answered with a session that none can be.")
    }
    guard session.until > now else {
      throw DeskFault.unavailable(
        "\(host) answered with a session that ended at \(session.until.iso8601Seconds). Check this machine's clock.")
    }
    try sessions.keep(session)
    office.print(answer.json(session, server: server), answer.fields(session))
  }
}

/// `scangate booking sign-up`
struct SignUpCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-up", abstract: "Make an account, and sign in where the service lets it at once.",
    discussion: "The password is asked for without showing it, or read from a pipe.")

  @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String
  @Option(help: "Whose it is.") var name: String
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let password = try office.program.keys.password(asking: "Password for \(email): ", otherwise: "Nothing was sent.")
    let hidden = office.hiding(secret: password)
    let answer = try await hidden.change(
      .post, "/api/auth/signup", [],
      ["email": .string(email), "password": .string(password), "name": .string(name)],
      look: "See whether there is an account: scangate booking sign-in --email EMAIL")
    try hidden.begin(
      answer, typed: email, sessions: self.office.sessions(office),
      otherwise: "Nobody is signed in yet. Where the service has sent a mail: scangate booking verify-email")
  }
}

/// `scangate booking sign-in`
struct SignInCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Sign in: by a password, or by what Google or Apple has given.",
    discussion: """
      The session is kept on this machine, sealed, for seven days or as long as it lasts. The password is asked for without showing it, \
      or read from a pipe. The token of a provider comes from a file, and - is standard input.
      """)

  @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String?
  @Option(help: ArgumentHelp("Who vouches for it.", valueName: "google|apple")) var provider: Provider?
  @Option(
    help: ArgumentHelp("The provider's token; with --provider.", valueName: "file"), completion: .file())
  var token: String?
  @Option(help: "Whose it is; with --provider, where its token does not say.") var name: String?
  @Option(
    help: ArgumentHelp(
      "What the provider calls the account; with --provider, where its token does not say.", valueName: "id"),
    transform: TypedID.read)
  var user: String?
  @OptionGroup var office: BoxOfficeArguments

  /// Whose word the service takes. The raw values are words of its API.
  enum Provider: String, ExpressibleByArgument, CaseIterable, Sendable {
    case google, apple
  }

  func validate() throws {
    guard (provider == nil) == (token == nil) else { throw ValidationError("--provider and --token come together.") }
    guard provider != nil || email != nil else {
      throw ValidationError("say who by --email, or --provider and --token")
    }
    guard provider != nil || name == nil && user == nil else {
      throw ValidationError("--name and --user come with --provider.")
    }
  }

  func run(at office: BoxOffice) async throws {
    let sessions = self.office.sessions(office)
    if let provider, let token { return try await run(at: office, provider, token, sessions) }
    guard let email else { return }
    let password = try office.program.keys.password(asking: "Password for \(email): ", otherwise: "Nothing was sent.")
    let hidden = office.hiding(secret: password)
    let answer = try await hidden.ask(
      .post, "/api/auth/signin", ["email": .string(email), "password": .string(password)])
    try hidden.begin(answer, typed: email, sessions: sessions)
  }

  private func run(
    at office: BoxOffice, _ provider: Provider, _ file: String, _ sessions: BoxSessions
  ) async throws {
    let token = try SecretFile.read(file, what: "token", office)
    let hidden = office.hiding(secret: token)
    let claims = TokenClaims(token)
    let email = email ?? claims?.text("email").flatMap { try? AccountAddress.read($0) }
    let name = name ?? claims?.document["name"]?.string
    var members: [String: JSONValue] = ["provider": .string(provider.rawValue), "token": .string(token)]
    if let email { members["email"] = .string(email) }
    if let name { members["name"] = .string(name) }
    let answer: JSONValue
    do throws(DeskFault) {
      answer = try await hidden.ask(.post, "/api/auth/social", members)
    } catch {
      guard case .refused(400, let words) = error else { throw error }
      var user: [String: JSONValue] = [:]
      if let id = self.user ?? claims?.text("sub") { user["id"] = .string(id) }
      if let email { user["email"] = .string(email) }
      if let name { user["name"] = .string(name) }
      answer = try await hidden.ask(
        .post, "/api/auth/social",
        ["provider": .string(provider.rawValue), "idToken": .string(token), "user": .object(user)])
      hidden.tell("\(words) It took it as idToken and user.")
    }
    try hidden.begin(answer, typed: email, sessions: sessions)
  }
}

/// `scangate booking sign-out`
struct SignOutCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "Forget the session that is kept on this machine.",
    discussion: "The service has no call for it: a session that somebody else has seen goes on until its end.")
  static let session = BoxOfficeSession.needed

  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    guard let session = office.session else { return }
    try self.office.sessions(office).forget(session)
    office.print(
      .object(["email": .string(session.email), "server": .string(session.server), "signedIn": .bool(false)]),
      [("E-mail", session.email), ("Signed in", "no")])
  }
}

/// `scangate booking whoami`
struct WhoAmICommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Ask the service who is signed in.")
  static let session = BoxOfficeSession.needed

  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    guard var session = office.session else { return }
    let document = try await office.either(
      { () throws(DeskFault) in
        try await office.read("/api/auth/verify", "/api/auth/verify")
      }, else: "It was asked by POST, as the document has it."
    ) { () throws(DeskFault) in
      try await office.ask(.post, "/api/auth/verify", [:])
    }
    var shown = office
    if let token = document["token"]?.string, !token.isEmpty {
      shown = office.hiding([Redaction(token, shownAs: "(session)")])
      // The same session, or a younger one of the same account.
      if let younger = BoxSession(server: office.server, email: session.email, token: token, now: office.time.wall()),
        younger.bytes != session.bytes, younger.until > office.time.wall()
      {
        try self.office.sessions(office).keep(younger)
        session = younger
      }
    }
    let answer = AccountAnswer(document, hiding: shown.secrets)
    guard answer.email?.lowercased() == session.email.lowercased() else {
      throw DeskFault.unavailable(
        "\(office.host) \(answer.email == nil ? "does not say whose the session is" : "says that the session is another account's"). "
          + "Sign out, and in again.")
    }
    shown.print(answer.json(session, server: office.server), answer.fields(session))
  }
}
