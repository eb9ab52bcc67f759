package import ScanModel
internal import TicketSystemKit
package import TicketTransport
internal import WireText

/// Asks a server what it is: without a key what it tells of itself, how it wants to look and its pictures; with the key its events.
///
/// Each question is sent once, and no redirect is followed.
package struct InstanceClient: Sendable {
  /// What a server told of itself.
  package struct Found: Sendable, Equatable {
    /// `nil` where it tells nothing.
    package var discovery: Discovery?
    /// Where it stands; where there is none, what was answered there.
    package var answers: [(path: String, status: Int?)]

    package static func == (a: Found, b: Found) -> Bool {
      a.discovery == b.discovery && a.answers.elementsEqual(b.answers, by: ==)
    }
  }

  /// Where a server tells of itself, in the order in which it is asked.
  package static let discoveryPaths = ["/.well-known/eventschedule.json", "/.well-known/planify.json"]
  /// Where its look is, unless it tells.
  private static let brandingPaths = ["/api/meta/branding", "/branding.json"]

  /// The most bytes of a document.
  package static let mostDocument = 64 * 1_024
  /// The most bytes of a picture.
  package static let mostPicture = 1_024 * 1_024
  /// The most bytes of a page of events.
  private static let mostEvents = 4 * 1_024 * 1_024

  private let typed: ServerAddress
  private let settings: HTTPTransport.Settings
  private let time: any TimeSource

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - typed: the server, as a person has typed it.
  ///   - settings: whose certificates are trusted for it.
  package init(
    typed: ServerAddress, settings: HTTPTransport.Settings = HTTPTransport.Settings(),
    time: any TimeSource = SystemTime()
  ) {
    self.typed = typed.withoutAPI ?? typed
    var settings = settings
    settings.words.role = "event server"
    settings.words.whenLost = "nothing was changed"
    settings.words.keyCure = "Check the key, or make another one at the server."
    self.settings = settings
    self.time = time
  }

  // MARK: Without a key

  /// What the server tells of itself.
  /// - Throws: why it cannot be asked.
  package func discovery(deadline: MonotonicTime) async throws(TransportFault) -> Found {
    var answers: [(path: String, status: Int?)] = []
    for path in Self.discoveryPaths {
      let answer = try await ask(typed, HTTPCall(.get, path: path), Self.mostDocument, deadline: deadline)
      answers.append((path, answer?.status))
      if let answer, let document = Self.document(answer), let discovery = Discovery(document) {
        return Found(discovery: discovery, answers: [(path, answer.status)])
      }
    }
    return Found(discovery: nil, answers: answers)
  }

  /// How the server wants to look; `nil` where it does not tell.
  /// - Parameters:
  ///   - told: where it says that this stands: taken on the same server alone.
  ///   - api: where its API is.
  /// - Throws: why it cannot be asked.
  package func branding(
    _ told: Discovery.Address, api: ServerAddress, deadline: MonotonicTime
  ) async throws(TransportFault) -> Branding? {
    var places: [(ServerAddress, String)] = []
    if case .told(let text) = told, let address = LinkedAddress(text, of: typed), isOwn(address.server, api) {
      places.append((address.server, address.target))
    }
    places += Self.brandingPaths.map { (api, $0) }
    for (server, path) in places {
      let answer = try await ask(server, HTTPCall(.get, path: path), Self.mostDocument, deadline: deadline)
      if let branding = answer.flatMap(Self.document).flatMap(Branding.init) { return branding }
    }
    return nil
  }

  /// The bytes of a picture that the server's document names, whatever they are: `scangate-decode` looks at them.
  /// - Returns: `nil` where the document names none.
  /// - Throws: why it cannot be had.
  package func picture(
    _ told: Discovery.Address, api: ServerAddress, deadline: MonotonicTime
  ) async throws(TransportFault) -> [UInt8]? {
    guard told != .absent else { return nil }
    guard case .told(let text) = told, let address = LinkedAddress(text, of: typed) else {
      throw TransportFault(
        .badAnswer, "\(typed.hostAndPort) names a picture at an address that is none, or without TLS.")
    }
    var call = HTTPCall(.get, path: address.target)
    call.accepts = "image/png, image/jpeg"
    let isForeign = !isOwn(address.server, api)
    guard
      let answer = try await ask(address.server, call, Self.mostPicture, isForeign: isForeign, deadline: deadline),
      answer.status == 200
    else {
      throw TransportFault(
        .badAnswer, "\(address.server.hostAndPort) does not give the picture, or it has more than 1 MiB.")
    }
    return answer.body
  }

  // MARK: With the key

  /// The first events of the key's user: what proves the key. The key goes to `api` alone.
  /// - Throws: why there are none.
  package func events(
    at api: ServerAddress, key: Secret, deadline: MonotonicTime
  ) async throws(TransportFault) -> EventPage {
    let call = HTTPCall(
      .get, path: "/api/events", query: [("per_page", "50"), ("page", "1")],
      credential: (EventScheduleClient.keyHeader, "", key))
    guard let answer = try await ask(api, call, Self.mostEvents, deadline: deadline) else {
      throw TransportFault(.badAnswer, "\(api.hostAndPort) answered more than is read. \(settings.words.addressCure)")
    }
    return try EventPage.read(answer, host: api.hostAndPort, hiding: [key.redaction], words: settings.words).get()
  }

  // MARK: Calls

  private func isOwn(_ server: ServerAddress, _ api: ServerAddress) -> Bool {
    server.isSameServer(as: typed) || server.isSameServer(as: api)
  }

  /// One answer; `nil` where it is larger than it may be, or no HTTP.
  /// - Parameter isForeign: whether the server is one that a document names: it is nobody of ours, then.
  private func ask(
    _ server: ServerAddress, _ call: HTTPCall, _ mostBytes: Int, isForeign: Bool = false, deadline: MonotonicTime
  ) async throws(TransportFault) -> HTTPAnswer? {
    var settings = settings
    if isForeign {
      settings.trust = .system
      settings.isPublicOnly = true
    }
    var call = call
    call.limits.mostBytes = mostBytes
    let transport: HTTPTransport
    do {
      transport = try HTTPTransport(server: server, settings: settings, time: time)
    } catch {
      throw TransportFault(.tlsFault, error.description)
    }
    let outcome = await transport.send(call, deadline: deadline) { _ in }
    await transport.close()
    switch outcome.result {
    case .answered(let answer): return answer
    case .notSent(let fault): throw fault
    case .lost(let fault) where fault.reason == .badAnswer: return nil
    case .lost(let fault): throw fault
    case .pending: throw TransportFault(.unreachable, "\(server.hostAndPort) did not answer in time.")
    }
  }

  private static func document(_ answer: HTTPAnswer) -> JSONValue? {
    answer.status == 200 ? try? JSONValue(answer.body) : nil
  }
}
