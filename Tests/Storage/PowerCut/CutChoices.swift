/// Everything that is open at one cut, as a list of questions with so many answers each: an image is a list of answers.
///
/// A sector holds what it surely held, or that and the first of the writes that came after, however many, whatever the
/// sectors beside it hold; the same goes for the length of a file and for each name of the folder. Every order in which a
/// disk may write sectors, stopped anywhere, ends in one of these.
struct CutChoices {
  private enum Question {
    /// Which file the name stands for.
    case name(String, [Int?])
    /// How long the file is, by the places of the changes that set it; `nil` for the durable length. A file is cut
    /// with its length, or not at all.
    case length(file: Int, [Int?])
    /// How many of these writes the sector has seen, in their order.
    case sector(file: Int, bytes: Range<Int>, [Int])
  }

  private let disk: DiskState
  private var questions: [Question] = []

  /// How many answers each question has: at least two.
  private(set) var answers: [Int] = []
  /// For each question the file that it is about; `nil` for a name.
  private(set) var subjects: [Int?] = []

  /// Makes the choices for sectors of that many bytes.
  init(_ disk: DiskState, sectorSize: Int) {
    self.disk = disk
    var reachable: Set<Int> = []
    for (name, entry) in disk.entries.sorted(by: { $0.key < $1.key }) {
      let options = [entry.durable] + entry.pending.map(\.file)
      reachable.formUnion(options.compactMap { $0 })
      if options.count > 1 { ask(.name(name, options), options.count, about: nil) }
    }
    for file in reachable.sorted() { askAbout(file, sectorSize) }
  }

  private mutating func ask(_ question: Question, _ count: Int, about file: Int?) {
    questions.append(question)
    answers.append(count)
    subjects.append(file)
  }

  private mutating func askAbout(_ number: Int, _ sectorSize: Int) {
    guard let file = disk.files[number], !file.pending.isEmpty else { return }
    var length = file.durable.count
    var lengths: [Int?] = [nil]
    var sectors: [Int: [Int]] = [:]
    for (place, (_, change)) in file.pending.enumerated() {
      for sector in change.sectors(of: sectorSize) { sectors[sector, default: []].append(place) }
      let next = change.length(after: length)
      if next != length { lengths.append(place) }
      length = next
    }
    if lengths.count > 1 { ask(.length(file: number, lengths), lengths.count, about: number) }
    for (sector, writes) in sectors.sorted(by: { $0.key < $1.key }) {
      let bytes = sector * sectorSize..<(sector + 1) * sectorSize
      ask(.sector(file: number, bytes: bytes, writes), writes.count + 1, about: number)
    }
  }

  /// How many images there are; `nil` when more than `limit`.
  func count(limit: Int) -> Int? {
    var product = 1
    for count in answers {
      product *= count
      if product > limit { return nil }
    }
    return product <= limit ? product : nil
  }

  /// The files for one answer to each question; 0 is the oldest state.
  func files(_ chosen: [Int]) -> [String: [UInt8]] {
    var names = disk.entries.mapValues(\.durable)
    var lengths: [Int: Int] = [:]
    var sectors: [Int: [(bytes: Range<Int>, writes: ArraySlice<Int>)]] = [:]
    for (question, answer) in zip(questions, chosen) {
      switch question {
      case .name(let name, let options): names[name] = .some(options[answer])
      case .length(let file, let options): lengths[file] = options[answer]
      case .sector(let file, let bytes, let writes) where answer > 0:
        sectors[file, default: []].append((bytes, writes.prefix(answer)))
      case .sector: break
      }
    }
    var images: [String: [UInt8]] = [:]
    for (name, number) in names {
      guard let number, let file = disk.files[number] else { continue }
      images[name] = file.bytes(lengthSetBy: lengths[number], sectors: sectors[number] ?? [])
    }
    return images
  }
}

extension DiskState.File {
  /// What the file holds when its length has come as far as the change at that place, and the sectors as far as those writes.
  fileprivate func bytes(lengthSetBy last: Int?, sectors: [(bytes: Range<Int>, writes: ArraySlice<Int>)]) -> [UInt8] {
    let seen = last.map { 0...$0 }.map(Array.init) ?? []
    let length = seen.reduce(durable.count) { pending[$1].change.length(after: $0) }
    let cuts = seen.filter { pending[$0].change.isTruncation }
    var bytes = durable
    for cut in cuts { pending[cut].change.apply(to: &bytes, within: 0..<bytes.count) }
    if length != bytes.count { bytes = bytes.resized(to: length) }
    for (window, writes) in sectors where window.lowerBound < length {
      for place in cuts.isEmpty ? Array(writes) : (writes + cuts).sorted() {
        pending[place].change.apply(to: &bytes, within: window)
      }
    }
    return bytes
  }
}
