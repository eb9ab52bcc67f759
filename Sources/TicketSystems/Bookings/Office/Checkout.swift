internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// The page on which a customer pays. It is shown, and drawn as a QR code, only where its host is one that may ask for a card.
enum CheckoutPage: Equatable, Sendable {
  /// A page of the payment service's, or of the booking service's own.
  case page(String)
  /// One at another host.
  case foreign(host: String)
  /// No address of a page by https.
  case none

  /// The longest address, in bytes: what a QR code holds that a telephone reads off a screen.
  static let longest = 2_000
  private static let paymentHost = "stripe.com"

  /// Judges an address.
  /// - Parameter service: the booking service.
  init(_ text: String?, of service: ServerAddress) {
    guard let text, text.utf8.count <= Self.longest, text.lowercased().hasPrefix("https://"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"'<>\\^`{|}".utf8.contains($0) })
    else {
      self = .none
      return
    }
    let authority = text.dropFirst(8).prefix { !"/?#".contains($0) }
    // Who reads `https://checkout.stripe.com@evil.example` sees the wrong host.
    guard !authority.contains("@"), let server = try? ServerAddress("https://\(authority)") else {
      self = .none
      return
    }
    let isPayment = server.host.hasSuffix("." + Self.paymentHost) && server.port == 443
    let isOwn = server.host == service.host && (server.port == 443 || server.port == service.port)
    self = isPayment || isOwn ? .page(text) : .foreign(host: server.host)
  }

  /// The payment session that an address names; `nil` where it names none.
  static func session(in text: String) -> String? {
    text.split(whereSeparator: { "/?#&=".contains($0) }).map(String.init).first {
      $0.hasPrefix("cs_") && isSession($0)
    }
  }

  /// Whether a text can be a payment session's name.
  static func isSession(_ text: String) -> Bool {
    (4...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || byte == 0x5F || byte == 0x2D)
      }
  }
}

/// What the service answers to a reservation, in either shape.
struct CheckoutAnswer: Sendable {
  let session: String?
  let url: String?
  let reservation: String?
  let ends: WallTime?
  let amount: Price?
  /// How many seats the answer says; it is the number that was asked for.
  let count: Int?

  init(_ document: JSONValue) {
    let url = document.string ?? document.first("url", "checkoutUrl", "checkout_url")?.string
    self.url = url
    session =
      document.first("sessionId", "session_id")?.string.flatMap { CheckoutPage.isSession($0) ? $0 : nil }
      ?? url.flatMap { CheckoutPage.session(in: $0) }
    reservation = document.first("reservationId", "reservation_id")?.identifier
    ends = document.first("expiresAt", "expires_at").flatMap { Self.time($0) }
    amount = Price(document.first("totalAmount", "total_amount"), .pence)
    let seats = document.first("reservedSeats", "reserved_seats")
    count = seats?.array?.count ?? seats?.integer.flatMap { Int(exactly: $0) }
  }

  /// A time in words, in seconds or in milliseconds.
  private static func time(_ value: JSONValue) -> WallTime? {
    if let text = value.string, let time = WallTime(iso8601: text) { return time }
    guard let number = value.integer, number > 0 else { return nil }
    return WallTime(seconds: number > 100_000_000_000 ? number / 1_000 : number)
  }
}

/// A payment that this station has begun: what `confirm` may ask for.
struct StartedCheckout: Sendable, Equatable {
  /// How long one lasts where the service does not tell.
  static let usualLife = Duration.seconds(30 * 60)
  /// The longest that one is believed to last.
  static let longestLife = Duration.seconds(86_400)

  let server: String
  let session: String
  let show: String
  let title: String?
  /// Their labels, for people.
  let seats: [String]
  let amount: Price?
  /// Who was signed in; `nil` for nobody.
  let email: String?
  let begun: WallTime
  let ends: WallTime

  init(
    server: ServerAddress, session: String, show: String, title: String? = nil, seats: [String], amount: Price?,
    email: String?, begun: WallTime, ends: WallTime?
  ) {
    (self.server, self.session, self.show, self.title) = (server.description, session, show, title)
    (self.seats, self.amount, self.email, self.begun) = (seats, amount, email, begun)
    self.ends = min(ends ?? begun + Self.usualLife, begun + Self.longestLife)
  }

  /// Reads a record; `nil` where it is none of this version.
  init?(_ bytes: [UInt8]) {
    guard let document = try? JSONValue(bytes), document["version"]?.integer == 1,
      let server = document["server"]?.string, let session = document["session"]?.string,
      CheckoutPage.isSession(session), let show = document["show"]?.string, let begun = document["begun"]?.integer,
      let ends = document["ends"]?.integer
    else { return nil }
    self.server = server
    self.session = session
    self.show = show
    title = document["title"]?.string
    seats = (document["seats"]?.array ?? []).compactMap(\.string)
    let amount = document["amount"]
    self.amount = (amount?["unit"]?.string).flatMap(Price.Unit.init).flatMap { Price(amount?["amount"], $0) }
    email = document["email"]?.string
    (self.begun, self.ends) = (WallTime(seconds: begun), WallTime(seconds: ends))
  }

  /// The record.
  var bytes: [UInt8] {
    JSONValue.object([
      "version": .number("1"), "server": .string(server), "session": .string(session), "show": .string(show),
      "title": .text(title), "seats": .array(seats.map { .string($0) }), "amount": amount?.json ?? .null,
      "email": .text(email), "begun": .number("\(begun.seconds)"), "ends": .number("\(ends.seconds)"),
    ]).written
  }
}

/// The payments that this station has begun, each a sealed record of its own.
struct StartedCheckouts: Sendable {
  /// How long one is kept after its end.
  private static let kept = Duration.seconds(86_400)
  private static let prefix = "booking.checkout."

  let keys: any KeyHost
  let state: String?

  private func name(_ session: String) -> String { Self.prefix + StableHash.digits(session) }

  /// One, by its session; `nil` where this station has begun none of that name.
  func find(_ session: String) throws -> StartedCheckout? {
    guard let bytes = try keys.record(name(session), state: state), let started = StartedCheckout(bytes),
      started.session == session
    else { return nil }
    return started
  }

  /// Keeps one, and forgets what ended long ago.
  func keep(_ started: StartedCheckout, at now: WallTime) throws {
    for name in try keys.records(state: state) where name.hasPrefix(Self.prefix) {
      guard let bytes = try? keys.record(name, state: state), let old = StartedCheckout(bytes) else { continue }
      if old.ends + Self.kept < now { try keys.set(nil, record: name, state: state) }
    }
    try keys.set(started.bytes, record: name(started.session), state: state)
  }
}
