internal import FoundationEssentials
internal import ScanModel

/// What a station keeps of its control service: who it is there, and what it was given. Kept sealed, as JSON.
///
/// Each part is read by itself: one that is damaged counts as absent, and the others hold.
struct ControlRecord: Sendable, Equatable, Encodable {
  /// The record's name in the store.
  static let name = "control"
  private let version = 1

  /// Who the station is: a UUID, made once; a station that was reset gets another one.
  var stationID: String?
  /// What the last activation has given.
  var activation: KeptActivation?
  /// An activation that was sent, and not answered for certain.
  var attempt: ActivationAttempt?
  /// The last configuration.
  var configuration: KeptConfiguration?
  /// What the service said last of the token.
  var token = TokenNote()
  /// What staff have set by hand.
  var manual: ManualStatus?
}

/// An activation as it is kept.
struct KeptActivation: Sendable, Equatable {
  var server: ControlServer
  var value: Activation
  var activated: WallTime
}

/// An activation that was sent, and not answered for certain: words for people, from which nothing follows. Whatever a service
/// says of a station afterwards does not prove that its code was good.
struct ActivationAttempt: Sendable, Equatable, Codable {
  var server: ControlServer
  var sent: WallTime
}

/// A configuration as it is kept.
struct KeptConfiguration: Sendable, Equatable, Codable {
  var value: ControlConfiguration
  var fetched: WallTime
}

/// What the service said of the token.
struct TokenNote: Sendable, Equatable, Codable {
  /// Since when it refuses it; `nil` where it does not.
  var refusedSince: WallTime?
  /// When it accepted it last, to the hour.
  var accepted: WallTime?
}

/// A status that staff have set by hand.
struct ManualStatus: Sendable, Equatable, Codable {
  var status: StationStatus
  var since: WallTime
}

extension ControlRecord {
  /// Reads a record.
  /// - Returns: what can be read, and words for each part that cannot.
  static func read(_ bytes: [UInt8]) -> (record: ControlRecord, problems: [String]) {
    guard let lenient = try? JSONDecoder().decode(Lenient.self, from: Data(bytes)) else {
      return (ControlRecord(), ["What the station kept of its control service is damaged: it counts as not activated."])
    }
    return (lenient.record, lenient.problems)
  }

  /// The record as it is kept.
  /// - Throws: that something in it has no form in JSON, which nothing here makes.
  func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(self))
  }

  private enum CodingKeys: String, CodingKey {
    case version, stationID, activation, attempt, configuration, token, manual

    /// What is lost where that part is.
    var loss: String {
      switch self {
      case .version: "its version"
      case .stationID: "the station's own id (it gets another one)"
      case .activation: "its activation (it counts as not activated)"
      case .attempt: "an attempt to activate it"
      case .configuration: "its configuration (it is fetched again)"
      case .token: "what was said of its token"
      case .manual: "the status set by hand"
      }
    }
  }

  private struct Lenient: Decodable {
    var record = ControlRecord()
    var problems: [String] = []

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var lost: [CodingKeys] = []
      func part<Value: Decodable>(_ key: CodingKeys, if isGood: (Value) -> Bool = { _ in true }) -> Value? {
        guard container.contains(key) else { return nil }
        if let value = try? container.decode(Value.self, forKey: key), isGood(value) { return value }
        lost.append(key)
        return nil
      }
      record.stationID = part(.stationID, if: StationUUID.isOne)
      record.activation = part(.activation)
      record.attempt = part(.attempt)
      record.configuration = part(.configuration)
      record.token = part(.token) ?? TokenNote()
      record.manual = part(.manual)
      problems = lost.map { "Of what the station kept of its control service, \($0.loss) cannot be read." }
    }
  }
}

extension KeptActivation: Codable {
  private enum Key: String, CodingKey { case server, kioskID, token, expires, activated }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    server = try container.decode(ControlServer.self, forKey: .server)
    activated = try container.decode(WallTime.self, forKey: .activated)
    let kioskID = try container.decode(String.self, forKey: .kioskID)
    guard (1...256).contains(kioskID.utf8.count) else {
      throw DecodingError.dataCorruptedError(forKey: .kioskID, in: container, debugDescription: "no identifier")
    }
    var token: ControlToken?
    if let text = try container.decodeIfPresent(String.self, forKey: .token) {
      token = ControlToken(text)
      if token == nil {
        throw DecodingError.dataCorruptedError(forKey: .token, in: container, debugDescription: "no token")
      }
    }
    value = Activation(
      kioskID: kioskID, token: token, expires: try container.decodeIfPresent(WallTime.self, forKey: .expires))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(server, forKey: .server)
    try container.encode(value.kioskID, forKey: .kioskID)
    try container.encodeIfPresent(value.token?.text, forKey: .token)
    try container.encodeIfPresent(value.expires, forKey: .expires)
    try container.encode(activated, forKey: .activated)
  }
}

/// The station's own identifier.
enum StationUUID {
  /// A new random UUID (RFC 9562, version 4), in lower case.
  static func make() -> String { UUID().uuidString.lowercased() }

  /// Whether a text is a UUID in lower case with dashes.
  static func isOne(_ text: String) -> Bool { UUID(uuidString: text)?.uuidString.lowercased() == text }
}
