import Expectations
import ScanModel
import Testing

@testable import CodeVision

@Suite struct FrameReaderTests {
  /// Looks of a scene until it is left alone.
  private static let looks = 10

  private static func clean(_ x: Float) -> BarPicture {
    var picture = BarPicture()
    picture.draw(Bars.ean13("4006381333931"), at: (x, 120), module: 2)
    return picture
  }
  private static let middle = clean(200)

  private func scene(_ x: Float = 200, noise seed: UInt64 = 1) -> BarPicture {
    var picture = x == 200 ? Self.middle : Self.clean(x)
    picture.addNoise(4, seed: seed)
    return picture
  }

  @Test func aStillSceneIsLookedAtAndThenLeftAlone() throws {
    let reader = CodeReader(VisionSettings(kinds: .all))
    for frame in 0..<Self.looks {
      // The camera's noise is another one in each frame.
      let reading = try #require(scene(noise: UInt64(frame)).withImage { reader.read(frame: $0) })
      expect(!reading.isStill)
      expectEqual(reading.symbols.map(\.text), ["4006381333931"])
    }
    for frame in 0..<5 {
      let reading = try #require(scene(noise: UInt64(100 + frame)).withImage { reader.read(frame: $0) })
      expect(reading.isStill)
      expectEqual(reading.symbols.map(\.text), ["4006381333931"])
    }
    // The code leaves: that is a change.
    let empty = try #require(BarPicture().withImage { reader.read(frame: $0) })
    expect(!empty.isStill && empty.symbols.isEmpty)
  }

  @Test func aCodeInThePlaceOfAnotherIsReadInAStillSceneToo() throws {
    // A memory that tells nothing of a change, as of a small code, or one much like the one before.
    let settings = VisionSettings(kinds: SymbologySet([Symbology.ean13]))
    let reader = FrameReader(
      settings, qr: nil, linear: LinearPass(settings.kinds, stages: settings.stages),
      memory: FrameMemory(tolerance: 255, noise: 255))
    func read(_ text: String?, frames: Int) throws -> [[String]] {
      // Each frame's noise is another one than that of the frames beside it.
      var clean = BarPicture()
      if let text { clean.draw(Bars.ean13(text), at: (200, 120), module: 2) }
      let pictures = (UInt64(1)...5).map { seed in
        var picture = clean
        picture.addNoise(4, seed: seed)
        return picture
      }
      return try (0..<frames).map { frame in
        try #require(pictures[frame % pictures.count].withImage { reader.read($0) { 0 } }).symbols.map(\.text)
      }
    }
    for frames in [4, 40] {
      try expectEqual(read("4006381333931", frames: frames).last, ["4006381333931"])
      let second = try read("5901234123457", frames: 40)
      expectEqual(second.last, ["5901234123457"])
      expect(second.allSatisfy { $0.count <= 1 }, "one code is shown at a time")
      try expectEqual(read(nil, frames: 40).last, [])
    }
  }

  @Test func whatMovesIsLookedAtAlways() throws {
    let reader = CodeReader(VisionSettings(kinds: .linear))
    for frame in 0..<20 {
      let reading = try #require(scene(170 + 3 * Float(frame)).withImage { reader.read(frame: $0) })
      expect(!reading.isStill)
      expectEqual(reading.symbols.map(\.text), ["4006381333931"])
    }
  }

  @Test func aSecondCodeIsSeenWhileTheFirstStays() throws {
    let reader = CodeReader(VisionSettings(kinds: .linear))
    for frame in 0..<4 { _ = scene(170 + Float(frame)).withImage { reader.read(frame: $0) } }
    var seen: Set<String> = []
    for frame in 0..<3 {
      var picture = BarPicture(width: 400, height: 500)
      picture.draw(Bars.ean13("4006381333931"), at: (174 + Float(frame), 120), module: 2)
      picture.draw(Bars.code128("SECOND"), at: (200, 360), module: 2)
      seen.formUnion(try #require(picture.withImage { reader.read(frame: $0) }).symbols.map(\.text))
    }
    expectEqual(seen, ["4006381333931", "SECOND"])
  }

  @Test func anotherSizeIsAnotherScene() throws {
    let memory = FrameMemory()
    let (small, large) = (BarPicture(width: 160, height: 160), BarPicture(width: 320, height: 160))
    expectEqual(small.withImage(memory.hasChanged), true)
    expectEqual(small.withImage(memory.hasChanged), false)
    expectEqual(large.withImage(memory.hasChanged), true)
    expectEqual(small.withImage(memory.hasChanged), true)
  }

  @Test func whatChangesSlowlyIsAChange() {
    let memory = FrameMemory()
    expectEqual(BarPicture(grey: 100).withImage(memory.hasChanged), true)
    var changed = false
    for step in 1...10 { changed = BarPicture(grey: 100 + UInt8(step)).withImage(memory.hasChanged) == true || changed }
    expect(changed)
  }

  @Test func expensiveLooksAreForWhatWasSeenAndNotRead() {
    var schedule = FrameSchedule(budget: 8_000_000)
    for _ in 0..<50 {
      guard case .look(_, let variant) = schedule.next(hasChanged: true) else {
        Issue.record("A scene that moves is looked at.")
        return
      }
      expectEqual(variant?.isExpensive, false)
      schedule.looked(took: 2_000_000, sawUnread: false)
    }
    var plans: [Bool] = []
    for _ in 0..<60 {
      if case .look(_, let variant) = schedule.next(hasChanged: true) { plans.append(variant?.isExpensive == true) }
      schedule.looked(took: 2_000_000, sawUnread: true)
    }
    expect(plans.contains(true))
    expect(plans.count { $0 } <= plans.count / 3)
  }

  @Test func theBudgetHoldsInTheMean() {
    // Whatever a variant takes: what is always done takes 2 ms here, each variant 40.
    var schedule = FrameSchedule(budget: 8_000_000)
    var total: UInt64 = 0
    for _ in 0..<1_000 {
      guard case .look(_, let variant) = schedule.next(hasChanged: true) else { continue }
      let took: UInt64 = variant == nil ? 2_000_000 : 42_000_000
      total += took
      schedule.looked(took: took, sawUnread: true)
    }
    expect(total / 1_000 <= 8_200_000)
    expect(total / 1_000 >= 6_000_000)
    schedule.looked(took: .max, sawUnread: true)
  }

  @Test func everyVariantIsTriedInAStillScene() {
    var schedule = FrameSchedule()
    var tried: Set<FrameVariant> = []
    var skipped = 0
    for frame in 0..<40 {
      switch schedule.next(hasChanged: frame == 0) {
      case .skip: skipped += 1
      case .look(_, let variant):
        if let variant { tried.insert(variant) }
        schedule.looked(took: 1_000_000, sawUnread: true)
      }
    }
    expectEqual(tried, Set(FrameVariant.allCases))
    expectEqual(skipped, 40 - Self.looks)
  }

  @Test func theClockIsTheCallers() throws {
    let reader = CodeReader(VisionSettings(kinds: .linear))
    var time: UInt64 = 0
    let reading = try #require(
      scene().withImage { image in
        reader.read(frame: image) {
          time += 500
          return time
        }
      })
    expectEqual(reading.decodeTime, 500)
  }
}
