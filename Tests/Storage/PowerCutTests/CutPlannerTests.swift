import Expectations
import PowerCut
import ScanTesting
import Testing

/// A file as one letter for each 256 bytes, `-` for zeros: two letters are a sector.
private func bytes(_ letters: String) -> [UInt8] {
  letters.utf8.flatMap { [UInt8](repeating: $0 == UInt8(ascii: "-") ? 0 : $0, count: 256) }
}

private func letters(_ files: [String: [UInt8]]) -> String {
  files.sorted { $0.key < $1.key }.map { name, bytes in
    let starts = stride(from: 0, to: bytes.count, by: 256)
    let text = starts.map { bytes[$0] == 0 ? "-" : String(UnicodeScalar(bytes[$0])) }.joined()
    let isWhole =
      bytes.count % 256 == 0 && starts.allSatisfy { bytes[$0] == bytes[$0 + 99] && bytes[$0] == bytes[$0 + 255] }
    return "\(name):\(isWhole ? text : "torn")"
  }.joined(separator: " ")
}

/// A log in few words.
private func told(_ events: ArraySlice<PowerCutLog.Event>) -> String {
  events.map {
    guard case .wrote(let file, let offset, let bytes) = $0 else { return "\($0)".prefix(60) + "" }
    return "wrote(\(file), at: \(offset / 256), \(letters(["": bytes])))"
  }.joined(separator: ", ")
}

private func wrote(_ file: Int, at place: Int, _ text: String) -> PowerCutLog.Event {
  .wrote(file: file, offset: place * 256, bytes: bytes(text))
}

/// Every image of a log, by the number of events that had happened.
private func all(_ events: [PowerCutLog.Event]) -> [Int: Set<String>] {
  var images: [Int: Set<String>] = [:]
  for image in CutPlanner(PowerCutLog(events)).images(count: 10_000_000, seed: 0) {
    images[image.cut, default: []].insert(letters(image.files))
  }
  return images
}

@Suite struct CutPlannerTests {
  private let old = PowerCutLog.Event.present(file: 1, name: "f", bytes: bytes("oooo"))

  @Test func sectorsArriveOneByOne() {
    expectEqual(all([old, wrote(1, at: 0, "nnnn")])[2], ["f:oooo", "f:nnoo", "f:oonn", "f:nnnn"])
  }

  @Test func aSectorHasSeenTheFirstOfItsWrites() {
    expectEqual(all([old, wrote(1, at: 0, "a"), wrote(1, at: 1, "b")])[3], ["f:oooo", "f:aooo", "f:aboo"])
    expectEqual(
      all([old, wrote(1, at: 1, "aa"), wrote(1, at: 2, "b")])[3],
      ["f:oooo", "f:oaoo", "f:ooao", "f:oobo", "f:oaao", "f:oabo"])
  }

  @Test func aSyncCoversWhatCameBeforeIt() {
    let events = [
      old, wrote(1, at: 0, "aa"), .syncBegan(sync: 1, file: 1), wrote(1, at: 2, "bb"), .syncEnded(sync: 1),
    ]
    let images = all(events)
    expectEqual(images[1], ["f:oooo"])
    expectEqual(images[2], ["f:oooo", "f:aaoo"])
    expectEqual(images[3], images[2])
    expectEqual(images[4], ["f:oooo", "f:aaoo", "f:oobb", "f:aabb"])
    expectEqual(images[5], ["f:aaoo", "f:aabb"])
  }

  @Test func syncsMayOverlap() {
    let events = [
      old, .syncBegan(sync: 1, file: 1), wrote(1, at: 0, "aa"), .syncBegan(sync: 2, file: 1), wrote(1, at: 0, "bb"),
      .syncEnded(sync: 2), .syncEnded(sync: 1),
    ]
    let images = all(events)
    expectEqual(images[5], ["f:oooo", "f:aaoo", "f:bboo"])
    expectEqual(images[6], ["f:aaoo", "f:bboo"])
    expectEqual(images[7], images[6])
  }

