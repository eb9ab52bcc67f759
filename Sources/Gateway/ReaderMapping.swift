public import ScanConfiguration
internal import ScanPipeline
public import WedgeReader

extension StationConfiguration {
  /// The station's wedges, as the wedge reader takes them.
  public var wedges: [WedgeConfiguration] {
    readers.filter { $0.kind == .wedge }.map { reader in
      let match = reader.match
      // A scanner that sends a terminator is only believed with it: a pause in the middle would cut its code in two.
      let endsBySilence = reader.terminators.isEmpty
      return WedgeConfiguration(
        id: reader.id,
        match: WedgeReader.DeviceMatch(
          vendor: match.vendor.flatMap { UInt16($0, radix: 16) },
          product: match.product.flatMap { UInt16($0, radix: 16) },
          serial: match.serial, port: match.port, name: match.name,
          interface: match.interface.flatMap { Int($0, radix: 16) }),
        keymap: KeymapNames(
          layout: reader.keymap.layout, variant: reader.keymap.variant, options: reader.keymap.options,
          composeLocale: reader.compose),
        oemPage: reader.oemPage == 850 ? .cp850 : .cp437,
        framing: WedgeFraming(
          terminators: Set(reader.terminators.compactMap { WedgeFraming.Terminator(rawValue: $0.rawValue) }),
          silence: endsBySilence ? reader.silence : nil, quiet: reader.silence, prefix: reader.prefix,
          suffix: reader.suffix, splitAIM: reader.aim))
    }
  }
}
