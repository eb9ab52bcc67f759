package import DecodeClient
package import LinuxIO
package import ScanModel

/// One picture of a camera for somebody who wants to see what it sees. It shows people: whoever has it keeps it no longer than it takes
/// to show it.
package struct CameraLook: Sendable {
  /// The picture, made smaller.
  package var picture: GreyPicture
  /// How the camera sends its pictures.
  package var format: VideoFormat
  /// When it was taken.
  package var takenAt: MonotonicTime
  /// What was read in it, in the camera's own pixels. Codes are whole here.
  package var reading: ViewReading
  /// Pictures a second lately; `nil` before that can be told.
  package var rate: Double?
  /// Whether it is, byte by byte, the picture before it: no sensor does that.
  package var isFrozen: Bool

  package init(
    picture: GreyPicture, format: VideoFormat, takenAt: MonotonicTime, reading: ViewReading, rate: Double?,
    isFrozen: Bool
  ) {
    self.picture = picture
    self.format = format
    self.takenAt = takenAt
    self.reading = reading
    self.rate = rate
    self.isFrozen = isFrozen
  }
}

/// Why no picture of a camera can be shown.
package enum CameraLookFault: Error, Sendable, Equatable {
  /// The camera is not read now: it is not there, or cannot be used.
  case notRead
  /// Somebody is being shown one, or was a moment ago.
  case tooSoon
  /// None came that could be used.
  case noPicture
}