  @Test func aFileGrowsByZerosOrNotAtAll() {
    let file = PowerCutLog.Event.present(file: 1, name: "f", bytes: [])
    expectEqual(
      all([file, wrote(1, at: 0, "aa"), wrote(1, at: 2, "bb")])[3],
      ["f:", "f:--", "f:aa", "f:----", "f:aa--", "f:--bb", "f:aabb"])
  }

  @Test func aFileIsCutWithItsLengthOrNotAtAll() {
    expectEqual(all([old, .truncated(file: 1, length: 512)])[2], ["f:oooo", "f:oo"])
    expectEqual(
      all([old, .truncated(file: 1, length: 0), wrote(1, at: 0, "aa")])[3], ["f:oooo", "f:aaoo", "f:", "f:--", "f:aa"])
    let settled: [PowerCutLog.Event] = [
      old, .truncated(file: 1, length: 256), .syncBegan(sync: 1, file: 1), .syncEnded(sync: 1), wrote(1, at: 2, "aa"),
    ]
    expectEqual(all(settled)[5], ["f:o", "f:o---", "f:o-aa"])
  }

  @Test func namesComeAndGoWithTheFolder() {
    let events: [PowerCutLog.Event] = [
      .created(file: 1, name: "f"), wrote(1, at: 0, "aa"), .syncBegan(sync: 1, file: 1), .syncEnded(sync: 1),
      .folderSyncBegan(sync: 2), .syncEnded(sync: 2), .deleted(name: "f"), .created(file: 2, name: "f"),
      .folderSyncBegan(sync: 3), .syncEnded(sync: 3),
    ]
    let images = all(events)
    expectEqual(images[0], [""])
    expectEqual(images[1], ["", "f:"])
    expectEqual(images[4], ["", "f:aa"])
    expectEqual(images[5], ["", "f:aa"])
    expectEqual(images[6], ["f:aa"])
    expectEqual(images[7], ["f:aa", ""])
    expectEqual(images[8], ["f:aa", "", "f:"])
    expectEqual(images[10], ["f:"])
  }

  @Test func promisesAreToldWithTheCut() {
    let images = CutPlanner(PowerCutLog([.promised(4), .promised(9)])).prefixes()
    expectEqual(images.map(\.promised), [[], [4], [4, 9]])
  }

  @Test func prefixesAreNothingAndEverything() {
    let images = CutPlanner(PowerCutLog([old, wrote(1, at: 0, "aaaa")])).prefixes()
    expectEqual(images.map { letters($0.files) }, ["f:oooo", "f:oooo", "f:aaaa"])
  }

  @Test func theSameSeedMakesTheSameImages() {
    let events = [old] + (0..<40).map { wrote(1, at: $0 % 9, "a") }
    let planner = CutPlanner(PowerCutLog(events))
    let images = planner.images(count: 300, seed: 3).map { letters($0.files) }
    expectEqual(images.count, 300)
    expectEqual(images, planner.images(count: 300, seed: 3).map { letters($0.files) })
    expect(images != planner.images(count: 300, seed: 4).map { letters($0.files) })
  }

  /// A disk that is simulated from below: sectors, lengths and names are written back when chance will have it.
  @Test(arguments: 1...60 as ClosedRange<UInt64>) func whatADiskHoldsIsAmongTheImages(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let events = Self.randomLog(using: &generator)
    let images = all(events)
    for _ in 1...20 {
      var disk = WritingDisk()
      for (index, event) in events.enumerated() {
        disk.take(event, using: &generator)
        if index < 1 { continue }
        let held = letters(disk.files)
        expectEqual(images[index + 1]?.contains(held), true, "seed \(seed): \(held) after \(told(events[...index]))")
      }
    }
  }

