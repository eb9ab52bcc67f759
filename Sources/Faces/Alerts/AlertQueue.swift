package import ScanModel

/// Messages that are still to be posted: bounded, each tried again after 1, 5 and 15 minutes and then given up. Pure.
///
/// What is told of one thing arrives in its order: a later message waits for an earlier one of the same key.
package struct AlertQueue: Sendable, Equatable {
  /// A message that waits.
  package struct Waiting: Sendable, Equatable {
    /// Its number in this queue.
    package let id: UInt64
    package let message: AlertMessage
    /// How often it was tried in vain.
    package var tries: Int
    /// When it is tried next.
    package var due: MonotonicTime
  }

  /// How many may wait.
  package static let most = 64
  /// How long after each try in vain the next one comes.
  package static let retries: [Duration] = [.seconds(60), .seconds(300), .seconds(900)]

  /// What waits, in its order.
  package private(set) var waiting: [Waiting] = []
  private let retries: [Duration]
  private var last: UInt64 = 0

  package init(retries: [Duration] = retries) { self.retries = retries }

  /// Takes a message.
  /// - Parameter tries: how often it was tried in vain before.
  /// - Returns: the one that has to go for it, where too many wait: the oldest.
  @discardableResult
  package mutating func add(_ message: AlertMessage, tries: Int = 0, at now: MonotonicTime) -> AlertMessage? {
    last &+= 1
    waiting.append(Waiting(id: last, message: message, tries: max(tries, 0), due: now))
    return waiting.count > Self.most ? waiting.removeFirst().message : nil
  }

  /// The message that is to be posted now; `nil` where none is.
  package func next(at now: MonotonicTime) -> Waiting? { first.first { $0.due <= now } }

  /// When the next one is to be posted; `nil` where none waits.
  package var nextDue: MonotonicTime? { first.map(\.due).min() }

  /// The first message of each key.
  private var first: [Waiting] {
    var keys: Set<AlertKey> = []
    return waiting.filter { keys.insert($0.message.key).inserted }
  }

  /// It has arrived: whoever takes it is there, and takes the others now.
  package mutating func delivered(_ id: UInt64, at now: MonotonicTime) {
    waiting.removeAll { $0.id == id }
    for index in waiting.indices { waiting[index].due = min(waiting[index].due, now) }
  }

  /// It has not.
  /// - Returns: the message, where it is given up.
  package mutating func failed(_ id: UInt64, at now: MonotonicTime) -> AlertMessage? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    let tries = waiting[index].tries
    guard tries < retries.count else { return waiting.remove(at: index).message }
    waiting[index].tries += 1
    waiting[index].due = now + retries[tries]
    return nil
  }
}
