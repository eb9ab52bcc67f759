import ReaderKit
package import Reading
package import ScanModel

extension CameraConfiguration: ReaderConfiguration {
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
