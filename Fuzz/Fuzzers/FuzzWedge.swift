import ScanModel
import Reading

@testable import WedgeReader

private let lane = ReaderID("lane")

/// Compiled once: it takes tens of milliseconds.
private let keymaps: [Keymap] = [
  KeymapNames(), KeymapNames(layout: "de"), KeymapNames(layout: "fr", composeLocale: "en_US.UTF-8"),
].map {
  do throws(DeviceError) { return try Keymap($0, for: lane) } catch { preconditionFailure("\(error)") }
}

/// What may be in the next read: an account of the characters since the last end, kept without looking into the machine.
private struct Account {
  var text: [UInt8] = []
  var isWhole = false

  mutating func end() { self = Account(isWhole: true) }
}

/// Key events and times → keymap → assembler.
///
/// The input: four bytes of settings, then two bytes an event: a step in time or a mishap, and a key with its direction.
func fuzzWedge(_ input: inout FuzzInput) {
  let keymap = input.choice(keymaps)
  let settings = input.byte()
  var terminators: Set<WedgeFraming.Terminator> = []
  if settings & 1 == 0 { terminators.insert(.enter) }
  if settings & 2 == 0 { terminators.insert(.keypadEnter) }
  if settings & 4 == 0 { terminators.insert(.tab) }
  let needsSilence = settings & 8 != 0 || terminators.isEmpty
  let framing = WedgeFraming(
    terminators: terminators, silence: needsSilence ? .milliseconds(50) : nil,
    prefix: input.choice(["", "", "1", "ab"]), suffix: input.choice(["", "", "2", "ba"]), splitAIM: settings & 16 == 0)
  property(framing.problems.isEmpty, "a framing without problems: \(framing.problems)")
  let translator = KeyTranslator(
    keymap: keymap, page: settings & 32 == 0 ? .cp437 : .cp850, terminators: terminators, capsLock: settings & 64 != 0,
    numLock: settings & 128 == 0)

  var now = MonotonicTime(nanoseconds: 1_000_000_000)
  var machine = WedgeAssembler(reader: lane, framing: framing, attachedAt: now)
  var account = Account()
  var told = now
  var isGone = false

  func check(_ events: [ReaderEvent]) {
    property(!isGone || events.isEmpty, "a device that is gone tells nothing")
    for event in events {
      switch event {
      case .read(let read):
        property(account.isWhole, "what is read was typed after an end, and nothing of it is missing")
        property(told <= read.readAt && read.readAt <= now, "a read is stamped within its time")
        told = read.readAt
        let aim = read.symbology.map { [UInt8]($0.description.utf8) } ?? []
        property(
          account.text == framing.prefix + aim + read.bytes + framing.suffix,
          "a read is what was typed since the last end")
        property(!read.bytes.isEmpty, "a read is not empty")
        property(String(validating: read.bytes, as: UTF8.self) != nil, "a read is UTF-8")
        let characters = String(decoding: read.bytes, as: UTF8.self).unicodeScalars.count
        property(characters <= WedgeFraming.maximumCharacters, "a read has a greatest length")
        if terminators.contains(.enter) {
          property(!read.bytes.contains { $0 == 0x0A || $0 == 0x0D }, "a read has no terminator inside")
        }
        if terminators.contains(.tab) { property(!read.bytes.contains(0x09), "a read has no terminator inside") }
      case .discarded(_, _, let characters, let at):
        property(characters >= 0, "characters are counted")
        property(told <= at && at <= now, "a discard is stamped within its time")
        told = at
      case .inView, .left, .state, .identityChanged: property(false, "an assembler tells nothing else")
      }
      account.end()
    }
  }

  func advance() {
    let wasDiscarding = machine.isDiscarding
    let deadline = machine.deadline
    check(machine.advance(to: now))
    if wasDiscarding && !machine.isDiscarding { account.end() }
    if let deadline, deadline <= now {
      property(machine.deadline.map { $0 > now } ?? true, "a deadline that has passed is not due again")
    }
  }

  func take(_ input: WedgeAssembler.Input) {
    // Telling the time before changes nothing: the machine does it itself. Here it keeps the two ends apart.
    advance()
    if case .text(let text) = input { account.text += text }
    if input == .broken || input == .overflow { account.isWhole = false }
    let wasDiscarding = machine.isDiscarding
    check(machine.take(input, at: now))
    if wasDiscarding && !machine.isDiscarding || input == .terminator && !machine.isDiscarding { account.end() }
  }

  while !input.isEmpty {
    let step = input.byte()
    let key = input.byte()
    // Keys 1 to 127 as a keyboard has them; the high bit is the direction.
    let code = UInt16(key & 0x7F)
    let isDown = key & 0x80 == 0
    switch step {
    case 0...199:
      now = now + .milliseconds(Int64(step))
      take(translator.key(code, isDown: isDown))
    case 200...219:
      // A key, and its release at once: most of what scanners do.
      take(translator.key(code, isDown: true))
      take(translator.key(code, isDown: false))
    case 220...229:
      now = now + .seconds(Int64(key))
      advance()
    case 230...234:
      take(.overflow)
      translator.rebuild(keysDown: isDown ? [] : [code])
    case 235...239: translator.resetLocks()
    case 240...249: take(translator.key(code | 0x100, isDown: isDown))
    case 250...252:
      // A clock that goes back counts as standing still.
      check(machine.take(.activity, at: MonotonicTime(nanoseconds: 0)))
    default:
      advance()
      check(machine.unplug(at: now))
      isGone = true
    }
  }
  now = now + .seconds(10)
  advance()
  property(machine.deadline == nil, "after a long silence nothing is pending")
}
