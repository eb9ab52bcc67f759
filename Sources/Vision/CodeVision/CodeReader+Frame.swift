package import ScanModel

extension CodeReader {
  /// Reads the next frame of a camera, with a bounded share of work.
  ///
  /// The places of the last symbols are looked at first, in 1.5 times their size; the whole frame at least every third time, and
  /// whenever one of them is gone. Beside the cheap searches one other way of looking is tried by turns. A scene that does not
  /// change gets each of these once. After that its frames are not looked at: their reading is `isStill`, and its symbols are what
  /// was read since the scene is as it is, for these codes are still in view; they were not read again.
  ///
  /// Frames of the same camera, in their order: a reader remembers. Its time is bounded in the mean, by some 8 ms of CPU time.
  package func read(frame: GreyImage) -> ViewReading { read(frame: frame, clock: Self.threadTime) }

  /// The same, with the CPU time of this thread in nanoseconds as `clock` has it.
  func read(frame: GreyImage, clock: () -> UInt64) -> ViewReading { frames.read(frame, clock: clock) }
}
