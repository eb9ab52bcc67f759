/// What the broker is to keep, and what it has been told of it. Pure.
///
/// Only the latest of a topic counts: a broker that is slow misses what was in between, and is never behind.
package struct RetainedBoard: Sendable {
  private var wanted: [String: String] = [:]
  private var told: [String: String] = [:]
  /// Topics whose latest was not told, in the order in which that came about.
  private var open: [String] = []
  private var isOpen: Set<String> = []

  /// Begins with nothing.
  package init() {}

  /// What is so from now on: each topic with its text. What was so and is no longer is to be forgotten.
  /// - Parameter scope: of which topics this is all.
  package mutating func want(_ texts: [String: String], of scope: (String) -> Bool = { _ in true }) {
    for topic in wanted.keys.sorted() where scope(topic) && texts[topic] == nil { set(topic, nil) }
    for (topic, text) in texts.sorted(by: { $0.key < $1.key }) { set(topic, text) }
  }

  /// What is so of one topic; `nil` where nothing is to be kept of it.
  package mutating func set(_ topic: String, _ text: String?) {
    wanted[topic] = text
    if wanted[topic] != told[topic], isOpen.insert(topic).inserted { open.append(topic) }
  }

  /// The broker keeps something of a topic that we have not told in this life; it goes, where it is not wanted.
  package mutating func found(_ topic: String) {
    guard wanted[topic] == nil, told[topic] == nil else { return }
    told[topic] = ""
    if isOpen.insert(topic).inserted { open.append(topic) }
  }

  /// The broker may have forgotten everything: all is told anew.
  package mutating func renew() {
    // What is to be forgotten stays so.
    let gone = told.keys.filter { wanted[$0] == nil }
    told = Dictionary(uniqueKeysWithValues: gone.map { ($0, "") })
    open = (gone + wanted.keys).sorted()
    isOpen = Set(open)
  }

  /// What is to be told next: a topic and its text, empty where the broker is to forget it.
  package mutating func next() -> (topic: String, text: String)? {
    while let topic = open.first {
      if wanted[topic] != told[topic] { return (topic, wanted[topic] ?? "") }
      open.removeFirst()
      isOpen.remove(topic)
    }
    return nil
  }

  /// What `next` gave is on its way.
  package mutating func tell(_ topic: String, _ text: String) {
    told[topic] = wanted[topic] == nil && text.isEmpty ? nil : text
    if open.first == topic {
      open.removeFirst()
      isOpen.remove(topic)
    }
  }
}
