import ScanTesting

/// What a disk may hold after the power was cut somewhere in a log.
package struct CutImage: Sendable {
  /// How many of the log's events had happened.
  package var cut: Int
  /// What had been promised to be durable by then, in the order of the promises.
  package var promised: [UInt64]
  /// The folder's files.
  package var files: [String: [UInt8]]
  /// Which image it is, for the message of a test that fails.
  package var label: String
}

/// Makes the images of a log: what synced is there; what was not has arrived or has not, sector by sector.
package struct CutPlanner: Sendable {
  /// The sizes of sectors that images are torn at: what disks promise, and what most of them and the page cache do.
  package static let sectorSizes = [512, 4096]

  let log: PowerCutLog

  /// Makes a planner.
  package init(_ log: PowerCutLog) { self.log = log }

  /// For each event: the images after it with nothing and with all that was not synced.
  package func prefixes() -> CutImages { CutImages(log, count: nil, seed: 0) }

  /// At most `count` images, spread over all events, each with what `seed` decides.
  ///
  /// Where an event's share holds all the images that there are after it, these are made, each once: with a great `count` and
  /// a small log, every image that there is.
  package func images(count: Int, seed: UInt64) -> CutImages { CutImages(log, count: count, seed: seed) }
}

/// The images of a log, made one after the other.
package struct CutImages: Sequence, IteratorProtocol {
  /// What is still to be made at the present cut.
  private enum Plan {
    case all(next: [Int]?)
    case ends(old: Bool, new: Bool)
    case samples(Int)
  }

  private let events: [PowerCutLog.Event]
  private let seed: UInt64
  private var generator: SeededGenerator
  private var left: Int?
  private var disk = DiskState()
  private var cut: Int
  private var choices: [CutChoices] = []
  private var plan = Plan.samples(0)
  private var isStarted = false

  init(_ log: PowerCutLog, count: Int?, seed: UInt64) {
    events = log.events
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    left = count
    cut = 0
    while cut < events.count, case .present = events[cut] { take() }
  }

  private mutating func take() {
    disk.take(events[cut], at: cut)
    cut += 1
  }

  /// The next image; `nil` when there is no further one.
  package mutating func next() -> CutImage? {
    while left != 0 {
      if let image = nextHere() {
        left = left.map { $0 - 1 }
        return image
      }
      if isStarted, cut == events.count { return nil }
      if isStarted { take() }
      isStarted = true
      planHere()
    }
    return nil
  }

  private mutating func planHere() {
    var share = 0
    if let left {
      // What one event leaves of its share, the later ones have.
      let cutsLeft = events.count - cut + 1
      share = left / cutsLeft
      if Int.random(in: 0..<cutsLeft, using: &generator) < left % cutsLeft { share += 1 }
      guard share > 0 else {
        plan = .samples(0)
        return
      }
    }
    choices = CutPlanner.sectorSizes.map { CutChoices(disk, sectorSize: $0) }
    if left == nil {
      plan = .ends(old: true, new: !choices[0].answers.isEmpty)
    } else if choices[0].count(limit: share) != nil {
      plan = .all(next: choices[0].answers.map { _ in 0 })
    } else {
      plan = .samples(share)
    }
  }

  private mutating func nextHere() -> CutImage? {
    switch plan {
    case .all(let next):
      guard let chosen = next else { return nil }
      plan = .all(next: choices[0].successor(of: chosen))
      return image(choices[0], chosen, "\(chosen)")
    case .ends(let old, let new):
      plan = .ends(old: false, new: old && new)
      if old { return image(choices[0], choices[0].answers.map { _ in 0 }, "nothing") }
      if new { return image(choices[0], choices[0].answers.map { $0 - 1 }, "everything") }
      return nil
    case .samples(let count):
      guard count > 0 else { return nil }
      plan = .samples(count - 1)
      let size = Int.random(in: choices.indices, using: &generator)
      let sample = choices[size].sample(using: &generator)
      return image(
        choices[size], sample, "sample \(count) of \(CutPlanner.sectorSizes[size])-byte sectors, seed \(seed)")
    }
  }

  private func image(_ choices: CutChoices, _ chosen: [Int], _ label: String) -> CutImage {
    CutImage(
      cut: cut, promised: disk.promised, files: choices.files(chosen), label: "cut \(cut) of \(events.count): \(label)")
  }
}

extension CutChoices {
  /// The next list of answers, counting up; `nil` after the last.
  func successor(of chosen: [Int]) -> [Int]? {
    var next = chosen
    for place in next.indices {
      next[place] += 1
      if next[place] < answers[place] { return next }
      next[place] = 0
    }
    return nil
  }

  /// Answers at random. Each file has its own share of new sectors, often none or all: where one file is far ahead of another is
  /// where recovery fails.
  func sample(using generator: inout SeededGenerator) -> [Int] {
    var shares: [Int?: Int] = [:]
    return zip(answers, subjects).map { count, subject in
      let share = shares[subject] ?? [0, 0, 5, 30, 70, 95, 100, 100].randomElement(using: &generator) ?? 0
      shares[subject] = share
      if share == 0 { return 0 }
      if generator.chance(share) { return count - 1 }
      return generator.chance(50) ? 0 : Int.random(in: 0..<count, using: &generator)
    }
  }
}
