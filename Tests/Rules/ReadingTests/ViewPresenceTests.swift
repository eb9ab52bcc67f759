import Expectations
import ScanModel
import Reading
import ScanTesting
import Testing

private let desk = ReaderID("desk")

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

/// A camera of 30 pictures a second and what its presence tells.
private struct Desk {
  var presence: ViewPresence
  var events: [ReaderEvent] = []
  var clock: Int64 = 10_000

  init(_ settings: ViewPresence.Settings = ViewPresence.Settings()) {
    presence = ViewPresence(reader: desk, settings: settings)
  }

  /// Shows codes for some pictures; each is a text, or a text with its place.
  mutating func show(_ symbols: [SeenSymbol], pictures: Int = 1, isStill: Bool = false) {
    for _ in 0..<pictures {
      clock += 33
      events += presence.take(
        ViewReading(symbols: symbols, isStill: isStill), width: 1280, height: 720, at: at(clock))
    }
  }

  mutating func nothing(milliseconds: Int64) { show([], pictures: Int(milliseconds / 33) + 1) }

  var reads: [String] {
    events.compactMap { if case .read(let read) = $0 { String(decoding: read.bytes, as: UTF8.self) } else { nil } }
  }
  var lefts: [String] {
    events.compactMap { if case .left(let read) = $0 { String(decoding: read.bytes, as: UTF8.self) } else { nil } }
  }
  var inViews: [RawRead] { events.compactMap { if case .inView(let read) = $0 { read } else { nil } } }
  var discards: [DiscardReason] {
    events.compactMap { if case .discarded(_, let reason, _, _) = $0 { reason } else { nil } }
  }
}

private func symbol(_ text: String, _ kind: Symbology = .qr, x: Float = 640, y: Float = 360) -> SeenSymbol {
  SeenSymbol(
    symbology: kind, identifier: kind.plainIdentifier, bytes: [UInt8](text.utf8), text: text,
    points: [ViewPoint(x: x - 20, y: y), ViewPoint(x: x + 20, y: y)])
}

@Suite("Presence in a camera's view")
struct ViewPresenceTests {
  @Test("Held in view for a minute it is read once, refreshed, and left")
  func once() {
    var view = Desk()
    view.show([symbol("A")], pictures: 1800)
    expectEqual(view.reads, ["A"])
    // Each 200 ms or a picture later.
    expect((200...300).contains(view.inViews.count))
    let last = view.clock
    view.nothing(milliseconds: 1000)
    expectEqual(view.reads, ["A"])
    expectEqual(view.lefts, ["A"])
    guard case .left(let read)? = view.events.last(where: { if case .left = $0 { true } else { false } }) else {
      return
    }
    expectEqual(read.readAt, at(last))
    expectEqual(read.symbology, AIMIdentifier(letter: UInt8(ascii: "Q"), modifier: UInt8(ascii: "1")))
    expectEqual(view.presence.count, 0)
    view.show([symbol("A")])
    expectEqual(view.reads, ["A", "A"])
  }

  @Test("Missed in many pictures it is still in view")
  func misses() {
    var view = Desk()
    for _ in 0..<40 {
      view.show([symbol("A")])
      view.show([], pictures: 25)
    }
    expectEqual(view.reads, ["A"])
    expect(view.lefts.isEmpty)
  }

  @Test("A pause of the camera or its decoder is no absence")
  func pauses() {
    var view = Desk()
    view.show([symbol("A")], pictures: 10)
    view.clock += 60_000
    view.show([symbol("A")])
    view.clock += 60_000
    view.show([])
    view.show([symbol("A")])
    expectEqual(view.reads, ["A"])
    expect(view.lefts.isEmpty)
  }

  @Test("Somebody else's code is read at once")
  func swap() {
    var view = Desk()
    view.show([symbol("A")], pictures: 30)
    view.show([symbol("B")], pictures: 30)
    expectEqual(view.reads, ["A", "B"])
    view.show([symbol("A")], pictures: 30)
    // A has been away for 30 pictures, which is not yet the time.
    expectEqual(view.reads, ["A", "B"])
  }

