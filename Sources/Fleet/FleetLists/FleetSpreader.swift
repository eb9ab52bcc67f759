/// All that a station spreads over its fleet. A large list takes minutes: what is small does not wait for it.
package struct FleetSpreader: Sendable {
  private let lists: ListSpreader
  private let knowledge: KnowledgeSpreader

  package init(lists: ListSpreader, knowledge: KnowledgeSpreader) {
    self.lists = lists
    self.knowledge = knowledge
  }

  /// Spreads until it is cancelled.
  package func run() async {
    async let small: Void = knowledge.run()
    await lists.run()
    await small
  }
}
