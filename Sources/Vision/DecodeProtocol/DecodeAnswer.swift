package import ScanModel

/// What a worker says. Nothing of it is believed before it was checked: the worker has seen pictures of strangers.
package enum DecodeAnswer: Sendable, Equatable {
  /// The fence is closed and was tried; said once, before anything else.
  case fenced(version: UInt16)
  /// What was read.
  case result(number: UInt64, DecodeResult)
  /// A frame that somebody wants to see is in the second shared memory, after its result: one byte a pixel, row by row, 0 is black.
  case shown(number: UInt64, ShownSize)
  /// The picture cannot be read.
  case spoilt(number: UInt64, PictureFault)
}

/// What was read in one picture.
package struct DecodeResult: Sendable, Equatable {
  /// The codes, and what the picture is like.
  package var reading: ViewReading
  /// The picture's size in pixels.
  package var width: UInt32
  /// The picture's size in pixels.
  package var height: UInt32
  /// Symbols that did not fit into the packet.
  package var omitted: UInt16
  /// It was a frame of a video.
  package var isVideo: Bool
  /// A frame of the video comes after this one.
  package var hasMore: Bool
  /// How many bytes of the second shared memory are what was asked for; 0 where nothing was, or where none could be made.
  package var explanationBytes: UInt32

  package init(
    reading: ViewReading, width: UInt32 = 0, height: UInt32 = 0, omitted: UInt16 = 0, isVideo: Bool = false,
    hasMore: Bool = false,
    explanationBytes: UInt32 = 0
  ) {
    self.reading = reading
    self.width = width
    self.height = height
    self.omitted = omitted
    self.isVideo = isVideo
    self.hasMore = hasMore
    self.explanationBytes = explanationBytes
  }
}

/// Why a picture cannot be read: the picture's fault, not the worker's.
package struct PictureFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// Sorts of faults.
  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// It ends too early, or contradicts itself.
    case damaged = 1
    /// It is of a format, or a sort of it, that is not read.
    case unsupported = 2
    /// It is larger than is allowed.
    case tooLarge = 3
    /// It has no pixels.
    case empty = 4
  }

  /// The sort.
  package var kind: Kind
  /// What is wrong, for people; never what the picture shows.
  package var words: String

  package init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  package var description: String { words }
}