  @Test("A screen that flashes codes is read as slowly as people are, and who stays is read")
  func flashing() {
    var view = Desk()
    for number in 0..<300 { view.show([symbol("invented \(number)")]) }
    expect((15...23).contains(view.reads.count), "10 seconds")
    view = Desk()
    for number in 0..<10 { view.show([symbol("ticket \(number)")], pictures: 17) }
    expectEqual(view.reads, (0..<10).map { "ticket \($0)" })
  }

  @Test("A still picture keeps its code in view, and counts as a look only after a while")
  func still() {
    var view = Desk()
    view.show([symbol("A")])
    view.show([symbol("A")], pictures: 300, isStill: true)
    expectEqual(view.reads, ["A"])
    expect(view.lefts.isEmpty)
    view = Desk()
    view.show([symbol("1234", .itf)])
    view.show([symbol("1234", .itf)], pictures: 10, isStill: true)
    expect(view.reads.isEmpty)
    view.show([symbol("1234", .itf)], pictures: 10, isStill: true)
    expectEqual(view.reads, ["1234"])
  }

  @Test("Kinds that misread want looks that agree", arguments: Symbology.allCases)
  func agreement(_ kind: Symbology) {
    var view = Desk()
    view.show([symbol("1", kind)])
    expectEqual(view.reads, (kind.isWeak ? [] : ["1"]))
    view.show([symbol("2", kind)])
    view.show([symbol("1", kind)])
    expectEqual(view.reads, (kind.isWeak ? ["1"] : ["1", "2"]))
    // A misread that comes now and then is forgotten in between.
    view = Desk()
    guard kind.isWeak else { return }
    for _ in 0..<5 {
      view.show([symbol("9", kind)])
      view.nothing(milliseconds: 1000)
    }
    expect(view.reads.isEmpty)
    expect(view.lefts.isEmpty)
  }

  @Test("Of several the nearest to the centre is read, and what came with it waits until it has left")
  func nearest() {
    var view = Desk()
    let sheet = [symbol("far", x: 100), symbol("near", x: 700), symbol("top", x: 640, y: 20)]
    view.show(sheet, pictures: 30)
    expectEqual(view.reads, ["near"])
    // The hand shakes: another one is the nearest now, or the only one that is read.
    view.show([symbol("far", x: 640), symbol("near", x: 900)], pictures: 20)
    view.show([symbol("far", x: 640)], pictures: 20)
    expectEqual(view.reads, ["near"])
    view.show([symbol("far", x: 640)], pictures: 20)
    expectEqual(view.reads, ["near", "far"])
  }

  @Test("A poster in view does not keep tickets out")
  func poster() {
    var view = Desk()
    let poster = symbol("poster", x: 1200, y: 50)
    view.show([poster], pictures: 100)
    for ticket in ["A", "B", "C"] {
      view.show([poster, symbol(ticket)], pictures: 20)
      view.show([poster], pictures: 40)
    }
    expectEqual(view.reads, ["poster", "A", "B", "C"])
    expectEqual(view.lefts, ["A", "B", "C"])
  }

  @Test("One at a time: several are refused once, and none is read until they are alone for a while")
  func refuse() {
    var view = Desk(ViewPresence.Settings(several: .refuse))
    view.show([symbol("A", x: 600), symbol("B", x: 900)], pictures: 60)
    // One of them missed for a few pictures is no reason to read the other.
    view.show([symbol("A")], pictures: 20)
    view.show([symbol("A", x: 600), symbol("B", x: 900)])
    view.show([symbol("A")], pictures: 20)
    expect(view.reads.isEmpty)
    expectEqual(view.discards, [.several])
    view.show([symbol("A")], pictures: 20)
    expectEqual(view.reads, ["A"])
    view.nothing(milliseconds: 1000)
    view.show([symbol("B")], pictures: 2)
    expectEqual(view.reads, ["A", "B"])
    view.show([symbol("A", x: 600), symbol("B", x: 900)])
    expectEqual(view.discards, [.several, .several])
    // The same code twice is one code, whatever kind it is printed in.
    view = Desk(ViewPresence.Settings(several: .refuse))
    view.show([symbol("A", x: 600), symbol("A", .code128, x: 900)], pictures: 3)
    expectEqual(view.reads, ["A"])
    expect(view.discards.isEmpty)
  }

