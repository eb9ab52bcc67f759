/// All that a station spreads over its fleet, one after another: what is small comes first, for a large list takes minutes.
package struct FleetSpreader: Sendable {
  private let lists: ListSpreader
  private let knowledge: KnowledgeSpreader
  private let settings: ListSpreader.Settings

  package init(_ settings: ListSpreader.Settings, lists: ListSpreader, knowledge: KnowledgeSpreader) {
    self.settings = settings
    self.lists = lists
    self.knowledge = knowledge
  }

  /// Spreads until it is cancelled.
  package func run() async {
    while !Task.isCancelled {
      await knowledge.look()
      let isAnswered = await lists.look()
      try? await Task.sleep(for: isAnswered ? settings.pause : settings.retry)
    }
  }
}
