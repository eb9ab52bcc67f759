internal import TicketSystemKit

/// How the station is seen by home automation: `mqtt`. Only the station's own file has it.
package struct MQTTConfiguration: Sendable, Equatable {
  package init() {}
}

enum MQTTSection {
  static let key = "mqtt"

  static let schema = SectionSchema(key, keys: [])

  static func read(_ reader: SectionReader) -> MQTTConfiguration? { MQTTConfiguration() }
}
