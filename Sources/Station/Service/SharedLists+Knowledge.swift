internal import FleetBook
internal import FleetLists
internal import Gateway
internal import TicketSystemKit

extension SharedLists {
  /// What a ticket system tells besides its tickets, as it is spread: by whom lists are given, and to whom.
  func knowledge(_ sharing: StationMemory.Sharing) -> KnowledgeSpreader.Knowledge {
    let knowledge = sharing.knowledge
    return KnowledgeSpreader.Knowledge(
      system: sharing.system, what: knowledge.what, name: key.name(ofKnowledgeOf: sharing.server), gives: gives,
      takes: takes,
      give: { since in
        knowledge.give(since).map { KnowledgeSpreader.Told(at: $0.at, age: $0.age, bytes: $0.bytes) }
      },
      problem: knowledge.problem, wants: knowledge.wants,
      take: { bytes, age, now in
        switch await knowledge.take(bytes, age, now) {
        case nil: nil
        case .laterVersion: .laterVersion
        case .unreadable(let words): .garbage(words)
        }
      })
  }
}
