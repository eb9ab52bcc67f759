package import ScanModel

/// One configured wedge.
package struct WedgeConfiguration: Sendable, Equatable {
  /// The reader's name.
  package var id: ReaderID
  /// Its devices.
  package var match: DeviceMatch
  /// The keymap that the scanner types in.
  package var keymap: KeymapNames
  /// The OEM page for numbers that are typed with Alt.
  package var oemPage: AltNumpadComposer.Page
  /// How codes end and what surrounds them.
  package var framing: WedgeFraming
  /// Whether Caps Lock is on when reading starts.
  package var startsWithCapsLock: Bool
  /// Whether Num Lock is on when reading starts; without it the keypad types nothing.
  package var startsWithNumLock: Bool

  package init(
    id: ReaderID, match: DeviceMatch, keymap: KeymapNames = KeymapNames(), oemPage: AltNumpadComposer.Page = .cp437,
    framing: WedgeFraming = WedgeFraming(), startsWithCapsLock: Bool = false, startsWithNumLock: Bool = true
  ) {
    self.id = id
    self.match = match
    self.keymap = keymap
    self.oemPage = oemPage
    self.framing = framing
    self.startsWithCapsLock = startsWithCapsLock
    self.startsWithNumLock = startsWithNumLock
  }

  /// Its devices are found by what udev knows.
  package var place: DevicePlace { .match(match) }
}

/// One configured serial scanner.
package struct SerialConfiguration: Sendable, Equatable {
  /// The reader's name.
  package var id: ReaderID
  /// Its line; at a path stands a tty or pseudo-terminal.
  package var place: DevicePlace
  /// How the line runs.
  package var settings: SerialSettings
  /// How codes end and what surrounds them.
  package var framing: SerialFraming

  package init(
    id: ReaderID, place: DevicePlace, settings: SerialSettings = SerialSettings(),
    framing: SerialFraming = SerialFraming()
  ) {
    self.id = id
    self.place = place
    self.settings = settings
    self.framing = framing
  }
}

/// One configured camera.
package struct CameraConfiguration: Sendable, Equatable {
  /// The reader's name.
  package var id: ReaderID
  /// Its node.
  package var place: DevicePlace
  /// The kinds of codes that are read.
  package var kinds: SymbologySet
  /// What is wanted of its stream.
  package var wish: StreamWish
  /// What is set of the camera.
  package var controls: CameraControls
  /// How presentations are told apart.
  package var presence: ViewPresence.Settings
  /// Pictures a second that are looked at when nothing has moved for 5 s; `nil` looks at all.
  package var idleRate: Int?

  package init(
    id: ReaderID, place: DevicePlace, kinds: SymbologySet = .qr, wish: StreamWish = StreamWish(),
    controls: CameraControls = CameraControls(), presence: ViewPresence.Settings = ViewPresence.Settings(),
    idleRate: Int? = 10
  ) {
    self.id = id
    self.place = place
    self.kinds = kinds
    self.wish = wish
    self.controls = controls
    self.presence = presence
    self.idleRate = idleRate
  }
}
