internal import WireText
internal import ScanModel
internal import TicketTransport

/// Reads the fields of one JSON object, and remembers which of them it could not use.
struct FieldReader {
  /// The most names that are told.
  static let mostIgnored = 64
  /// The longest of these names, in Unicode scalars.
  static let longestName = 80

  private let object: JSONValue
  private let secrets: [Redaction]
  /// The names of the objects around it, each with a dot behind it.
  private let prefix: String
  private var used: Set<String> = []
  private var refused: [String] = []
  /// Whether a field could be used, here or further inside.
  private(set) var hasRead = false

  init(_ object: JSONValue, hiding secrets: [Redaction], prefix: String = "") {
    self.object = object
    self.secrets = secrets
    self.prefix = prefix
  }

  /// Takes the field called `name`, as what `read` makes of it.
  private mutating func take<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Value? {
    guard let value = object[name], let result = read(value) else { return nil }
    used.insert(name)
    hasRead = true
    return result
  }

  /// A text for people: at most `StaffText.longest` scalars of it, cleaned.
  mutating func text(_ name: String) -> String? {
    let secrets = secrets
    return take(name) { $0.string.flatMap { StaffText.clean($0, hiding: secrets) } }
  }

  /// One of a few words.
  mutating func word<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
    take(name) { $0.string.flatMap(read) }
  }

  /// Whether there is a field of that name that says something.
  func has(_ name: String) -> Bool { object[name].map { $0 != .null } ?? false }

  /// Leaves fields out without telling them.
  mutating func pass(over names: [String]) { used.formUnion(names) }

  mutating func identifier(_ name: String) -> String? {
    let secrets = secrets
    return take(name) { $0.identifier.flatMap { StaffText.clean($0, hiding: secrets) } }
  }

  /// A truth value, or 0 or 1 as some databases have it.
  mutating func bool(_ name: String) -> Bool? {
    take(name) {
      switch $0 {
      case .bool(let value): value
      case .number("0"): false
      case .number("1"): true
      default: nil
      }
    }
  }

  /// A truth value, or the same as a text.
  mutating func flag(_ name: String) -> Bool? {
    bool(name) ?? word(name) { ["true": true, "false": false][$0.lowercased()] }
  }

  /// A finite number.
  mutating func number(_ name: String) -> Double? {
    take(name) {
      guard case .number(let digits) = $0, let value = Double(digits), value.isFinite else { return nil }
      return value
    }
  }

  mutating func whole(_ name: String, in range: ClosedRange<Int>) -> Int? {
    take(name) {
      guard case .number(let digits) = $0, let value = Int(digits), range.contains(value) else { return nil }
      return value
    }
  }

  mutating func time(_ name: String) -> WallTime? { take(name) { $0.string.flatMap(WallTime.init(iso8601:)) } }

  /// `HH:MM`, in minutes since midnight.
  mutating func clock(_ name: String) -> Int? {
    take(name) { value in
      guard let text = value.string, text.utf8.count == 5, text.utf8.allSatisfy({ (0x30...0x3A).contains($0) }),
        let hour = Int(text.prefix(2)), let minute = Int(text.suffix(2)), text.dropFirst(2).hasPrefix(":"),
        (0...23).contains(hour), (0...59).contains(minute)
      else { return nil }
      return hour * 60 + minute
    }
  }

  /// The name of a time zone (IANA): a path below its folder, and no way out of it.
  mutating func zone(_ name: String) -> String? {
    take(name) { value in
      guard let text = value.string, (1...64).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "/"),
        text.utf8.allSatisfy({ byte in
          switch byte {
          case 0x41...0x5A, 0x61...0x7A, 0x30...0x39: true
          default: "/_+-".utf8.contains(byte)
          }
        })
      else { return nil }
      return text
    }
  }

  /// Reads the object called `name`; not called where there is none.
  mutating func inside(_ name: String, _ read: (inout FieldReader) -> Void) {
    guard let value = object[name], case .object = value else { return }
    used.insert(name)
    var reader = FieldReader(value, hiding: secrets, prefix: prefix + name + ".")
    read(&reader)
    hasRead = hasRead || reader.hasRead
    refused += reader.ignored
  }

  /// The names of what was not used, made fit for staff; sorted.
  var ignored: [String] {
    guard case .object(let members) = object else { return [] }
    // Bounded before they are cleaned: a stranger's names can be many and long.
    let unused = members.keys.filter { !used.contains($0) }.sorted().prefix(Self.mostIgnored)
    let names = unused.compactMap { name -> String? in
      let cut = String(name.unicodeScalars.prefix(4 * Self.longestName))
      guard let clean = StaffText.clean(cut, hiding: secrets) else { return nil }
      return prefix + String(clean.unicodeScalars.prefix(Self.longestName))
    }
    return Array(Set(refused + names).sorted().prefix(Self.mostIgnored))
  }
}
