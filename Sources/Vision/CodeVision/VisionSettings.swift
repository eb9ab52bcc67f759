public import ScanModel

/// What a `CodeReader` looks for, and how.
public struct VisionSettings: Sendable {
  /// The kinds of codes to be read.
  public var kinds: SymbologySet
  /// The stages that are used; each can be switched off.
  public var stages: VisionStages

  /// Makes settings.
  public init(kinds: SymbologySet = .qr, stages: VisionStages = .all) {
    self.kinds = kinds
    self.stages = stages
  }
}

/// The stages of the front end. The block threshold belongs to all of them.
public struct VisionStages: OptionSet, Sendable {
  public let rawValue: UInt32

  /// The stages of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  // QR codes: bits 0 to 15.

  /// Search for finder patterns, sampling and redrawing; without it QR codes are left to zbar.
  public static let finders = VisionStages(rawValue: 1 << 0)
  /// A finder pattern is looked at in sixteen directions.
  public static let rays = VisionStages(rawValue: 1 << 1)
  /// The fourth corner is where the outer edges of two finder patterns meet.
  public static let edges = VisionStages(rawValue: 1 << 2)
  /// Alignment patterns are looked for.
  public static let alignment = VisionStages(rawValue: 1 << 3)
  /// The grid is bent to all alignment patterns of larger codes.
  public static let alignmentGrid = VisionStages(rawValue: 1 << 4)
  /// The grid is shifted until its fixed patterns fit best.
  public static let refinement = VisionStages(rawValue: 1 << 5)
  /// The grid is bent piece by piece to where modules are told apart best.
  public static let bending = VisionStages(rawValue: 1 << 6)
  /// The picture at half, a quarter and an eighth of its size.
  public static let reduced = VisionStages(rawValue: 1 << 7)
  /// The picture at twice its size.
  public static let doubled = VisionStages(rawValue: 1 << 8)
  /// Light codes on dark.
  public static let inverted = VisionStages(rawValue: 1 << 9)
  /// Mirrored codes are turned round before zbar sees them.
  public static let mirrored = VisionStages(rawValue: 1 << 10)
  /// zbar's own search for QR codes, where ours saw something that it could not read.
  public static let fallback = VisionStages(rawValue: 1 << 11)

  // Linear codes and frames over time: bits 16 to 31.

  /// Search for regions of bars, and straightened lines across them: without it no linear code is read.
  public static let bars = VisionStages(rawValue: 1 << 16)
  /// EAN and UPC-A are read by us as well, from all lines together.
  public static let ownRetail = VisionStages(rawValue: 1 << 17)
  /// Bars at half and a quarter of the size.
  public static let smallerBars = VisionStages(rawValue: 1 << 18)
  /// zbar's own lines over the pixels as they are, in pictures where bars were seen that nothing else read.
  public static let rawBars = VisionStages(rawValue: 1 << 19)
  /// Frames of a still scene are not looked at again.
  public static let stillness = VisionStages(rawValue: 1 << 20)
  /// The places of the last symbols are looked at first.
  public static let tracking = VisionStages(rawValue: 1 << 21)

  /// Every stage.
  public static let all = VisionStages(rawValue: .max)
}
