internal import WireText
internal import ScanModel

/// The kiosk service's codes that are JSON objects:
/// `{"type":"kiosk_activation","code":"A1B2C3D4","server":"host:port","timestamp":1752000000000}`, good for an hour, and
/// `{"type":"kiosk_activation","id":"…","code":"K3J9QZ","expires":"2025-07-07T21:00:00.000Z"}`, whose `id` is that of the code's
/// making and no station's.
///
/// A scanner whose caps lock is on turns all letters: names are compared without regard to that, and values turned back.
enum CodeDocument {
  /// For how long a code is good that says when it was made.
  private static let life = Duration.seconds(3_600)

  static func isOne(_ bytes: [UInt8]) -> Bool { members(bytes)?["type"]?.string?.lowercased() == "kiosk_activation" }

  /// Reads what `isOne`.
  static func read(_ code: Code) throws(Refusal) -> ToldActivation {
    let members = members(code.bytes) ?? [:]
    guard let text = members["code"]?.string, ActivationText.isCode(text) else { throw Refusal(damaged: "its code") }
    if let value = members["id"], value != .null {
      guard let id = value.identifier, ActivationText.isKioskID(id) else { throw Refusal(damaged: "its identifier") }
    }
    var kiosk: String?
    if let value = members["kioskid"], value != .null {
      guard let id = value.identifier, ActivationText.isKioskID(id) else {
        throw Refusal(damaged: "its kiosk's identifier")
      }
      kiosk = isTurned(code.bytes) ? ActivationText.turned(id) : id
    }
    var server: String?
    switch members["server"] {
    case nil, .null?, .string("")?: break
    case .string(let name)?: server = name
    default: throw Refusal(damaged: "its server")
    }
    var ends: [WallTime] = []
    if let value = members["timestamp"], value != .null {
      guard let made = value.integer, made > 0 else { throw Refusal(damaged: "its time") }
      ends.append(WallTime(seconds: made / 1_000) + life)
    }
    if let value = members["expires"], value != .null {
      guard let end = value.string.flatMap(WallTime.init(iso8601:)) else { throw Refusal(damaged: "its time") }
      ends.append(end)
    }
    return ToldActivation(
      code: ActivationCode(code: text.uppercased(), kioskID: kiosk), server: server, expires: ends.min())
  }

  /// Whether capital letters are small ones, and small ones capitals.
  private static func isTurned(_ bytes: [UInt8]) -> Bool {
    guard case .object(let object)? = try? JSONValue(bytes) else { return false }
    return object["TYPE"] != nil
  }

  private static func members(_ bytes: [UInt8]) -> [String: JSONValue]? {
    guard case .object(let object)? = try? JSONValue(bytes) else { return nil }
    var members: [String: JSONValue] = [:]
    for (name, value) in object {
      // Two names that differ in this alone mean two things to two readers.
      guard members.updateValue(value, forKey: name.lowercased()) == nil else { return nil }
    }
    return members
  }
}