  @Test("Too long for a gate is told once, and empty never")
  func length() {
    var view = Desk()
    view.show([symbol(String(repeating: "é", count: 4097)), symbol("")], pictures: 30)
    expect(view.reads.isEmpty)
    expectEqual(view.discards, [.tooLong])
    view.nothing(milliseconds: 1000)
    expectEqual(view.events.count, 1)
    view.show([symbol(String(repeating: "é", count: 4096))])
    expectEqual(view.reads.count, 1)
  }

  @Test("Places that make no sense, and pictures full of codes, do no harm")
  func nonsense() {
    var view = Desk()
    var wild = symbol("A")
    wild.points = [ViewPoint(x: .nan, y: .infinity)]
    view.show([wild, symbol("B", x: 100)])
    expectEqual(view.reads, ["B"])
    for round in 0..<20 { view.show((0..<64).map { symbol("\(round)/\($0)", .itf) }) }
    expect(view.presence.count <= 256)
    view.nothing(milliseconds: 1000)
    expectEqual(view.presence.count, 0)
    // A clock that runs backwards.
    view.clock -= 5000
    view.show([symbol("C")], pictures: 3)
    expectEqual(view.reads.filter { $0 == "C" }, ["C"])
  }

  @Test("Whatever is shown, missed and swapped: one read a presentation, none lost, none twice", arguments: 0..<60)
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let kinds: [Symbology] = [.qr, .ean13, .itf, .code39]
    let kindsOf = (0..<4).map { _ in kinds.randomElement(using: &random) ?? .qr }
    let several: ViewPresence.Several = random.chance(50) ? .nearest : .refuse
    let leaves = Duration.milliseconds(Int64.random(in: 300...3000, using: &random))
    var view = Desk(ViewPresence.Settings(leaves: leaves, several: several))
    var expected: [String] = []
    var lastShown: [Int: Int64] = [:]
    for _ in 0..<40 {
      let code = Int.random(in: 0..<4, using: &random)
      let isBack = lastShown[code].map { view.clock - $0 < leaves.milliseconds } ?? false
      if !isBack { expected.append("code \(code)") }
      // Shown with misses that are shorter than what counts as leaving, and with a second sight at least.
      let length = Int.random(in: 3...60, using: &random)
      var missed = Duration.zero
      for picture in 0..<length {
        let isMissed = picture > 2 && random.chance(30) && missed + .milliseconds(66) < leaves
        if isMissed {
          view.show([])
          missed += .milliseconds(33)
        } else {
          view.show([symbol("code \(code)", kindsOf[code], x: Float.random(in: 0..<1280, using: &random))])
          lastShown[code] = view.clock
          missed = .zero
        }
      }
      // Away long enough for all, or an immediate swap to another.
      if random.chance(70) {
        view.nothing(milliseconds: leaves.milliseconds + 33)
        lastShown = [:]
      } else {
        // Until the next comes, its time away must be clearly short or clearly long.
        for (other, time) in lastShown where other != code && view.clock - time + 3000 > leaves.milliseconds {
          view.nothing(milliseconds: leaves.milliseconds + 33)
          lastShown = [:]
          _ = other
          break
        }
      }
    }
    expectEqual(view.reads, expected, "seed \(seed)")
    // Reads and leaves of one code come by turns.
    for code in 0..<4 {
      var isHeld = false
      for event in view.events {
        switch event {
        case .read(let read) where read.bytes == [UInt8]("code \(code)".utf8):
          expect(!isHeld, "seed \(seed)")
          isHeld = true
        case .left(let read) where read.bytes == [UInt8]("code \(code)".utf8):
          expect(isHeld, "seed \(seed)")
          isHeld = false
        case .inView(let read) where read.bytes == [UInt8]("code \(code)".utf8): expect(isHeld, "seed \(seed)")
        default: break
        }
      }
    }
  }
}
