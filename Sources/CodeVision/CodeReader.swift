public import ScanModel

/// Reads codes from grey pixels. Not to be shared between threads: it keeps what it allocated, and what it saw last.
public final class CodeReader {
  /// What it looks for, and how.
  public let settings: VisionSettings

  /// Makes a reader.
  public init(_ settings: VisionSettings) {
    self.settings = settings
  }

  /// Reads a picture that stands alone, with all that helps: the whole cascade.
  public func read(picture: GreyImage) -> ViewReading { ViewReading() }

  /// Reads the next frame of a camera, with a bounded share of work: still scenes are skipped, the last place is looked at first.
  public func read(frame: GreyImage) -> ViewReading { ViewReading() }
}

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

/// The stages of the front end.
public struct VisionStages: OptionSet, Sendable {
  public let rawValue: UInt32

  /// The stages of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Every stage.
  public static let all = VisionStages(rawValue: .max)
}
