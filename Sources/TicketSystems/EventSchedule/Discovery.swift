internal import TicketSystemKit
internal import TicketTransport
package import WireText

/// What a server tells of itself before anybody signs in (`/.well-known/eventschedule.json`, or `planify.json`). Pure.
///
/// Hints for people: no limit in it is applied, no endpoint of it is called with a key. Whatever it says, it has bounded lengths
/// and cannot steer a terminal.
package struct Discovery: Sendable, Equatable {
  /// A name, and what is said of it.
  package struct Fact: Sendable, Equatable {
    /// At most 64 characters.
    package var name: String
    /// At most 64 characters.
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// An address that a document may name.
  package enum Address: Sendable, Equatable {
    /// It names none.
    case absent
    /// As it stands there, at most 2,048 bytes of printable ASCII.
    case told(String)
    /// Something that is no address.
    case unusable
  }

  /// What the server calls itself.
  package var name: String?
  /// Where its API is.
  package var api = Address.absent
  /// How people sign in to it; never called here.
  package var signIn: String?
  /// The addresses for that; never called here.
  package var signInEndpoints: [Fact] = []
  /// Where its look is described.
  package var branding = Address.absent
  /// What it can do, sorted.
  package var features: [String] = []
  /// Of what it consists, sorted.
  package var versions: [Fact] = []
  /// The oldest version of the phone app that it takes.
  package var oldestApp: String?
  /// What it says of its limits, sorted.
  package var limits: [Fact] = []

  /// The most facts of one sort.
  package static let mostFacts = 64
  /// The longest of its texts in Unicode scalars.
  package static let longestText = 64
  /// The longest address in bytes.
  package static let longestAddress = 2_048

  /// One that says nothing.
  package init() {}

  /// Reads a document; `nil` where it is none: no object, or one that says nothing that is known here.
  package init?(_ document: JSONValue) {
    guard case .object(let members) = document,
      !Self.known.isDisjoint(with: members.keys)
    else { return nil }
    name = ["name", "app_name", "appName"].lazy.compactMap { Self.text(members[$0]) }.first
    api = Self.address(members, "api_base_url", "apiBaseURL")
    branding = Self.address(members, "branding_endpoint", "brandingEndpoint")
    signIn = Self.text(members["auth"]?["type"])
    signInEndpoints = Self.facts(members["auth"]?["endpoints"])
    features = Self.names(members["features"])
    versions = Self.facts(members["versions"])
    oldestApp = Self.text(members["min_app_version"] ?? members["minAppVersion"])
    limits = Self.facts(members["rate_limits"] ?? members["rateLimits"])
  }

  private static let known: Set<String> = [
    "api_base_url", "apiBaseURL", "auth", "branding_endpoint", "brandingEndpoint", "features", "versions",
    "min_app_version", "rate_limits",
  ]

  /// The document again, in its first spelling: it reads the same.
  package var json: String {
    var text = JSONText()
    if let name { text.add("name", name) }
    text.add("api_base_url", api)
    text.add("branding_endpoint", branding)
    var auth = JSONText()
    if let signIn { auth.add("type", signIn) }
    auth.add("endpoints", signInEndpoints)
    text.add("auth", object: auth.text)
    text.add("features", texts: features)
    text.add("versions", versions)
    if let oldestApp { text.add("min_app_version", oldestApp) }
    text.add("rate_limits", limits)
    return text.text
  }

  // MARK: Parts

  /// Text and numbers, fit to be shown.
  static func text(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text)?: shown(text)
    case .number(let text)?: shown(text)
    case .bool(let truth)?: truth ? "yes" : "no"
    default: nil
    }
  }

  private static func shown(_ text: String) -> String? {
    guard let clean = StaffText.clean(text) else { return nil }
    guard clean.unicodeScalars.count > longestText else { return clean }
    // What the cut ends with must not be a blank, or it would read another way when it is read again.
    let cut = String(String.UnicodeScalarView(clean.unicodeScalars.prefix(longestText - 1))) + "…"
    return StaffText.clean(cut)
  }

  static func address(_ members: [String: JSONValue], _ names: String...) -> Address {
    for name in names {
      switch members[name] {
      case nil, .null?, .string("")?: continue
      case .string(let text)?
      where text.utf8.count <= longestAddress && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }:
        return .told(text)
      default: return .unusable
      }
    }
    return .absent
  }

  /// The members of an object, an empty list standing for an empty one.
  private static func facts(_ value: JSONValue?) -> [Fact] {
    guard case .object(let members)? = value else { return [] }
    let facts = members.compactMap { name, value in
      shown(name).flatMap { name in text(value).map { Fact(name: name, value: $0) } }
    }
    return distinct(facts, by: \.name)
  }

  /// The names of a list, or those of an object's members that are true.
  private static func names(_ value: JSONValue?) -> [String] {
    switch value {
    case .array(let elements)?: distinct(elements.compactMap { $0.string.flatMap(shown) }, by: \.self)
    case .object(let members)?:
      distinct(members.filter { $0.value == .bool(true) || $0.value.integer == 1 }.keys.compactMap(shown), by: \.self)
    default: []
    }
  }

  /// Sorted, each name once: two names can look the same when they are clean.
  private static func distinct<Value>(_ values: [Value], by name: (Value) -> String) -> [Value] {
    var seen: Set<String> = []
    return Array(
      values.sorted { [UInt8](name($0).utf8).lexicographicallyPrecedes([UInt8](name($1).utf8)) }
        .filter { seen.insert(name($0)).inserted }.prefix(mostFacts))
  }
}

extension JSONText {
  fileprivate mutating func add(_ key: String, _ facts: [Discovery.Fact]) {
    var object = JSONText()
    for fact in facts { object.add(fact.name, fact.value) }
    add(key, object: object.text)
  }

  /// Adds an address; nothing where there is none.
  mutating func add(_ key: String, _ address: Discovery.Address) {
    switch address {
    case .absent: break
    case .told(let text): add(key, text)
    case .unusable: add(key, false)
    }
  }
}
