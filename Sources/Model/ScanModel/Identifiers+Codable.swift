// The forms in which identifiers and times outlive the process: one value each, no keys. What is written once is read by
// every later version.

/// What is kept as one value.
package protocol SingleValueCodable: Codable {
  associatedtype Form: Codable
  /// What is kept.
  var form: Form { get }
  /// `nil` where it is no form of this.
  init?(form: Form)
}

extension SingleValueCodable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Self(form: try container.decode(Form.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no \(Self.self)")
    }
    self = value
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(form)
  }
}

extension GateID: SingleValueCodable {
  package var form: String { name }
  package init(form: String) { self.init(form) }
}

extension AttemptID: SingleValueCodable {
  package var form: String { description }
  package init?(form: String) { self.init(hexadecimal: form) }
}

extension TicketKey: SingleValueCodable {
  package var form: [UInt8] { bytes }
  package init(form: [UInt8]) { self.init(form) }
}

extension MonotonicTime: SingleValueCodable {
  package var form: Int64 { nanoseconds }
  package init(form: Int64) { self.init(nanoseconds: form) }
}

extension WallTime: SingleValueCodable {
  package var form: Int64 { nanoseconds }
  package init(form: Int64) { self.init(nanoseconds: form) }
}
