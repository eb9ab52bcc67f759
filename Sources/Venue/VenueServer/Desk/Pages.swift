/// One page of a list: which it is and what is told of all.
struct Pages {
  private let total, size, current, last: Int64

  init(total: Int64, size: Int64, page: String?) {
    self.total = total
    self.size = size
    last = max(1, (total + size - 1) / size)
    current = max(1, page.flatMap { Int64($0) } ?? 1)
  }

  /// Of `LIMIT ? OFFSET ?`. A page beyond the last is empty; its number is clamped before it can overflow.
  var bounds: [(any Storable)?] { [size, (min(current, last + 1) - 1) * size] }

  func meta(_ shape: ServerShape?) -> JSONText {
    guard shape == .document else {
      return [
        "current_page": .integer(current), "last_page": .integer(last), "per_page": .integer(size),
        "total": .integer(total),
      ]
    }
    let count = max(0, min(size, total - (min(current, last + 1) - 1) * size))
    return [
      "pagination": [
        "total": .integer(total), "count": .integer(count), "per_page": .integer(size),
        "current_page": .integer(current), "total_pages": .integer(last),
      ]
    ]
  }

  /// As lists of events and schedules tell it in the shapes that have a framework's pages.
  func meta(_ shape: ServerShape, path: String) -> JSONText {
    guard shape != .document, case .object(let members) = meta(shape) else { return meta(shape) }
    let first = (min(current, last + 1) - 1) * size + 1
    let isEmpty = first > total
    var all = members
    all.insert(("from", isEmpty ? .null : .integer(first)), at: 1)
    all.insert(("to", isEmpty ? .null : .integer(min(total, first + size - 1))), at: 4)
    all.append(("path", .string(path)))
    return .object(all)
  }
}
