internal import FleetBook
internal import LinuxIO
internal import ScanModel

/// What stations say of themselves, and what follows of it: how many are in the house, and who names tickets otherwise than the others.
///
/// ```
/// a ticket's admission or exit is told ─▶ counted, with the row that says so ─▶ this station's word ─▶ the book
///                                                  how many are in the house ◀── all stations' words ◀─┘
/// ```
/// A claim's value has no room for what it was before, and what was overwritten before it was read is gone: so nobody counts the book. Each
/// station counts what it has told itself, and memory goes by stations, not by tickets.
extension ClaimKeeper {
  /// What is known of words.
  struct Saying {
    /// Whom this station has told of.
    var count = StationWord.Count()
    /// Whether the journal knew; else the station's own last word does.
    var isCountKnown = false
    /// Admissions that are told once more, and were counted.
    var counted: Set<ScanID> = []
    /// The other stations' words.
    var words: [StationID: KnownWord] = [:]
    /// Who writes claims and has no word.
    var wordless: Set<StationID> = []
    /// Whether the words that there were at the beginning were read.
    var hasRead = false
    /// Whether all that was written since was seen.
    var isCaughtUp = false
    /// Of this station's own word.
    var revision = ClaimRevision.none
    var written: StationWord?
    var nextWord: MonotonicTime?
    var clockAhead: Duration?
    var toldHouse: HouseCount?
    var nextHouse: MonotonicTime?
    var toldDifferences: [WordDifference] = []
    var reading: Task<Void, Never>?
    var writing: Task<Void, Never>?
    var telling: Task<Void, Never>?
  }

  /// How long a word may take to be read or written.
  private static let wordWithin = Duration.seconds(2)
  /// How long one that is refused is left alone.
  private static let refusedFor = Duration.seconds(60)

  /// How many are in the house, as far as this station knows now; `nil` of one that counts nobody.
  package var house: HouseCount? {
    guard settings.word != nil else { return nil }
    let here = saying.count.balance.addingReportingOverflow(Int64(clamping: alone.admitted))
    var venue: Int64?
    if saying.hasRead, saying.isCaughtUp, away == nil {
      var sum = saying.count.balance
      for word in saying.words.values { sum = sum.addingReportingOverflow(word.word.count.balance).partialValue }
      venue = max(0, sum)
    }
    return HouseCount(
      here: here.partialValue, venue: venue, alone: alone.admitted,
      uncounted: saying.wordless.sorted { $0.description < $1.description })
  }

  /// How things stand with the fleet, for whoever looks at the station.
  package var look: FleetLook {
    FleetLook(
      fleet: settings.fleet, fault: away, house: house, clockAhead: saying.clockAhead,
      differences: saying.toldDifferences, owed: owedCount, stuck: stuck)
  }

  // MARK: What is heard

  func take(word stored: StoredClaim) {
    guard settings.word != nil, let known = settings.seal.word(stored) else { return }
    take(known)
  }

  private func take(_ known: KnownWord) {
    guard known.station != settings.station else {
      if known.revision > saying.revision { saying.revision = known.revision }
      return
    }
    if let before = saying.words[known.station], before.revision >= known.revision { return }
    saying.words[known.station] = known
    saying.wordless.remove(known.station)
    tellDifferences()
    houseChanged()
  }

  /// A station has written a claim.
  func heard(_ author: StationID?) {
    guard settings.word != nil, saying.hasRead, let author, author != settings.station, saying.words[author] == nil,
      !saying.wordless.contains(author), settings.seal.names.contains(author)
    else { return }
    saying.wordless.insert(author)
    houseChanged()
  }

  func hasCaughtUp() {
    guard settings.word != nil else { return }
    saying.isCaughtUp = true
    readWords()
    houseChanged()
  }

  func isBehind() {
    saying.isCaughtUp = false
    houseChanged()
  }

  /// Reads the words that there are: a watch begins where the last one ended, behind most of them.
  private func readWords() {
    guard !saying.hasRead, saying.reading == nil, !isEnded else { return }
    saying.reading = Task(executorPreference: loop.tasks) { [weak self] in
      while let self, !Task.isCancelled, await !self.haveReadWords() {
        try? await Task.sleep(for: .seconds(1))
      }
      await self?.readingIsOver()
    }
  }

