import Gateway
import ScanModel
import Synchronization

/// Lines of the terminal as a reader: what the demo's gate reads.
final class TypedCodes: ReadSource {
  private let reader: ReaderID
  private let time: any TimeSource
  /// In a value of its own: a closure that is kept as a generic value is wrapped once more with each look at it.
  private struct Deliver: Sendable { var take: (@Sendable (ReaderEvent) -> Void)? }
  private let deliver = Mutex(Deliver())
  private let started: AsyncStream<Void>
  private let start: AsyncStream<Void>.Continuation

  init(reader: ReaderID, time: any TimeSource) {
    self.reader = reader
    self.time = time
    (started, start) = AsyncStream.makeStream()
  }

  func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    self.deliver.withLock { $0.take = deliver }
    start.finish()
  }

  func stop() async { deliver.withLock { $0.take = nil } }

  func heartbeat() async {}

  /// Returns once the source was started.
  func ready() async { for await _ in started {} }

  /// Delivers a line. With `answers`, returns when it has its verdict; a repeat is delivered again when hold-off has
  /// passed, so that each line is one scan.
  func type(_ input: LineReader.Input, answers: AsyncStream<GatewayEvent>?, holdOff: Duration) async {
    send(input)
    guard let answers else { return }
    for await event in answers {
      switch event {
      case .scan, .discarded: return
      case .repeat:
        // Counted from the last sighting, which was this one.
        try? await Task.sleep(for: holdOff + .milliseconds(20))
        send(input)
      case .attempt, .clock, .device, .identityChanged, .gate, .dropped, .input, .configuration, .journal,
        .ticketSystem,
        .conflict, .list, .mirror, .setUp, .control, .order, .fleet, .house:
        continue
      }
    }
  }

  private func send(_ input: LineReader.Input) {
    let now = time.now()
    let event: ReaderEvent =
      switch input {
      case .line(let bytes): .read(RawRead(reader: reader, bytes: bytes, readAt: now))
      case .tooLong(let length): .discarded(reader: reader, reason: .tooLong, characters: length, at: now)
      }
    deliver.withLock { $0.take }?(event)
  }
}
