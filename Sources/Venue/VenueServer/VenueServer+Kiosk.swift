import Foundation

/// What an administrator of a venue does about kiosks and enrolment.
extension VenueServer {
  /// How long codes and secrets may last, in minutes: a week.
  package static let longestLife = 10_080

  /// A fresh token for kiosks to register with.
  package static func makeKioskToken() -> String {
    var random = SystemRandomNumberGenerator()
    return Secret.apiKey(&random)
  }

  /// Makes an activation code for one use.
  ///
  /// - Parameters:
  ///   - kiosk: the only kiosk that it is good for; any where it is nil.
  ///   - minutes: how long it is good, 1 to `longestLife`.
  package func makeActivationCode(for kiosk: String? = nil, minutes: Int = 60) async throws -> MadeActivationCode {
    let expires = try expiry(minutes)
    if let kiosk { try check(kiosk, "a kiosk's id") }
    let now = Timestamp(configuration.now())
    var random = SystemRandomNumberGenerator()
    let code = Secret.activationCode(&random)
    try await store.write { try KioskBook(db: $0, now: now).add(code: code, for: kiosk, expires: expires) }
    return MadeActivationCode(
      code: code, id: UUID().uuidString.lowercased(), kioskID: kiosk, server: authority, made: now.seconds,
      expires: expires)
  }

  /// Makes an enrolment secret for one station, which gets an API key for it.
  ///
  /// - Parameters:
  ///   - gate: the gate's name there.
  ///   - saleTicket: the sale ticket that the gate names in each scan.
  ///   - seat: the seat, likewise.
  ///   - station: the only station that it is good for; any where it is nil.
  ///   - minutes: how long it is good, 1 to `longestLife`.
  package func makeEnrolment(
    gate: String, saleTicket: Int64? = nil, seat: String? = nil, for station: String? = nil, minutes: Int = 1_440
  ) async throws -> MadeEnrolment {
    let expires = try expiry(minutes)
    try check(gate, "a gate's name")
    if let station { try check(station, "a station's id") }
    if let seat { try check(seat, "a seat") }
    let now = Timestamp(configuration.now())
    var random = SystemRandomNumberGenerator()
    let secret = Secret.bytes(EnrolmentBook.secretLength, &random)
    try await store.write { db in
      try EnrolmentBook(db: db, now: now).add(
        secret: secret, gate: .init(name: gate, saleTicket: saleTicket, seat: seat), station: station,
        expires: expires)
    }
    return MadeEnrolment(secret: Base32.text(secret), gate: gate, server: place, expires: expires)
  }

  /// The kiosks that the venue knows, by their ids.
  package func kiosks() async throws -> [Kiosk] {
    let now = Timestamp(configuration.now())
    return try await store.read { try KioskBook(db: $0, now: now).kiosks() }
  }

  /// A kiosk and its configuration, in the form of the shape that the venue serves; the latter as a JSON text.
  /// - Throws: `VenueError.unusable` where there is no such kiosk.
  package func kiosk(_ id: String) async throws -> (kiosk: Kiosk, configuration: String) {
    try await withKiosk(id) { kiosk, _, configurations in (kiosk, try configurations.document(of: id)) }
  }

  /// Changes a kiosk's configuration: `settings.refreshInterval=60` in the member's own type, `name:=null` to any JSON.
  /// - Throws: `VenueError.unusable`, in words; nothing is changed then.
  package func configureKiosk(_ id: String, _ assignments: [String]) async throws {
    try await withKiosk(id) { _, _, configurations in try configurations.set(assignments, of: id) }
  }

  /// Writes down how a kiosk is to be.
  /// - Throws: `VenueError.unusable` where there is no such kiosk.
  package func setKioskState(_ state: KioskState, of id: String) async throws {
    try await withKiosk(id) { _, _, configurations in try configurations.set(state, of: id) }
  }

  /// From now on refuses the tokens that a kiosk has.
  /// - Throws: `VenueError.unusable` where there is no such kiosk.
  package func revokeTokens(ofKiosk id: String) async throws {
    try await withKiosk(id) { _, book, _ in try book.revoke(id) }
  }

  /// What stations have asked for, oldest first; the latest 10,000.
  package var kioskRequests: [KioskRequest] { kioskLog.all }

  /// Host and port by which stations reach the venue, and the path where there is one. Without a public address it is by the name in
  /// its certificate: set-up codes name no address, and stations want that name.
  private var place: String {
    let named = configuration.tls?.hostName.map { VenueAddress(host: $0, port: address.port, isEncrypted: true).url }
    let url = configuration.publicURL ?? named ?? address.url
    let scheme = ["https://", "http://"].first(where: url.hasPrefix) ?? ""
    return String(url.dropFirst(scheme.count))
  }

  /// Host and port alone.
  private var authority: String { String(place.prefix { $0 != "/" }) }

  private func withKiosk<Value: Sendable>(
    _ id: String, _ work: @escaping @Sendable (Kiosk, KioskBook, KioskConfigurations) throws -> Value
  ) async throws -> Value {
    let (now, family) = (Timestamp(configuration.now()), configuration.kioskShape.family)
    return try await store.write { db in
      let book = KioskBook(db: db, now: now)
      guard let kiosk = try book.kiosk(id) else {
        throw VenueError.unusable("no kiosk has this id; scangate venue kiosk list tells which there are")
      }
      return try work(kiosk, book, KioskConfigurations(db: db, now: now, family: family))
    }
  }

  private func expiry(_ minutes: Int) throws -> Int64 {
    guard (1...Self.longestLife).contains(minutes) else {
      throw VenueError.unusable("the life must be 1 to \(Self.longestLife) minutes; it got \(minutes)")
    }
    return Timestamp(configuration.now()).seconds + Int64(minutes) * 60
  }

  private func check(_ text: String, _ what: String) throws {
    guard (1...100).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { throw VenueError.unusable("\(what) must have 1 to 100 bytes and nothing that steers terminals") }
  }
}
