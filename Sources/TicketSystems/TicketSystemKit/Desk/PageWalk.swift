package import WireText

/// Goes through the pages of a list until it ends: where the server says so, where it tells nothing more or a page again, and
/// after 10,000. Pure.
///
/// ```
/// page 1 ─▶ take ─┬─ the server says that more follows ─▶ page + 1
///                 └─ last; none; seen before; 10,000 ─▶ the end
/// ```
package struct PageWalk {
  /// The most pages that any list has.
  package static let most = 10_000

  /// Why a list ends.
  package enum End: Equatable {
    /// It is whole.
    case whole
    /// The server told a page a second time.
    case repeated
    /// There are more than anybody has.
    case tooMany
  }

  /// The page to ask for.
  package private(set) var page = 1
  private var seen: Set<Int> = []
  private let most: Int
  private let hasMore: @Sendable (JSONValue, Int) -> Bool

  /// - Parameter hasMore: whether a document says that more follows after this page. Where a server tells nothing that could be
  ///   believed it is always so: the list ends with a page that is empty.
  package init(most: Int = Self.most, hasMore: @escaping @Sendable (JSONValue, Int) -> Bool) {
    self.most = most
    self.hasMore = hasMore
  }

  /// Takes the page that was asked for.
  /// - Returns: its elements, and whether it is the last; `nil` where the document is no list.
  package mutating func take(_ document: JSONValue) -> (elements: [JSONValue], end: End?)? {
    let list: JSONValue
    switch document {
    case .array: list = document
    case .object(let members):
      guard let data = members["data"] else { return nil }
      list = data
    default: return nil
    }
    switch list {
    case .array: break
    case .object(let members) where members.keys.allSatisfy({ Int($0) != nil }): break
    default: return nil
    }
    let elements = list.elements
    // A page that is empty is not told again: it is the end.
    if elements.isEmpty { return ([], .whole) }
    guard seen.insert(elements.hashValue).inserted else { return ([], .repeated) }
    guard hasMore(document, page) else { return (elements, .whole) }
    guard page < most else { return (elements, .tooMany) }
    page += 1
    return (elements, nil)
  }
}
