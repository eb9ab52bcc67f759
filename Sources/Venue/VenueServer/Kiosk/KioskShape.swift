/// Which kiosk service a venue passes for. The document describes one that was never built; the others are those that were.
package enum KioskShape: String, Sendable, CaseIterable {
  /// As the document has it: envelopes, web tokens, `in-use`.
  case document
  /// The later CueIT server: a kiosk is registered first, codes are of 6 to 8 letters and digits, nobody gets a token, and the
  /// document's own addresses are answered with `{}`.
  case cueit
  /// The earlier CueIT server: gives web tokens of one hour, and knows neither remote configuration nor a kiosk's own status.
  case cueitJWT = "cueit-jwt"
  /// The Nova server: no token either, `inUse` instead of `in-use`.
  case nova
  /// The Nova server with its beacon, which gives tokens that nothing accepts.
  case novaBeacon = "nova-beacon"

  /// Which configuration the shape knows.
  enum Family: String, Sendable {
    case document, cueit, nova
  }

  var family: Family {
    switch self {
    case .document: .document
    case .cueit, .cueitJWT: .cueit
    case .nova, .novaBeacon: .nova
    }
  }

  /// Whether stations show the venue's own kiosk token with each request, so that there has to be one.
  package var needsKioskToken: Bool {
    switch self {
    case .cueit, .nova, .novaBeacon: true
    case .document, .cueitJWT: false
    }
  }
}

/// What is said of a kiosk in words that a shape does not have: each shape writes it down in its own way.
package enum KioskState: String, Sendable, CaseIterable {
  /// At work.
  case active
  /// Switched off.
  case inactive
  /// Being worked on.
  case maintenance
}
