import ReaderKit
package import Reading
package import ScanModel

extension SerialConfiguration: ReaderConfiguration {
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
