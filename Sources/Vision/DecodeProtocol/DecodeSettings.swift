package import ScanModel

/// What a worker looks for, told once when it starts.
package struct DecodeSettings: Sendable, Hashable {
  /// What the pictures are.
  package enum Mode: UInt8, Sendable, Hashable, CaseIterable {
    /// Frames of one camera, one after another: little time for each, and what was seen before counts.
    case frames = 1
    /// Picture files, each on its own, with all that helps.
    case pictures = 2
  }

  /// The kinds of codes to be read.
  package var kinds: SymbologySet
  /// The front end's stages, one bit each (`VisionStages`).
  package var stages: UInt32
  /// What the pictures are.
  package var mode: Mode

  package init(kinds: SymbologySet = .qr, stages: UInt32 = .max, mode: Mode = .frames) {
    self.kinds = kinds
    self.stages = stages
    self.mode = mode
  }

  /// The size of the memory in which a worker puts what it sends back beside a result, in bytes.
  package var returnedBytes: Int {
    mode == .frames ? DecodeLimits.longestShown * DecodeLimits.longestShown : DecodeLimits.maximumExplanation
  }

  /// The size of the memory in which pictures are handed over, in bytes.
  package var sharedBytes: Int { mode == .frames ? DecodeLimits.maximumFrame : DecodeLimits.maximumPicture }
}
