import WireText
import ScanModel
import SetUpCodes

/// What a venue has made for a code: its bare secret, or the line of JSON that `scangate venue enrolment` prints, with the
/// server, the gate and the end that belong to it.
struct MadeSecret {
  var secret: EnrolmentSecret
  var server: String?
  var gate: String?
  var expires: WallTime?

  /// Makes a secret that no venue knows yet.
  init() { secret = .random() }

  /// Reads either.
  /// - Returns: `nil` where it is neither.
  init?(_ bytes: [UInt8]) {
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      guard let text = String(validating: bytes, as: UTF8.self), let secret = EnrolmentSecret(text: text) else {
        return nil
      }
      self.secret = secret
      return
    }
    guard let document = try? JSONValue(bytes), let text = document["secret"]?.string,
      let secret = EnrolmentSecret(text: text)
    else { return nil }
    self.secret = secret
    server = document["server"]?.string
    gate = document["gate"]?.string
    expires = document["expires"]?.string.flatMap(WallTime.init(iso8601:))
  }
}
