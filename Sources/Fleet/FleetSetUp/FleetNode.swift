internal import FleetBook

/// A machine on which one of a fleet's servers runs.
package struct FleetNode: Hashable, Sendable, CustomStringConvertible {
  /// The server's name; its folder has it too.
  package let name: String
  /// Where stations and the other servers reach it: a name that they all know, or an address.
  package let host: String

  /// Takes `gate1`, `gate1.venue.example`, whose name is `gate1`, or `gate1=10.0.0.11`.
  /// - Returns: `nil` of anything else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let host = parts.last, Self.isHost(host),
      let name = first.split(separator: ".", omittingEmptySubsequences: false).first,
      // Of an address alone nobody would know which machine it is.
      let id = StationID(String(parts.count == 2 ? first : name)), !id.description.allSatisfy(\.isNumber),
      !id.description.hasPrefix("-")
    else { return nil }
    self.name = id.description
    self.host = String(host)
  }

  package var description: String { name == host ? name : "\(name)=\(host)" }

  /// What its certificate names: how it is reached, and how it is called.
  package var names: [String] { name == host ? [name] : [name, host] }

  private static func isHost(_ text: some StringProtocol) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    if text.contains(":") {
      return text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == 0x3A }
    }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }
  }
}