  private func readingIsOver() { saying.reading = nil }

  /// - Returns: whether all were.
  private func haveReadWords() async -> Bool {
    for station in settings.seal.names {
      do throws(ClaimFault) {
        guard let stored = try await store.read(.word(of: station), until: time.now() + Self.wordWithin) else {
          continue
        }
        if station == settings.station { saying.revision = max(saying.revision, stored.revision) }
        guard let known = settings.seal.word(stored) else { continue }
        if station == settings.station, !saying.isCountKnown {
          // A new journal goes on where the last one had come to; what was told meanwhile is in it already.
          saying.count.add(known.word.count)
          saying.isCountKnown = true
          write(rows.memory(of: saying.count), isUrgent: false)
        }
        take(known)
      } catch {
        // A mark that somebody else has set says nothing.
        if error.isAway { return false }
      }
    }
    saying.isCountKnown = true
    saying.hasRead = true
    tellDifferences()
    houseChanged()
    wordChanged()
    return true
  }

  func take(clock ahead: Duration?) {
    guard saying.clockAhead != ahead, !isEnded else { return }
    saying.clockAhead = ahead
    tell(.clock(ahead: ahead))
    wordChanged()
  }

  // MARK: What is said

  /// Somebody was counted.
  func countChanged() {
    wordChanged()
    houseChanged()
  }

  private var ownWord: StationWord? {
    guard var word = settings.word else { return nil }
    word.count = saying.count
    word.clockAhead = saying.clockAhead
    return word
  }

  func wordChanged() {
    guard saying.hasRead, saying.writing == nil, isStarted, !isEnded, let word = ownWord, word != saying.written else {
      return
    }
    saying.writing = Task(executorPreference: loop.tasks) { [weak self] in await self?.writeWord() }
  }

  private func writeWord() async {
    defer { saying.writing = nil }
    while !Task.isCancelled, !isEnded, let word = ownWord, word != saying.written {
      let now = time.now()
      if let next = saying.nextWord, now < next {
        try? await Task.sleep(for: next - now)
        continue
      }
      saying.nextWord = now + settings.wordPause
      // Once it is back it is said.
      if away != nil { return }
      guard let bytes = settings.seal.seal(word, replacing: saying.revision) else { return }
      let (key, end) = (ClaimKey.word(of: settings.station), now + Self.wordWithin)
      do throws(ClaimFault) {
        let revision =
          saying.revision == .none
          ? try await store.create(key, bytes, until: end)
          : try await store.update(key, bytes, at: saying.revision, until: end)
        saying.revision = max(saying.revision, revision)
        saying.written = word
      } catch {
        switch error {
        case .wrongRevision, .lostAnswer:
          if let stored = try? await store.read(key, until: time.now() + Self.wordWithin) {
            saying.revision = max(saying.revision, stored.revision)
          }
        case .noQuorum: break
        // Nobody passes or is refused for it.
        case .full, .deleted, .otherVersion, .refused: saying.nextWord = time.now() + Self.refusedFor
        }
      }
    }
  }

  /// Tells it, not more often than it may be.
  func houseChanged() {
    guard settings.word != nil, saying.telling == nil, isStarted, !isEnded, house != saying.toldHouse else { return }
    let wait = saying.nextHouse.map { max(.zero, $0 - time.now()) } ?? .zero
    saying.telling = Task(executorPreference: loop.tasks) { [weak self] in
      if wait > .zero { try? await Task.sleep(for: wait) }
      await self?.tellHouse()
    }
  }

  private func tellHouse() {
    saying.telling = nil
    guard !isEnded, let house, house != saying.toldHouse else { return }
    saying.toldHouse = house
    saying.nextHouse = time.now() + settings.housePause
    tell(.house(house))
  }

  private func tellDifferences() {
    guard saying.hasRead, !isEnded, let word = settings.word else { return }
    let own = KnownWord(
      station: settings.station, word: word, revision: saying.revision, time: WallTime(nanoseconds: 0))
    let found = WordDifference.found(in: [own] + saying.words.values)
    guard found != saying.toldDifferences else { return }
    saying.toldDifferences = found
    tell(.differences(found))
  }
}
