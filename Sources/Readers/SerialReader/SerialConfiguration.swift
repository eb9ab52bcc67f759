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
    var problems: [DeviceError] = []
    for (index, configuration) in configurations.enumerated() {
      func add(_ what: String, _ remedy: String) {
        problems.append(DeviceError(device: "reader \(configuration.id)", what: what, remedy: remedy))
      }
      switch configuration.place {
      case .match(let match) where match.isEmpty:
        add("its match is empty and would take every line", "Give vendor and product, serial, port or path.")
      case .path(let path) where !path.hasPrefix("/"):
        add("“\(path)” is no absolute path", "Write it from / on, such as /dev/serial/by-id/….")
      case .match, .path: break
      }
      for other in configurations[..<index] {
        if other.id == configuration.id { add("two readers have this name", "Give each its own name.") }
        if other.place == configuration.place {
          add("it matches the same line as reader \(other.id)", "Tell them apart by serial, port or interface.")
        }
      }
      for problem in configuration.settings.problems + configuration.framing.problems {
        add(problem, "Correct it in the configuration.")
      }
    }
    return problems
  }
}
