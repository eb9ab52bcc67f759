import WireText

/// What a page's form sent: `application/x-www-form-urlencoded`, read before any handler sees it. Pure.
struct PageForm: Sendable, Equatable {
  /// The most fields of a form.
  static let mostFields = 64

  private let fields: [String: String]

  /// The value of a field; `nil` where it was not sent. What a browser sends twice is no form of ours.
  subscript(name: String) -> String? { fields[name] }

  /// The names that were sent.
  var names: Set<String> { Set(fields.keys) }

  /// - Returns: `nil` where it is no form: what is not UTF-8, a name that is there twice, too many.
  init?(_ body: [UInt8]) {
    var fields: [String: String] = [:]
    for part in body.split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard let name = Self.text(part[..<end]), let value = Self.text(part[end...].dropFirst()),
        fields.updateValue(value, forKey: name) == nil, fields.count <= Self.mostFields
      else { return nil }
    }
    self.fields = fields
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let blanks = bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
    return PercentCoding.decode(blanks).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
