package import CameraReader
internal import LinuxIO
package import ScanConfiguration
internal import ScanModel
internal import Reading
package import SerialReader
package import WedgeReader

extension StationConfiguration {
  /// The station's wedges, as the wedge reader takes them.
  package var wedges: [WedgeConfiguration] {
    readers.compactMap { reader in
      guard case .wedge(let typing) = reader.technology else { return nil }
      return WedgeConfiguration(
        id: reader.id, match: deviceMatch(reader.match),
        keymap: KeymapNames(
          layout: typing.keymap.layout, variant: typing.keymap.variant, options: typing.keymap.options,
          composeLocale: typing.compose),
        oemPage: typing.oemPage == 850 ? .cp850 : .cp437,
        framing: WedgeFraming(
          terminators: Set(typing.terminators.compactMap { WedgeFraming.Terminator(rawValue: $0.rawValue) }),
          silence: endingSilence(reader, hasTerminator: !typing.terminators.isEmpty), quiet: reader.silence,
          prefix: reader.prefix, suffix: reader.suffix, splitAIM: reader.aim))
    }
  }

  /// The station's serial scanners, as the serial reader takes them.
  package var serials: [SerialConfiguration] {
    readers.compactMap { reader in
      guard case .serial(let line) = reader.technology else { return nil }
      return SerialConfiguration(
        id: reader.id, place: reader.match.path.map { .path($0) } ?? .match(deviceMatch(reader.match)),
        settings: SerialSettings(
          speed: line.speed, dataBits: line.framing.dataBits,
          parity: SerialSettings.Parity(rawValue: line.framing.parity) ?? .none, stopBits: line.framing.stopBits,
          flow: SerialSettings.Flow(rawValue: line.flow.rawValue) ?? .none),
        framing: SerialFraming(
          terminators: Set(line.terminators.map(\.byte)),
          silence: endingSilence(reader, hasTerminator: !line.terminators.isEmpty), quiet: reader.silence,
          prefix: reader.prefix, suffix: reader.suffix, splitAIM: reader.aim))
    }
  }
}

extension StationConfiguration {
  /// The station's cameras, as the camera reader takes them.
  package var cameras: [CameraConfiguration] {
    readers.compactMap { reader in
      guard case .camera(let view) = reader.technology else { return nil }
      return CameraConfiguration(
        id: reader.id, place: reader.match.path.map { .path($0) } ?? .match(deviceMatch(reader.match)),
        kinds: SymbologySet(view.kinds),
        wish: StreamChoice.Wish(
          size: view.size.map { VideoSize(width: $0.width, height: $0.height) }, rate: view.rate,
          format: view.format.map(\.pixels)),
        controls: CameraConfiguration.Controls(
          exposure: view.exposure.map { Int32(clamping: $0.saturatedNanoseconds / 100_000) },
          focus: view.focus.map { focus in
            switch focus {
            case .auto: .auto
            case .fixed(let value): .fixed(Int32(clamping: value))
            }
          },
          powerLine: view.powerLine.map { $0 == .hertz60 ? 60 : 50 }),
        presence: ViewPresence.Settings(leaves: view.leaves, several: view.several == .refuse ? .refuse : .nearest),
        idleRate: view.idleRate)
    }
  }
}

extension CameraView.Format {
  fileprivate var pixels: PixelFormat {
    switch self {
    case .grey: .grey
    case .nv12: .nv12
    case .yu12: .yu12
    case .yuyv: .yuyv
    case .mjpg: .mjpg
    }
  }
}

/// A scanner that sends a terminator is only believed with it: a pause in the middle would cut its code in two.
private func endingSilence(_ reader: ReaderConfiguration, hasTerminator: Bool) -> Duration? {
  hasTerminator ? nil : reader.silence
}

private func deviceMatch(_ match: ScanConfiguration.DeviceMatch) -> LinuxIO.DeviceMatch {
  LinuxIO.DeviceMatch(
    vendor: match.vendor.flatMap { UInt16($0, radix: 16) }, product: match.product.flatMap { UInt16($0, radix: 16) },
    serial: match.serial, port: match.port, name: match.name, interface: match.interface.flatMap { Int($0, radix: 16) })
}
