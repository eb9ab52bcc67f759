import FoundationEssentials
import HTTPTypes
import Hummingbird
import Synchronization

/// What the routes of all shapes have in common: the time, the token that came, who may go on guessing.
final class KioskController: Sendable {
  /// What an activation came to.
  enum Outcome: Sendable {
    /// The kiosk is active; the token is there where one was asked for.
    case activated(kioskID: String, token: String?, expires: Int64?)
    case unknownCode
    case expired
    case used
    case unknownKiosk
  }

  /// The longest life of a token, in seconds: a year.
  private static let longestLife: Int64 = 365 * 86_400

  let store: VenueStore
  let configuration: VenueConfiguration
  private let guesses: Mutex<GuessLimit>

  init(store: VenueStore, configuration: VenueConfiguration, guesses: GuessLimit = GuessLimit()) {
    self.store = store
    self.configuration = configuration
    self.guesses = Mutex(guesses)
  }

  /// The venue's true time: what decides.
  var now: Timestamp { Timestamp(configuration.now()) }

  /// The time that an answer tells, which misbehaves where it is told to.
  func stamp(_ context: VisitorContext) -> Timestamp { Timestamp(seconds: now.seconds + Int64(context.clockError)) }

  // MARK: Tokens

  /// What a request shows as `Authorization: Bearer`.
  static func bearer(_ request: Request) -> String? {
    guard let header = request.headers[.authorization], header.lowercased().hasPrefix("bearer ") else { return nil }
    let token = header.dropFirst("bearer ".count).drop(while: \.isWhitespace)
    return token.isEmpty ? nil : String(token)
  }

  /// The kiosk whose web token the request shows; nil where it shows none that is accepted.
  func kiosk(_ request: Request, parties: KioskToken.Parties? = nil) async throws -> Kiosk? {
    guard let token = Self.bearer(request) else { return nil }
    let now = now
    return try await store.read { try KioskBook(db: $0, now: now).kiosk(token: token, parties: parties) }
  }

  /// Whether a text is the venue's own kiosk token. Compared by hash: how long it takes tells nothing.
  func isKioskToken(_ text: String?) -> Bool {
    guard let text, let token = configuration.kioskToken else { return false }
    return Secret.hash([UInt8](text.utf8)) == Secret.hash([UInt8](token.utf8))
  }

  // MARK: Guesses

  /// For how many seconds nothing is taken from where the request comes from.
  func wait(_ context: VisitorContext) -> Int? {
    guard !configuration.noLimits else { return nil }
    return guesses.withLock { $0.wait(context.address, at: configuration.now().timeIntervalSince1970) }
  }

  func countGuess(_ context: VisitorContext) {
    guesses.withLock { $0.count(context.address, at: configuration.now().timeIntervalSince1970) }
  }

  func guessesLeft(_ context: VisitorContext) -> Int {
    guesses.withLock { $0.left(context.address, at: configuration.now().timeIntervalSince1970) }
  }

  /// As many as an address has in a window.
  var mostGuesses: Int { guesses.withLock { $0.most } }

  // MARK: Activation

  /// How a shape activates.
  struct Activation: Sendable {
    /// Whether a token is given.
    var givesToken = false
    /// Whether a kiosk has to be registered first.
    var wantsRegistered = false
    /// Whether whoever shows a code is the kiosk that it was made for, whatever it says of itself.
    var isWhomItWasMadeFor = false
  }

  /// Activates a kiosk by a code, in one transaction.
  /// - Parameter kioskID: who asks; where it does not say, it becomes the kiosk that the code was made for, or a new one.
  func activate(_ code: String, as kioskID: String?, _ how: Activation) async throws -> Outcome {
    let now = now
    let life = min(max(configuration.kioskTokenLife.components.seconds, 1), Self.longestLife)
    return try await store.write { db in
      let book = KioskBook(db: db, now: now)
      let meant: String?
      switch try book.state(ofCode: code) {
      case .unknown: return .unknownCode
      case .expired: return .expired
      case .used: return .used
      case .unused(let kiosk): meant = kiosk
      }
      if let meant, let kioskID, meant != kioskID, !how.isWhomItWasMadeFor { return .unknownKiosk }
      let id = (how.isWhomItWasMadeFor ? meant : nil) ?? kioskID ?? meant ?? UUID().uuidString.lowercased()
      if how.wantsRegistered, try book.kiosk(id) == nil { return .unknownKiosk }
      try book.use(code: code, by: id)
      try book.activate(id)
      let token = how.givesToken ? try book.token(of: id, life: life) : nil
      return .activated(kioskID: id, token: token?.text, expires: token?.expires)
    }
  }

  // MARK: Kiosks

  func register(_ id: String, version: String) async throws {
    let now = now
    try await store.write { try KioskBook(db: $0, now: now).register(id, version: version) }
  }

  func kiosk(_ id: String) async throws -> Kiosk? {
    let now = now
    return try await store.read { try KioskBook(db: $0, now: now).kiosk(id) }
  }

  /// The configuration of a kiosk, in the shape's own form.
  func document(of id: String) async throws -> JSONText {
    let (now, family) = (now, configuration.kioskShape.family)
    return try await store.write { db in
      .json(try KioskConfigurations(db: db, now: now, family: family).document(of: id))
    }
  }

  /// One member of it, as a text.
  func text(_ member: String, of document: JSONText) async throws -> String? {
    try await store.read { db in
      try db.value("SELECT CAST(json_extract(?, ?) AS TEXT)", document.text(), "$." + member)
    }
  }

  func note(_ status: String, at time: String?, isManual: Bool, of id: String) async throws {
    let now = now
    try await store.write { db in
      try KioskBook(db: db, now: now).note(status, at: time, isManual: isManual, of: id)
    }
  }
}
