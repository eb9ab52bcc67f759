package import ScanModel
package import TicketTransport
internal import WireText

/// A server that a person has connected: where it is, which credential holds its key, and what it told of itself, when. Pure; kept
/// sealed, as JSON, and holds no key.
package struct ConnectedInstance: Sendable, Equatable {
  /// What a server told, and when.
  package struct Told<Value: Sendable & Equatable>: Sendable, Equatable {
    package var value: Value
    /// When it was told.
    package var at: WallTime

    package init(_ value: Value, at: WallTime) {
      self.value = value
      self.at = WallTime(seconds: at.seconds)
    }

    /// Whether it is to be asked for again: after 24 h, and where this machine's clock was set back.
    package func isOld(at now: WallTime) -> Bool { now < at || now - at >= .seconds(86_400) }
  }

  /// Its name here.
  package let name: String
  /// The server, as it was typed.
  package var url: ServerAddress
  /// What its API's paths are below.
  package var api: ServerAddress
  /// The name of the credential that holds its key.
  package var credential: String
  /// Whether that was put in for this server, and goes with it.
  package var ownsCredential: Bool
  /// The file of the authorities that are trusted instead of the system's.
  package var caFile: String?
  /// What it told of itself; nothing where it tells nothing.
  package var discovery: Told<Discovery?>
  /// How it wants to look, where that was asked.
  package var branding: Told<Branding>?

  package init(
    name: String, url: ServerAddress, api: ServerAddress, credential: String, ownsCredential: Bool, caFile: String?,
    discovery: Told<Discovery?>, branding: Told<Branding>? = nil
  ) {
    self.name = name
    self.url = url
    self.api = api
    self.credential = credential
    self.ownsCredential = ownsCredential
    self.caFile = caFile
    self.discovery = discovery
    self.branding = branding
  }

  // MARK: Names

  /// What the names of its records begin with.
  private static let recordPrefix = "eventschedule."

  /// Whether `text` can be a name: `[a-z][a-z0-9-]{0,31}`, from 20 characters on with a - in it; so it can be a system's, a
  /// credential's and a record's, too.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let first = bytes.first, letters.contains(first), bytes.count <= 32 else { return false }
    return bytes.allSatisfy {
      letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    } && (bytes.count < 20 || bytes.contains(UInt8(ascii: "-")))
  }

  /// A name for a server of which nobody has said one: of its host, and of its port where that is no usual one.
  package static func name(for server: ServerAddress) -> String {
    let words = server.hostHeader.lowercased().utf8.map { byte -> Character in
      let character = Character(Unicode.Scalar(byte))
      return character.isLetter || character.isNumber ? character : "-"
    }
    var name = String(words).split(separator: "-").joined(separator: "-")
    if name.first?.isLetter != true { name = "server-" + name }
    if name.utf8.count > 31 { name = String(name.prefix(31)) }
    if !isName(name) { name = String(name.prefix(10)) + "-" + name.dropFirst(10) }
    return name
  }

  /// The name of its record.
  package static func record(of name: String) -> String { recordPrefix + name }

  /// Its name, of that of a record; `nil` where it is none of these.
  package static func name(ofRecord record: String) -> String? {
    guard record.hasPrefix(recordPrefix) else { return nil }
    let name = String(record.dropFirst(recordPrefix.utf8.count))
    return isName(name) ? name : nil
  }

  // MARK: The record

  /// Reads a record; `nil` where it is none of this version.
  package init?(name: String, _ bytes: [UInt8]) {
    guard let document = try? JSONValue(bytes), document["version"]?.integer == 1,
      let url = document["url"]?.string.flatMap({ try? ServerAddress($0) }),
      let api = document["api"]?.string.flatMap({ try? ServerAddress($0) }),
      let credential = document["credential"]?.string, case .bool(let owns)? = document["ownsCredential"],
      let discoveryAt = document["discoveryAt"]?.integer
    else { return nil }
    self.init(
      name: name, url: url, api: api, credential: credential, ownsCredential: owns,
      caFile: document["caFile"]?.string,
      discovery: Told(document["discovery"].flatMap(Discovery.init), at: WallTime(seconds: discoveryAt)))
    if let at = document["brandingAt"]?.integer, let branding = document["branding"].flatMap(Branding.init) {
      self.branding = Told(branding, at: WallTime(seconds: at))
    }
  }

  /// The record.
  package var bytes: [UInt8] {
    var text = JSONText()
    text.add("version", 1 as Int64)
    text.add("url", url.description)
    text.add("api", api.description)
    text.add("credential", credential)
    text.add("ownsCredential", ownsCredential)
    if let caFile { text.add("caFile", caFile) }
    text.add("discoveryAt", discovery.at.seconds)
    text.add("discovery", object: discovery.value?.json)
    if let branding {
      text.add("brandingAt", branding.at.seconds)
      text.add("branding", object: branding.value.json)
    }
    return text.bytes
  }

  /// The lines of the configuration that make it a ticket system.
  package var configuration: [String] {
    var lines = [
      "ticketSystems:", "  \(name):", "    type: \(EventScheduleSection.type)", "    url: \(api)",
      "    apiKey: \(credential)",
    ]
    // A text in JSON is one in YAML.
    if let caFile { lines.append("    caFile: \(JSONText.string(caFile))") }
    return lines
  }
}
