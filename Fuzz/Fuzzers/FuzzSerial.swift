import ScanModel
import Reading

private let lane = ReaderID("lane")

/// What may be in the next read: the line decoded a second time, and the data since the last end.
private struct Account {
  enum Mark { case none, begun, damaged }
  enum Meaning { case data, end, damage, nothing }

  let terminators: Set<UInt8>
  var mark = Mark.none
  var data: [UInt8] = []
  var isWhole = false

  mutating func end() {
    data = []
    isWhole = true
  }

  mutating func meaning(of byte: UInt8) -> Meaning {
    let before = mark
    mark = .none
    switch (before, byte) {
    case (.none, 0xFF):
      mark = .begun
      return .nothing
    case (.none, _): return terminators.contains(byte) ? .end : .data
    case (.begun, 0xFF): return .data
    case (.begun, 0x00):
      mark = .damaged
      return .nothing
    case (.begun, _), (.damaged, _): return .damage
    }
  }
}

/// Bytes of a serial line, with the kernel's marks of damage, losses and looks that found nothing.
///
/// The input: three bytes of settings, then for each step a byte that says what happens and how many bytes come with it.
func fuzzSerial(_ input: inout FuzzInput) {
  let settings = input.byte()
  let terminators: Set<UInt8> = [[0x0D, 0x0A], [0x0D], [0x03, 0x09], []][Int(settings & 3)]
  let framing = SerialFraming(
    terminators: terminators, silence: settings & 4 != 0 || terminators.isEmpty ? .milliseconds(50) : nil,
    prefix: input.choice(["", "", "1", "ab"]), suffix: input.choice(["", "", "2", "ba"]), splitAIM: settings & 8 == 0)
  property(framing.problems.isEmpty, "a framing without problems: \(framing.problems)")

  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  // One gets its bytes as they come, the other one by one.
  var whole = SerialAssembler(reader: lane, framing: framing, attachedAt: now)
  var single = whole
  var account = Account(terminators: terminators)
  var told = now
  var isGone = false

  func check(_ events: [ReaderEvent]) {
    property(!isGone || events.isEmpty, "a line that is gone tells nothing")
    for event in events {
      switch event {
      case .read(let read):
        property(account.isWhole, "what is read came after an end, and nothing of it was lost or damaged")
        let aim = read.symbology.map { [UInt8]($0.description.utf8) } ?? []
        property(
          account.data == framing.prefix + aim + read.bytes + framing.suffix, "a read is what came since the last end")
        property((1...SerialFraming.maximumBytes).contains(read.bytes.count), "a read has a greatest length")
        property(terminators.isDisjoint(with: read.bytes), "a read has no terminator inside")
        property(told <= read.readAt && read.readAt <= now, "a read is stamped within its time")
        told = read.readAt
      case .discarded(_, _, let characters, let at):
        property(characters >= 0 && told <= at && at <= now, "a discard is counted and stamped within its time")
        told = at
      case .inView, .left, .state, .identityChanged: property(false, "an assembler tells nothing else")
      }
      account.end()
    }
  }

  func step(_ change: (inout SerialAssembler) -> [ReaderEvent], isEnd: Bool = false) -> [ReaderEvent] {
    let wasDiscarding = single.isDiscarding
    let events = change(&single)
    check(events)
    if isEnd && !single.isDiscarding || wasDiscarding && !single.isDiscarding { account.end() }
    if !wasDiscarding && single.isDiscarding { account.isWhole = false }
    return events
  }

  while !input.isEmpty {
    let kind = input.byte()
    var events: [ReaderEvent] = []
    let others: [ReaderEvent]
    switch kind {
    case 0...199:
      now = now + .milliseconds(Int64(kind % 20) * 4)
      // Reading gives a byte at least.
      let bytes = [input.byte()] + input.bytes(Int(kind / 8))
      for byte in bytes {
        let meaning = account.meaning(of: byte)
        if meaning == .data { account.data.append(byte) }
        if meaning == .damage { account.isWhole = false }
        events += step({ $0.take([byte], at: now) }, isEnd: meaning == .end)
      }
      others = whole.take(bytes, at: now)
    case 200...229:
      now = now + .milliseconds(Int64(kind - 200) * 10)
      if let deadline = single.deadline, deadline <= now, account.mark != .none {
        account.mark = .none
        account.isWhole = false
      }
      events = step { $0.advance(to: now) }
      others = whole.advance(to: now)
    case 230...239:
      let bytes = input.bytes(Int(kind - 230))
      account.isWhole = false
      for byte in bytes { _ = account.meaning(of: byte) }
      events = step { $0.lose(bytes, at: now) }
      others = whole.lose(bytes, at: now)
    case 240...249:
      // Much at once: noise, or the longest code and more.
      let bytes = [UInt8](repeating: input.byte(), count: 400 * Int(kind - 239))
      for byte in bytes {
        let meaning = account.meaning(of: byte)
        if meaning == .data { account.data.append(byte) }
        if meaning == .damage { account.isWhole = false }
        events += step({ $0.take([byte], at: now) }, isEnd: meaning == .end)
      }
      others = whole.take(bytes, at: now)
    default:
      events = step { $0.unplug(at: now) }
      others = whole.unplug(at: now)
      isGone = true
    }
    property(events == others, "however bytes are cut into reads, the same is told")
    property(
      single.deadline == whole.deadline && single.isDiscarding == whole.isDiscarding, "the machines are in one state")
  }
  for _ in 0..<2 {
    now = now + .seconds(10)
    account.mark = .none
    _ = step { $0.advance(to: now) }
  }
  property(single.deadline == nil, "after long silences nothing is pending")
}
