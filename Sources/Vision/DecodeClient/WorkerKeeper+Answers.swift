import DecodeProtocol
import Glibc
import LinuxIO
import ScanModel
import WireCoding

/// What a worker says, which is believed as far as it can be checked.
extension WorkerKeeper {
  func receive() {
    guard let worker = phase.heard else { return }
    switch worker.socket.receive(limit: DecodeLimits.maximumPacket) {
    case .packet(let bytes):
      do throws(WireError) {
        take(try DecodeAnswer(bytes: bytes), from: worker)
      } catch {
        lied(worker, error.description)
      }
    case .tooLong(let count): lied(worker, "a packet of \(count) bytes")
    // The process's end is told by its handle.
    case .nothing: break
    case .end:
      if let watch = watches.first { loop.unwatch(watch) }
      // Whoever closes the socket and lives on is of no use.
      worker.kill()
    }
  }

  private func lied(_ worker: WorkerProcess, _ words: String) { end(worker, .lied(words), lost: phase.asked) }

  private func take(_ answer: DecodeAnswer, from worker: WorkerProcess) {
    switch (phase, answer) {
    case (.starting, .fenced(DecodeLimits.version)):
      cancelAlarm()
      phase = .ready(worker)
      spentAtRest = worker.processorTime
      isFaultTold = false
      counters.values.fenced += 1
      onReady()
    case (.starting, .fenced(let version)):
      end(
        worker,
        .cannotStart(
          "\(program) speaks version \(version), not \(DecodeLimits.version); install both from one release"),
        lost: nil)
    case (.busy(_, let asked), .result(let number, let result)) where number == asked:
      if let problem = problem(of: result) { return lied(worker, problem) }
      guard let isOver = takes(result) else { return lied(worker, "a frame was read twice") }
      if isOver { answered(worker) }
      counters.values.read += 1
      tell(.result(number, result))
    case (.busy(_, let asked), .shown(let number, let size)) where number == asked:
      // Its size follows from the frame's: what says another one is not asked further.
      guard case .due(let due) = showing, size == due else {
        return lied(worker, "a frame of a size that is not its own")
      }
      answered(worker)
      tell(.shown(number, GreyPicture(width: Int(size.width), height: Int(size.height), pixels: returned(size.pixels))))
    case (.busy(_, let asked), .spoilt(let number, let fault)) where number == asked:
      answered(worker)
      counters.values.spoilt += 1
      tell(.spoilt(number, fault))
    default: lied(worker, "an answer that nobody asked for")
    }
  }

  /// Takes a result; answers whether nothing more comes of its request. `nil` where there was one before.
  private func takes(_ result: DecodeResult) -> Bool? {
    switch showing {
    case .nothing: return true
    case .asked:
      guard let size = ShownSize(ofFrame: Int(result.width), Int(result.height)) else { return true }
      showing = .due(size)
      return false
    case .due: return nil
    }
  }

  private func answered(_ worker: WorkerProcess) {
    cancelAlarm()
    failures = 0
    phase = .ready(worker)
    spentAtRest = worker.processorTime
  }

  /// What a worker cannot have found.
  private func problem(of result: DecodeResult) -> String? {
    for symbol in result.reading.symbols where !settings.kinds.contains(symbol.symbology) {
      return "a code of a kind that it was not asked for: \(symbol.symbology.rawValue)"
    }
    // A command would ask for frame after frame.
    if result.hasMore, framesLeft <= 1 { return "more frames than the file can hold" }
    return Int(result.explanationBytes) > settings.returnedBytes ? "more bytes than there are" : nil
  }

  /// The most bytes on the standard error for one request: libraries complain in lines, not in books.
  private static let mostHeard = 256 << 10

  /// Its standard error: counted, and thrown away.
  func listen() {
    guard let worker = phase.heard else { return }
    let bytes = worker.takeNoise()
    // At the end of the pipe there is nothing to watch any more.
    if bytes.isEmpty, watches.count == 3 { loop.unwatch(watches[2]) }
    if case .starting = phase { words += bytes.prefix(200 - min(200, words.count)) }
    count(bytes.count { $0 == 10 })
    heard += bytes.count
    guard heard > Self.mostHeard else { return }
    // Nobody has to read for ever.
    if case .starting = phase {
      end(worker, .cannotStart("\(program) says more than is listened to"), lost: nil)
    } else {
      lied(worker, "more words than are listened to")
    }
  }

  private func count(_ lines: Int) {
    guard lines > 0 else { return }
    counters.values.noise += lines
    noise += lines
    // Told once a second at most: a library may complain about every frame.
    if noiseAlarm == nil { noiseAlarm = loop.at(time.now() + .seconds(1)) { self.tellNoise() } }
  }

  private func tellNoise() {
    noiseAlarm = nil
    let lines = noise
    noise = 0
    if lines > 0 { tell(.noise(lines)) }
  }
}

extension DecodeRequest {
  /// How many frames a picture file can hold at most, from the one on that is asked for; a camera's frame is one.
  var framesLeft: Int {
    // The shortest one is a line, and has no pixels.
    guard case .picture(_, let layout) = self else { return 1 }
    return min(Int(layout.byteCount) / 6, DecodeLimits.maximumVideoFrames) - Int(layout.frame)
  }
}
