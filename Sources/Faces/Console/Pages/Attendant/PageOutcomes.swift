import ScanModel
import StationProtocol
import Synchronization
import WireText

/// What became of an order that a page gave: for whoever gave it, and for the page that is loaded after it.
enum PageOutcome: Sendable, Equatable {
  /// It was done; which text says so.
  case done(text: String)
  /// A typed code was decided.
  case decided(ShownScan)
  /// What a search found.
  case found([FoundTicket])
  /// It was not done, and why.
  case refused(OrderRefusal, String)
  /// Nobody knows whether it was done.
  case unknown
  /// The station does not answer: it was not done.
  case away
  /// What was typed cannot be taken: it was not done.
  case invalid

  /// What the station has said.
  /// - Parameter text: the name of the text for an order that was done.
  init(_ outcome: OrderOutcome, done text: String) {
    switch outcome {
    // Whoever asked for one takes it before.
    case .done, .picture: self = .done(text: text)
    case .decided(let line):
      self = (try? JSONValue([UInt8](line.utf8))).flatMap { ShownScan($0) }.map { .decided($0) } ?? .done(text: text)
    case .found(let tickets): self = .found(tickets)
    case .refused(let refusal, let words): self = .refused(refusal, words)
    case .unknown: self = .unknown
    }
  }
}

/// Outcomes, for a few minutes: so that what was typed stands in no address, and a page that is loaded again orders nothing.
final class PageOutcomes: Sendable {
  /// How long one is kept, and how many are at most; the oldest goes first.
  static let keptFor: Duration = .seconds(300)
  static let most = 256

  private struct Kept {
    let id: OrderID
    let giver: PageCaller.Sign
    let outcome: PageOutcome
    let until: MonotonicTime
  }

  private let time: any TimeSource
  private let kept = Mutex<[Kept]>([])

  init(time: any TimeSource = SystemTime()) { self.time = time }

  /// Keeps one for whoever gave the order.
  func keep(_ outcome: PageOutcome, of id: OrderID, for giver: PageCaller) {
    let now = time.now()
    kept.withLock { kept in
      kept.removeAll { $0.until <= now || ($0.id == id && $0.giver == giver.sign) }
      if kept.count >= Self.most { kept.removeFirst(kept.count - Self.most + 1) }
      kept.append(Kept(id: id, giver: giver.sign, outcome: outcome, until: now + Self.keptFor))
    }
  }

  /// What became of an order that this one gave; `nil` where that is not kept.
  func outcome(of id: OrderID, for giver: PageCaller) -> PageOutcome? {
    let now = time.now()
    return kept.withLock { kept in
      kept.first { $0.id == id && $0.giver == giver.sign && $0.until > now }?.outcome
    }
  }
}
