package import LinuxIO
internal import ReaderKit
package import ScanModel
package import Reading

/// One configured camera.
package struct CameraConfiguration: ReaderConfiguration, Sendable, Equatable {
  /// Which node is the camera.
  package typealias Place = DevicePlace

  /// What of the camera itself is set. What is not given is left as it is found.
  package struct Controls: Sendable, Equatable {
    /// A fixed exposure, in units of 100 µs; `nil` leaves it to the camera.
    package var exposure: Int32?
    /// The focus.
    package var focus: Focus?
    /// The frequency of the mains, 50 or 60 Hz: lamps flicker with it.
    package var powerLine: Int?

    /// The focus.
    package enum Focus: Sendable, Hashable {
      /// The camera focuses by itself.
      case auto
      /// Fixed, in units of the camera.
      case fixed(Int32)
    }

    /// Makes controls.
    package init(exposure: Int32? = nil, focus: Focus? = nil, powerLine: Int? = nil) {
      self.exposure = exposure
      self.focus = focus
      self.powerLine = powerLine
    }
  }

  /// The reader's name.
  package var id: ReaderID
  /// Its node.
  package var place: Place
  /// The kinds of codes that are read.
  package var kinds: SymbologySet
  /// What is wanted of its stream.
  package var wish: StreamChoice.Wish
  /// What is set of the camera.
  package var controls: Controls
  /// How presentations are told apart.
  package var presence: ViewPresence.Settings
  /// Pictures a second that are looked at when nothing has moved for 5 s; `nil` looks at all.
  package var idleRate: Int?

  /// Makes a configuration.
  package init(
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
  package static func problems(in configurations: [CameraConfiguration]) -> [DeviceError] {
    let words: PlaceWords = (
      every: "camera", same: "camera", fields: "vendor and product, serial, port, name or path",
      distinction: "serial or port", path: "/dev/v4l/by-id/…"
    )
    return problems(in: configurations, words) { configuration in
      guard configuration.kinds.isEmpty else { return [] }
      return [configuration.problem("it reads no kind of code", "Name at least one of kinds, such as qr.")]
    }
  }
}