  private static func randomLog(using generator: inout SeededGenerator) -> [PowerCutLog.Event] {
    var events: [PowerCutLog.Event] = [.present(file: 1, name: "f", bytes: bytes("oooo"))]
    var syncs: [Int] = []
    var names: [String: Int] = ["f": 1]
    var files = 1
    for number in 1...9 {
      let file = Int.random(in: 1...files, using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<4:
        let letter = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number)))
        let text = String(repeating: letter, count: Int.random(in: 1...3, using: &generator))
        events.append(wrote(file, at: Int.random(in: 0...4, using: &generator), text))
      case 4: events.append(.truncated(file: file, length: 256 * Int.random(in: 0...5, using: &generator)))
      case 5...6: events.append(.syncBegan(sync: number, file: file))
      case 7: events.append(.folderSyncBegan(sync: number))
      case 8...9: if let sync = syncs.popLast() { events.append(.syncEnded(sync: sync)) }
      default:
        let name = ["f", "g"].randomElement(using: &generator) ?? "f"
        if names.removeValue(forKey: name) != nil {
          events.append(.deleted(name: name))
        } else {
          files += 1
          names[name] = files
          events.append(.created(file: files, name: name))
        }
      }
      switch events.last {
      case .syncBegan(number, _), .folderSyncBegan(number): syncs.append(number)
      default: break
      }
    }
    return events
  }
}

/// A kernel's cache and a disk below it, of sectors of two letters.
private struct WritingDisk {
  private struct File {
    var cache: [UInt8] = []
    /// Blocks, some maybe behind the end of the file.
    var blocks = [UInt8](repeating: 0, count: 4_096)
    var length = 0
    /// How short the file was since its length was last written back: what lay behind was given back.
    var shortest: Int?

    init(_ bytes: [UInt8] = []) {
      cache = bytes
      writeBack()
    }

    var disk: [UInt8] { Array(blocks.prefix(length)) }

    mutating func writeBackLength() {
      if let shortest {
        blocks = Array(blocks.prefix(shortest)) + [UInt8](repeating: 0, count: 4_096 - shortest)
      }
      shortest = nil
      length = cache.count
    }

    mutating func writeBack(sector: Int) {
      let range = (sector * 512..<sector * 512 + 512).clamped(to: 0..<cache.count)
      if !range.isEmpty { blocks.replaceSubrange(range, with: cache[range]) }
    }

    mutating func writeBack() {
      writeBackLength()
      for sector in 0...cache.count / 512 { writeBack(sector: sector) }
    }
  }

  private var inodes: [Int: File] = [:]
  private var cachedNames: [String: Int] = [:]
  private var diskNames: [String: Int] = [:]

  var files: [String: [UInt8]] { diskNames.compactMapValues { inodes[$0]?.disk } }

  mutating func take(_ event: PowerCutLog.Event, using generator: inout SeededGenerator) {
    switch event {
    case .present(let file, let name, let bytes):
      inodes[file] = File(bytes)
      cachedNames[name] = file
      diskNames[name] = file
      return
    case .created(let file, let name):
      inodes[file] = File()
      cachedNames[name] = file
    case .deleted(let name): cachedNames[name] = nil
    case .wrote(let file, let offset, let bytes):
      var cache = inodes[file]?.cache ?? []
      cache += [UInt8](repeating: 0, count: max(0, offset + bytes.count - cache.count))
      cache.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      inodes[file]?.cache = cache
    case .truncated(let file, let length):
      var inode = inodes[file] ?? File()
      inode.cache = Array(inode.cache.prefix(length))
      inode.cache += [UInt8](repeating: 0, count: length - inode.cache.count)
      inode.shortest = min(length, inode.shortest ?? length)
      inodes[file] = inode
    // A sync may be done with its work as soon as it has begun.
    case .syncBegan(_, let file): inodes[file]?.writeBack()
    case .folderSyncBegan: diskNames = cachedNames
    case .syncEnded, .promised: break
    }
    for number in inodes.keys.sorted() {
      if generator.chance(20) { inodes[number]?.writeBackLength() }
      // A cut that waits is done before anything is written to where the blocks were.
      if inodes[number]?.shortest != nil { continue }
      for sector in 0...3 where generator.chance(20) { inodes[number]?.writeBack(sector: sector) }
    }
    for name in ["f", "g"] where generator.chance(20) { diskNames[name] = cachedNames[name] }
  }
}
