package import LinuxIO
internal import ReaderKit
package import ScanModel
package import Reading

/// One configured wedge.
package struct WedgeConfiguration: ReaderConfiguration, Sendable, Equatable {
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

  /// Makes a configuration.
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

  package var place: DevicePlace { .match(match) }

  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is. Compiles the
  /// keymaps, which takes tens of milliseconds each.
  package static func problems(in configurations: [WedgeConfiguration]) -> [DeviceError] {
    problems(in: configurations, compilingKeymaps: true)
  }

  static func problems(in configurations: [WedgeConfiguration], compilingKeymaps: Bool) -> [DeviceError] {
    let words: PlaceWords = (
      every: "keyboard", same: "devices",
      fields: "vendor and product, serial, port or name; “scangate devices” shows them",
      distinction: "serial or port", path: ""
    )
    return problems(in: configurations, words) { configuration in
      var problems = configuration.framing.problems.map {
        configuration.problem($0, "Correct it in the configuration.")
      }
      guard compilingKeymaps else { return problems }
      do throws(DeviceError) {
        _ = try Keymap(configuration.keymap, for: configuration.id)
      } catch {
        problems.append(error)
      }
      return problems
    }
  }
}
