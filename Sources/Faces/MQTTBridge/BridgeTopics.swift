package import StationProtocol

/// Where something is told and taken; `docs/operations.md` is their contract.
package struct BridgeTopics: Sendable, Equatable {
  /// `PREFIX/STATION`.
  package let base: String
  /// What names the station to Home Assistant: letters, digits and underscores, the same as long as prefix and name are.
  package let node: String

  /// - Parameters:
  ///   - prefix: as the configuration has it, without wildcards.
  ///   - station: the station's name.
  package init(prefix: String, station: String) {
    base = "\(prefix)/\(station)"
    node = String("\(prefix)_\(station)".map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
  }

  /// Whether the bridge is connected: `online` or `offline`, retained, the latter by last will.
  package var availability: String { "\(base)/availability" }
  /// Whether the station's service answers the bridge: likewise.
  package var service: String { "\(base)/service" }
  /// How the station is.
  package var station: String { "\(base)/state" }
  /// What ticket systems have still to be told of.
  package var outbox: String { "\(base)/outbox" }
  /// How a gate is.
  package func gate(_ name: String) -> String { "\(base)/gates/\(name)/state" }
  /// Verdicts of a gate, as they come; not retained.
  package func verdict(_ name: String) -> String { "\(base)/gates/\(name)/verdict" }
  /// How a reader is.
  package func reader(_ name: String) -> String { "\(base)/readers/\(name)/state" }
  /// How a ticket system is.
  package func ticketSystem(_ name: String) -> String { "\(base)/ticket-systems/\(name)/state" }
  /// Where an order is taken.
  package func command(_ kind: OrderKind) -> String { "\(base)/commands/\(kind.rawValue)" }
  /// Where all commands are taken.
  package var commands: String { "\(base)/commands/+" }
  /// What became of commands; not retained.
  package var results: String { "\(base)/results" }

  /// The last part of a command's topic; `nil` where it is none.
  package func command(of topic: String) -> String? {
    let start = "\(base)/commands/"
    guard topic.hasPrefix(start) else { return nil }
    return String(topic.dropFirst(start.count))
  }

  /// Whether a name can be a part of a topic: what the configuration takes as a name.
  package static func isPart(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
