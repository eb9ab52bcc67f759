package import LinuxIO
internal import ReaderKit
package import ScanModel
package import Reading

/// One configured serial scanner.
package struct SerialConfiguration: ReaderConfiguration, Sendable, Equatable {
  /// Which line is the scanner's; at a path stands a tty or pseudo-terminal.
  package typealias Place = DevicePlace

  /// The reader's name.
  package var id: ReaderID
  /// Its line.
  package var place: Place
  /// How the line runs.
  package var settings: SerialSettings
  /// How codes end and what surrounds them.
  package var framing: SerialFraming

  /// Makes a configuration.
  package init(
    id: ReaderID, place: Place, settings: SerialSettings = SerialSettings(), framing: SerialFraming = SerialFraming()
  ) {
    self.id = id
    self.place = place
    self.settings = settings
    self.framing = framing
  }

  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is.
  package static func problems(in configurations: [SerialConfiguration]) -> [DeviceError] {
    let words: PlaceWords = (
      every: "line", same: "line", fields: "vendor and product, serial, port or path",
      distinction: "serial, port or interface", path: "/dev/serial/by-id/…"
    )
    return problems(in: configurations, words) { configuration in
      (configuration.settings.problems + configuration.framing.problems).map {
        configuration.problem($0, "Correct it in the configuration.")
      }
    }
  }
}
