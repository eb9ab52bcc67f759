import ReaderKit
package import Reading
package import ScanModel

extension WedgeConfiguration: ReaderConfiguration {
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
