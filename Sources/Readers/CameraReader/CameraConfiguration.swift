public import LinuxIO
public import ReaderKit
public import ScanModel
public import ScanPipeline

/// One configured camera.
public struct CameraConfiguration: ReaderConfiguration, Sendable, Equatable {
  /// Which node is the camera.
  public typealias Place = DevicePlace

  /// What of the camera itself is set. What is not given is left as it is found.
  public struct Controls: Sendable, Equatable {
    /// A fixed exposure, in units of 100 µs; `nil` leaves it to the camera.
    public var exposure: Int32?
    /// The focus.
    public var focus: Focus?
    /// The frequency of the mains, 50 or 60 Hz: lamps flicker with it.
    public var powerLine: Int?

    /// The focus.
    public enum Focus: Sendable, Hashable {
      /// The camera focuses by itself.
      case auto
      /// Fixed, in units of the camera.
      case fixed(Int32)
    }

    /// Makes controls.
    public init(exposure: Int32? = nil, focus: Focus? = nil, powerLine: Int? = nil) {
      self.exposure = exposure
      self.focus = focus
      self.powerLine = powerLine
    }
  }

  /// The reader's name.
  public var id: ReaderID
  /// Its node.
  public var place: Place
  /// The kinds of codes that are read.
  public var kinds: SymbologySet
  /// What is wanted of its stream.
  public var wish: StreamChoice.Wish
  /// What is set of the camera.
  public var controls: Controls
  /// How presentations are told apart.
  public var presence: ViewPresence.Settings
  /// Pictures a second that are looked at when nothing has moved for 5 s; `nil` looks at all.
  public var idleRate: Int?

  /// Makes a configuration.
  public init(
    id: ReaderID, place: Place, kinds: SymbologySet = .qr, wish: StreamChoice.Wish = StreamChoice.Wish(),
    controls: Controls = Controls(), presence: ViewPresence.Settings = ViewPresence.Settings(), idleRate: Int? = 10
  ) {
    self.id = id
    self.place = place
    self.kinds = kinds
    self.wish = wish
    self.controls = controls
    self.presence = presence
    self.idleRate = idleRate
  }

  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is.
  public static func problems(in configurations: [CameraConfiguration]) -> [DeviceError] {
    var problems: [DeviceError] = []
    for (index, configuration) in configurations.enumerated() {
      func add(_ what: String, _ remedy: String) {
        problems.append(DeviceError(device: "reader \(configuration.id)", what: what, remedy: remedy))
      }
      switch configuration.place {
      case .match(let match) where match.isEmpty:
        add("its match is empty and would take every camera", "Give vendor and product, serial, port, name or path.")
      case .path(let path) where !path.hasPrefix("/"):
        add("“\(path)” is no absolute path", "Write it from / on, such as /dev/v4l/by-id/….")
      case .match, .path: break
      }
      for other in configurations[..<index] {
        if other.id == configuration.id { add("two readers have this name", "Give each its own name.") }
        if other.place == configuration.place {
          add("it matches the same camera as reader \(other.id)", "Tell them apart by serial or port.")
        }
      }
      if configuration.kinds.isEmpty { add("it reads no kind of code", "Name at least one of kinds, such as qr.") }
    }
    return problems
  }
}
