import ScanModel

/// Who is in over all codes that share a folded key: what a ticket system may take for spellings of one code.
///
/// Records are kept by each code's own bytes, for the server's word is on what was sent. What must not pay twice is counted
/// here. It says nothing that a record does not: `take` copies what counts of it.
struct SpellingBook: Sendable {
  /// So many codes are remembered that admitted nobody: any of them says the same.
  private static let mostSpent = 16

  private var memories: [TicketKey: FoldedMemory] = [:]
  /// The folded keys of which something else is known than what was last taken.
  private(set) var changed: Set<TicketKey> = []

  /// The other codes of the ticket's folded key on which somebody is in, or may be.
  func others(than record: TicketRecord) -> [Spelling] {
    record.folded.map { others(than: record.key, folded: $0) } ?? []
  }

  func others(than key: TicketKey, folded: TicketKey) -> [Spelling] {
    memories[folded]?.spellings.filter { $0.key != key } ?? []
  }

  /// Takes what a ticket's record says now.
  mutating func take(_ record: TicketRecord) {
    guard let folded = record.folded else { return }
    var memory = memories[folded] ?? FoldedMemory()
    let index = memory.spellings.firstIndex { $0.key == record.key }
    switch (Spelling(record), index) {
    case (nil, nil): return
    case (nil, .some(let index)): memory.spellings.remove(at: index)
    case (.some(let spelling), .some(let index)):
      guard memory.spellings[index] != spelling else { return }
      memory.spellings[index] = spelling
    case (.some(let spelling), nil):
      guard spelling.hasAdmitted || memory.spellings.count < Self.mostSpent else { return }
      memory.spellings.append(spelling)
    }
    memories[folded] = memory
    changed.insert(folded)
  }

  // MARK: What outlives the process

  func knows(_ folded: TicketKey) -> Bool { memories[folded] != nil }

  /// Takes what was remembered, unless something is known already.
  mutating func restore(_ folded: TicketKey, _ memory: FoldedMemory, isSameBoot: Bool) {
    guard memories[folded] == nil else { return }
    memories[folded] = memory
    guard !isSameBoot else { return }
    for index in memory.spellings.indices {
      memories[folded]?.spellings[index].spaced = memory.spellings[index].spaced?.afterReboot
    }
  }

  /// What is to be remembered; `nil` where nobody is in on any of the codes.
  func memory(of folded: TicketKey) -> FoldedMemory? {
    memories[folded].flatMap { $0.spellings.isEmpty ? nil : $0 }
  }

  mutating func changesTaken() { changed.removeAll() }
  mutating func markAllChanged() { changed.formUnion(memories.keys) }

  /// Lets go of what is stored; it is restored when it is asked for.
  mutating func letGo(except kept: Set<TicketKey>) {
    memories = memories.filter { changed.contains($0.key) || kept.contains($0.key) }
  }
}

/// What is known of the codes of one folded key.
package struct FoldedMemory: Sendable, Codable, Equatable {
  var spellings: [Spelling] = []
}

/// A code on which somebody is in, or may be, as another of its folded key sees it.
struct Spelling: Sendable, Codable, Equatable {
  /// The code's own key.
  let key: TicketKey
  var admitted: Int
  /// Admissions of which the ticket system has still to be told.
  var owed: Int
  /// Its sale, where the ticket system itself has named it.
  var sale: String?
  /// Whether the ticket system has shown an entry on it.
  var hasEntry: Bool
  /// Whether it shows one entry for ever.
  var isEntry: Bool
  var firstUse: AttemptDecision.FirstUse?
  /// As its record has it; not in the memory of earlier versions.
  var spaced: SpacedAdmission?

  /// Whether somebody was admitted on it here; else it was used elsewhere, or cut off by the end of the machine.
  var hasAdmitted: Bool { admitted > 0 || owed > 0 }

  /// `nil` where nobody is in on it, as far as is known.
  init?(_ record: TicketRecord) {
    let mayHaveAdmitted =
      record.isUsedElsewhere || record.interrupted > 0 || record.entries.values.contains(where: \.isDoubtful)
    guard record.admitted > 0 || !record.owed.isEmpty || mayHaveAdmitted || record.spaced != nil else { return nil }
    key = record.key
    admitted = record.admitted
    owed = record.owed.count
    sale = record.toldSale
    hasEntry = !record.entries.isEmpty
    isEntry = hasEntry && record.kind == .entry
    firstUse = record.firstUse
    spaced = record.spaced
  }
}
