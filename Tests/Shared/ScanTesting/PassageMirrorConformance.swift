package import ScanModel

/// What every log of who came and went must do, whoever keeps it. An adapter's tests run it against a real server.
package struct PassageMirrorConformance: Sendable {
  /// The mirror under test, of which nothing was asked so far.
  package var mirror: any PassageMirror
  /// A passage that the log takes.
  package var passage: MirroredPassage
  /// How many requests have reached the server.
  package var requests: @Sendable () -> Int
  /// Has the server end the next request without an answer.
  package var loseNext: @Sendable () async -> Void

  /// Makes the suite for one mirror.
  package init(
    mirror: any PassageMirror, passage: MirroredPassage, requests: @escaping @Sendable () -> Int,
    loseNext: @escaping @Sendable () async -> Void
  ) {
    self.mirror = mirror
    self.passage = passage
    self.requests = requests
    self.loseNext = loseNext
  }

  /// Runs the suite.
  /// - Returns: what is broken, in words; empty when the mirror conforms.
  package func failures() async -> [String] {
    var failures: [String] = []
    func check(_ holds: Bool, _ rule: String) { if !holds { failures.append(rule) } }

    check(mirror.takes(passage), "a good passage has no place in the log")
    var nameless = passage
    nameless.event = nil
    check(!mirror.takes(nameless), "a passage of no event has a place in the log")
    check(mirror.wait() == nil, "a budget that nobody has touched is spent")
    check(requests() == 0, "to ask whether it takes a passage, or must wait, is a request")

    let told = await mirror.tell(passage)
    check(told == .taken, "a good passage is not taken: \(told)")
    check(requests() == 1, "a passage is told by \(requests()) requests")
    var without = passage
    (without.scan, without.holder, without.at) = (ScanID(), nil, nil)
    let bare = await mirror.tell(without)
    check(bare == .taken, "a passage of nobody, of no time, is not taken: \(bare)")

    let untold = await mirror.tell(nameless)
    if case .refused = untold {} else { check(false, "what has no place in the log is not refused: \(untold)") }
    check(requests() == 2, "what has no place in the log is sent")

    await loseNext()
    let lost = await mirror.tell(passage)
    if case .lost = lost {} else { check(false, "what was sent and not answered is not lost: \(lost)") }
    check(requests() == 3, "what was sent is sent again")
    return failures
  }
}
