public import LinuxIO
public import ReaderKit
public import ScanModel
public import ScanPipeline

/// One configured serial scanner.
public struct SerialConfiguration: ReaderConfiguration, Sendable, Equatable {
  /// Which line is the scanner's; at a path stands a tty or pseudo-terminal.
  public typealias Place = DevicePlace

  /// The reader's name.
  public var id: ReaderID
  /// Its line.
  public var place: Place
  /// How the line runs.
  public var settings: SerialSettings
  /// How codes end and what surrounds them.
  public var framing: SerialFraming

  /// Makes a configuration.
  public init(
    id: ReaderID, place: Place, settings: SerialSettings = SerialSettings(), framing: SerialFraming = SerialFraming()
  ) {
    self.id = id
    self.place = place
    self.settings = settings
    self.framing = framing
  }

  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is.
  public static func problems(in configurations: [SerialConfiguration]) -> [DeviceError] {
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
