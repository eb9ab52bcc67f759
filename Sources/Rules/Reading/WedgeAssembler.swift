package import ScanModel

/// Assembles what a wedge types into raw reads; a part of a code never becomes one.
///
/// Pure: time is an argument. `advance` is due at `deadline`, after everything that was typed before it was taken.
///
/// ```
///                     attach
///                       │                      overflow, broken, too long
///                       ▼               ┌───────────────────────────────────────┐
///               ┌── discarding ◀────────┘                                       │
///               │       │  ▲ text, key (counted)                                │
///               │       └──┘                                                    │
///   terminator, │                        text                                   │
///   quiet       ├───────────▶ ready ───────────────▶ collecting ────────────────┘
///               │               ▲                      │  │ ▲ text
///               │               │ terminator, silence: │  └─┘
///               │               │ read, or `framing`   │
///               │               ├──────────────────────┘
///               ▼               │ abandoned without terminator: `framing`
///        one `discarded`        └──────────────────────┘
///
///   unplug, anywhere: what was pending is discarded as `unplugged` and the machine is finished.
/// ```
///
/// After attach both a terminator and a silence end discarding. Either is safe: what comes after a terminator begins a
/// code, and what comes after a silence does too. Taking the terminator as well lets a lane that never pauses lose one
/// code and not all of them.
package struct WedgeAssembler: Sendable {
  /// What was typed.
  package enum Input: Sendable, Equatable {
    /// Characters, as UTF-8.
    case text([UInt8])
    /// A key that ends a code.
    case terminator
    /// A key that types nothing (a modifier, a release): no silence.
    case activity
    /// A character is missing here and nobody knows which.
    case broken
    /// A character came damaged (a serial line's parity or framing error, a break).
    case damaged
    /// Events were lost (SYN_DROPPED).
    case overflow
  }

  private enum State: Sendable {
    /// `ready` where no character is pending.
    case collecting
    case discarding(DiscardReason, characters: Int)
    case finished
  }

  private let reader: ReaderID
  private let framing: WedgeFraming
  private let limit: Int
  private let countsBytes: Bool
  private var state = State.discarding(.afterAttach, characters: 0)
  private var pending: [UInt8] = []
  private var pendingCharacters = 0
  private var lastActivity: MonotonicTime

  /// Whether the first end of input after attach has passed: from now on whole codes are read.
  package private(set) var isSettled = false

  /// Makes the machine for a device that was grabbed at `attachedAt`.
  package init(reader: ReaderID, framing: WedgeFraming, attachedAt: MonotonicTime) {
    self.init(reader: reader, framing: framing, countsBytes: false, attachedAt: attachedAt)
  }

  /// - Parameter countsBytes: whether each byte counts as a character, where text may not be UTF-8 at all: else bytes that
  ///   only continue characters would be collected without end.
  init(reader: ReaderID, framing: WedgeFraming, countsBytes: Bool, attachedAt: MonotonicTime) {
    self.reader = reader
    self.countsBytes = countsBytes
    self.framing = framing
    limit = WedgeFraming.maximumCharacters + framing.prefix.count + framing.suffix.count + 3
    lastActivity = attachedAt
  }

  /// Whether input is being thrown away now.
  package var isDiscarding: Bool { if case .discarding = state { true } else { false } }

  /// When silence will have lasted long enough to end something; `nil` where nothing is pending.
  package var deadline: MonotonicTime? {
    switch state {
    case .finished: nil
    case .discarding: lastActivity + framing.quiet
    case .collecting where pending.isEmpty: nil
    case .collecting: lastActivity + (framing.silence ?? framing.abandonAfter)
    }
  }

  /// Takes what was typed at `time` (a time before the last one counts as the last one).
  /// - Returns: what the reader has to tell, in order.
  package mutating func take(_ input: Input, at time: MonotonicTime) -> [ReaderEvent] {
    let time = max(time, lastActivity)
    var events = advance(to: time)
    events += accept(input, at: time)
    return events
  }

  /// Takes what came no later than `time`, whether or not there was silence before it.
  mutating func accept(_ input: Input, at time: MonotonicTime) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    let time = max(time, lastActivity)
    lastActivity = time
    switch state {
    case .finished: return events
    case .discarding(let reason, let characters):
      switch input {
      case .text(let text):
        state = .discarding(reason, characters: Self.sum(characters, self.characters(text)))
      case .terminator: events += endDiscarding(at: time)
      case .overflow: state = .discarding(.overflow, characters: characters)
      case .activity, .broken, .damaged: break
      }
    case .collecting:
      switch input {
      case .text(let text): collect(text)
      case .terminator: events += endCode(at: time)
      case .broken: discard(.framing)
      case .damaged: discard(.damaged)
      case .overflow: discard(.overflow)
      case .activity: break
      }
    }
    return events
  }

  /// Tells the time. Everything that was typed before it must have been taken already.
  /// - Returns: what the reader has to tell: at most one event.
  package mutating func advance(to time: MonotonicTime) -> [ReaderEvent] {
    guard let deadline, deadline <= time else { return [] }
    switch state {
    case .finished: return []
    case .discarding: return endDiscarding(at: deadline)
    case .collecting:
      if framing.silence != nil { return endCode(at: deadline) }
      discard(.framing)
      return endDiscarding(at: deadline)
    }
  }

  /// The device is gone. The machine is finished.
  package mutating func unplug(at time: MonotonicTime) -> [ReaderEvent] {
    // A silence that had passed before the device went has ended its code.
    var events = advance(to: time)
    events += finish(at: time)
    return events
  }

  /// The device is gone, and whether there was silence before is not known.
  mutating func finish(at time: MonotonicTime) -> [ReaderEvent] {
    let lost: Int
    switch state {
    case .finished: return []
    case .collecting: lost = pendingCharacters
    case .discarding(_, let characters): lost = characters
    }
    state = .finished
    pending = []
    return lost > 0 ? [.discarded(reader: reader, reason: .unplugged, characters: lost, at: time)] : []
  }

  private mutating func collect(_ text: [UInt8]) {
    pendingCharacters += characters(text)
    guard pendingCharacters <= limit else { return discard(.tooLong) }
    pending += text
  }

  /// Drops what is pending and everything up to the next end.
  private mutating func discard(_ reason: DiscardReason) {
    state = .discarding(reason, characters: pendingCharacters)
    clear()
  }

  private mutating func endDiscarding(at time: MonotonicTime) -> [ReaderEvent] {
    guard case .discarding(let reason, let characters) = state else { return [] }
    state = .collecting
    isSettled = true
    // Nothing typed after attach is how it should be; every other cause is worth telling, whatever the number.
    if reason == .afterAttach && characters == 0 { return [] }
    return [.discarded(reader: reader, reason: reason, characters: characters, at: time)]
  }

  private mutating func endCode(at time: MonotonicTime) -> [ReaderEvent] {
    guard !pending.isEmpty else { return [] }
    defer { clear() }
    func refused(_ reason: DiscardReason) -> [ReaderEvent] {
      [.discarded(reader: reader, reason: reason, characters: pendingCharacters, at: time)]
    }
    // Prefix and suffix may not overlap, hence the sum.
    guard pending.count >= framing.prefix.count + framing.suffix.count, pending.starts(with: framing.prefix),
      pending.suffix(framing.suffix.count).elementsEqual(framing.suffix)
    else { return refused(.framing) }
    var data = pending.dropFirst(framing.prefix.count).dropLast(framing.suffix.count)
    var symbology: AIMIdentifier?
    if framing.splitAIM, data.count >= 3, data.first == UInt8(ascii: "]") {
      symbology = AIMIdentifier(letter: data[data.startIndex + 1], modifier: data[data.startIndex + 2])
      if symbology != nil { data = data.dropFirst(3) }
    }
    guard characters(data) <= WedgeFraming.maximumCharacters else { return refused(.tooLong) }
    guard !data.isEmpty else { return refused(.framing) }
    return [.read(RawRead(reader: reader, bytes: [UInt8](data), symbology: symbology, readAt: time))]
  }

  private mutating func clear() {
    pending.removeAll(keepingCapacity: true)
    pendingCharacters = 0
  }

  /// The number of characters in UTF-8: bytes that do not continue another.
  private func characters(_ text: some Collection<UInt8>) -> Int {
    if countsBytes { return text.count }
    return text.reduce(into: 0) { count, byte in if byte & 0xC0 != 0x80 { count += 1 } }
  }

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
}
