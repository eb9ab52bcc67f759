import ScanModel
import StationProtocol
import Synchronization

/// Pictures between the page that shows one and the browser's asking for it: in memory, for whoever asked alone, given once, and gone
/// after seconds whether they were or not.
final class PagePictures: Sendable {
  /// How long one waits for its page.
  static let keptFor: Duration = .seconds(20)
  /// The most at a time; the oldest goes first.
  static let most = 4

  private struct Kept {
    let id: OrderID
    let asker: PageCaller.Sign
    let jpeg: [UInt8]
  }

  private let kept = Mutex<[Kept]>([])

  /// Keeps one for whoever asked; what they asked for before goes.
  func keep(_ jpeg: [UInt8], _ id: OrderID, for asker: PageCaller) {
    kept.withLock { kept in
      kept.removeAll { $0.asker == asker.sign }
      if kept.count >= Self.most { kept.removeFirst(kept.count - Self.most + 1) }
      kept.append(Kept(id: id, asker: asker.sign, jpeg: jpeg))
    }
    Task { [weak self] in
      try? await Task.sleep(for: Self.keptFor)
      self?.forget(id)
    }
  }

  /// Takes one out; `nil` where there is none of that number, or it is somebody else's.
  func take(_ id: OrderID, for asker: PageCaller) -> [UInt8]? {
    kept.withLock { kept in
      guard let index = kept.firstIndex(where: { $0.id == id && $0.asker == asker.sign }) else { return nil }
      return kept.remove(at: index).jpeg
    }
  }

  func forget(_ id: OrderID) { kept.withLock { $0.removeAll { $0.id == id } } }

  /// How many wait.
  var count: Int { kept.withLock { $0.count } }
}
