package import ScanModel

/// What a `CodeReader` looks for, and how.
package struct VisionSettings: Sendable {
  /// The kinds of codes to be read.
  package var kinds: SymbologySet
  /// The stages that are used; each can be switched off.
  package var stages: VisionStages

  package init(kinds: SymbologySet = .qr, stages: VisionStages = .all) {
    self.kinds = kinds
    self.stages = stages
  }
}

/// The stages of the front end. The block threshold belongs to all of them.
package struct VisionStages: OptionSet, Sendable {
  package let rawValue: UInt32

  /// The stages of these bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  // QR codes: bits 0 to 15.

  /// Search for finder patterns, sampling and redrawing; without it QR codes are left to zbar.
  package static let finders = VisionStages(rawValue: 1 << 0)
  /// A finder pattern is looked at in sixteen directions.
  package static let rays = VisionStages(rawValue: 1 << 1)
  /// The fourth corner is where the outer edges of two finder patterns meet.
  package static let edges = VisionStages(rawValue: 1 << 2)
  /// Alignment patterns are looked for.
  package static let alignment = VisionStages(rawValue: 1 << 3)
  /// The grid is bent to all alignment patterns of larger codes.
  package static let alignmentGrid = VisionStages(rawValue: 1 << 4)
  /// The grid is shifted until its fixed patterns fit best.
  package static let refinement = VisionStages(rawValue: 1 << 5)
  /// The grid is bent piece by piece to where modules are told apart best.
  package static let bending = VisionStages(rawValue: 1 << 6)
  /// The picture at half, a quarter and an eighth of its size.
  package static let reduced = VisionStages(rawValue: 1 << 7)
  /// The picture at twice its size.
  package static let doubled = VisionStages(rawValue: 1 << 8)
  /// Light codes on dark.
  package static let inverted = VisionStages(rawValue: 1 << 9)
  /// Mirrored codes are turned round before zbar sees them.
  package static let mirrored = VisionStages(rawValue: 1 << 10)
  /// zbar's own search for QR codes, where ours saw something that it could not read.
  package static let fallback = VisionStages(rawValue: 1 << 11)

  // Linear codes and frames over time: bits 16 to 31.

  /// Search for regions of bars, and straightened lines across them: without it no linear code is read.
  package static let bars = VisionStages(rawValue: 1 << 16)
  /// EAN and UPC-A are read by us as well, from all lines together.
  package static let ownRetail = VisionStages(rawValue: 1 << 17)
  /// Bars at half and a quarter of the size.
  package static let smallerBars = VisionStages(rawValue: 1 << 18)
  /// zbar's own lines over the pixels as they are, in pictures where bars were seen that nothing else read.
  package static let rawBars = VisionStages(rawValue: 1 << 19)
  /// Frames of a still scene are not looked at again.
  package static let stillness = VisionStages(rawValue: 1 << 20)
  /// The places of the last symbols are looked at first.
  package static let tracking = VisionStages(rawValue: 1 << 21)

  /// Every stage.
  package static let all = VisionStages(rawValue: .max)
}
