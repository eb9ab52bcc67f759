import ScanModel
package import WireCoding

extension DecodeRequest {
  /// The packet.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .settings(let version, let settings):
      writer.put(1 as UInt8, version, settings.kinds.rawValue, settings.stages, settings.mode.rawValue)
    case .frame(let number, let layout):
      writer.put(2 as UInt8, number, layout.format.rawValue, layout.width, layout.height, layout.stride)
      writer.put(layout.byteCount, layout.isShown)
    case .picture(let number, let layout):
      writer.put(3 as UInt8, number, layout.byteCount, layout.frame, layout.purpose.rawValue)
    }
    return writer.bytes
  }

  /// Reads a packet.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    switch try reader.take(UInt8.self) {
    case 1:
      let version = try reader.take(UInt16.self)
      let kinds = try reader.take(UInt16.self)
      guard SymbologySet(rawValue: kinds).rawValue == kinds else { throw WireError("unknown kinds of codes") }
      let stages = try reader.take(UInt32.self)
      guard let mode = DecodeSettings.Mode(rawValue: try reader.take()) else { throw WireError("an unknown mode") }
      self = .settings(
        version: version, DecodeSettings(kinds: SymbologySet(rawValue: kinds), stages: stages, mode: mode))
    case 2:
      self = .frame(
        number: try reader.take(),
        FrameLayout(
          format: PixelFormat(rawValue: try reader.take()), width: try reader.take(), height: try reader.take(),
          stride: try reader.take(), byteCount: try reader.take(), isShown: try reader.takeFlag()))
    case 3:
      let number = try reader.take(UInt64.self)
      let (byteCount, frame) = (try reader.take(UInt32.self), try reader.take(UInt32.self))
      guard let purpose = PictureLayout.Purpose(rawValue: try reader.take()) else {
        throw WireError("an unknown purpose")
      }
      self = .picture(number: number, PictureLayout(byteCount: byteCount, frame: frame, purpose: purpose))
    case let type: throw WireError("a request of unknown type \(type)")
    }
    try reader.end()
  }
}
