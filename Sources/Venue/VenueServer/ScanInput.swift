import FoundationEssentials
import Hummingbird

/// One value of a request's body, as far as its validation can tell kinds apart.
enum InputValue: Equatable, Sendable {
  case missing
  case string(String)
  case integer(Int64)
  case other

  /// White space is trimmed and an empty string is a missing one, as the real server's middleware has it.
  init(string: String) {
    let trimmed = string.drop(while: \.isWhitespace)
    let end = trimmed.lastIndex { !$0.isWhitespace }
    self = end.map { .string(String(trimmed[...$0])) } ?? .missing
  }
}

/// The fields of a scan request, not yet validated. A body that is no JSON object, or no JSON at all, has no fields:
/// the real server says then that the code is missing, and so do we.
struct ScanInput: Decodable, Sendable {
  var code = InputValue.missing
  var saleTicketID = InputValue.missing
  var seat = InputValue.missing

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Name.self)
    func value(_ name: String) -> InputValue {
      let name = Name(stringValue: name)
      guard fields.contains(name), (try? fields.decodeNil(forKey: name)) == false else { return .missing }
      if let text = try? fields.decode(String.self, forKey: name) { return InputValue(string: text) }
      if let number = try? fields.decode(Int64.self, forKey: name) { return .integer(number) }
      return .other
    }
    for name in Self.names(decoder) where code == .missing { code = value(name) }
    saleTicketID = value("sale_ticket_id")
    seat = value("seat_number")
  }

  private static let namesKey = CodingUserInfoKey(rawValue: "names")

  private static func names(_ decoder: any Decoder) -> [String] {
    namesKey.flatMap { decoder.userInfo[$0] as? [String] } ?? []
  }

  /// Reads a body by its content type: JSON, or a form. Anything else has no fields.
  /// - Parameter names: what the code may be called; the first that is there counts.
  init(body: ByteBuffer, contentType: String?, names: [String]) {
    let type = contentType?.lowercased() ?? ""
    if type.contains("/json") || type.contains("+json") {
      let decoder = JSONDecoder()
      if let key = Self.namesKey { decoder.userInfo[key] = names }
      self = (try? decoder.decode(ScanInput.self, from: Data(body.readableBytesView))) ?? ScanInput()
    } else if type.hasPrefix("application/x-www-form-urlencoded") {
      let text = String(buffer: body)
      let fields = (try? URLEncodedFormDecoder().decode([String: String].self, from: text)) ?? [:]
      code = names.lazy.compactMap { fields[$0] }.first.map { InputValue(string: $0) } ?? .missing
      saleTicketID = fields["sale_ticket_id"].map { InputValue(string: $0) } ?? .missing
      seat = fields["seat_number"].map { InputValue(string: $0) } ?? .missing
    }
  }
}

/// What is wrong with an input: every field with its messages, in order.
struct InvalidFields: Error {
  var errors: [(field: String, message: String)]
}

extension ServerShape? {
  /// The server renamed the field: `code` is the later name, which alone the fork still reads; `ticket_code` the documented one.
  var codeNames: [String] { self == .planify ? ["code"] : ["code", "ticket_code"] }
}

/// A validated scan request.
struct ScanFields: Sendable {
  /// Empty where the request names its sale in the path.
  var code = ""
  var saleTicketID: Int64?
  var seat: String?

  /// Which fields a route cannot do without.
  enum Required { case code, saleTicketID }

  init(_ input: ScanInput, requires required: Required) throws(InvalidFields) {
    var invalid = InvalidFields(errors: [])
    switch (input.code, required) {
    case (.string(let text), _): code = text
    case (.missing, .code): invalid.errors.append(("code", "The code field is required."))
    case (_, .code): invalid.errors.append(("code", "The code field must be a string."))
    case (_, .saleTicketID): break
    }
    switch input.saleTicketID {
    case .integer(let number): saleTicketID = number
    case .string(let text) where Int64(text) != nil: saleTicketID = Int64(text)
    case .missing:
      if required == .saleTicketID {
        invalid.errors.append(("sale_ticket_id", "The sale ticket id field is required."))
      }
    default: invalid.errors.append(("sale_ticket_id", "The sale ticket id field must be an integer."))
    }
    switch input.seat {
    case .missing: break
    case .string(let text) where text.unicodeScalars.count <= 255: seat = text
    case .string:
      invalid.errors.append(("seat_number", "The seat number field must not be greater than 255 characters."))
    default: invalid.errors.append(("seat_number", "The seat number field must be a string."))
    }
    guard invalid.errors.isEmpty else { throw invalid }
  }
}
