import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers that are JSON as well, and say something else.
enum SpoiltJSON {
  /// The text with its values changed; as it is where it is no JSON.
  static func rewritten(_ text: ByteBuffer, _ change: (SentJSON) -> SentJSON) -> ByteBuffer {
    guard let value = try? JSONDecoder().decode(SentJSON.self, from: Data(text.readableBytesView)) else { return text }
    return ByteBuffer(string: change(value).json.text())
  }

  /// Numbers as texts, texts as null, what is empty as the other kind of empty.
  static func ofOtherTypes(_ value: SentJSON) -> SentJSON {
    switch value {
    case .null, .bool: .integer(0)
    case .integer(let number): .string(String(number))
    case .decimal(let number): .string("\(number)")
    case .string: .null
    case .array(let elements): elements.isEmpty ? .object([:]) : .array(elements.map(ofOtherTypes))
    case .object(let members): members.isEmpty ? .array([]) : .object(members.mapValues(ofOtherTypes))
    }
  }

  /// A list that says it is `page`, and that there is one more.
  static func followed(_ value: SentJSON, page: Int64) -> SentJSON {
    guard case .object(var members) = value else { return value }
    guard case .object(var meta)? = members["meta"] else { return countedOn(members, page: page) }
    let next = page < .max ? page + 1 : page
    func follow(_ numbers: [String: SentJSON], _ last: String) -> SentJSON {
      .object(numbers.merging(["current_page": .integer(page), last: .integer(next)]) { $1 })
    }
    if case .object(let pagination)? = meta["pagination"] {
      meta["pagination"] = follow(pagination, "total_pages")
      members["meta"] = .object(meta)
    } else {
      members["meta"] = follow(meta, "last_page")
    }
    return .object(members)
  }

  /// A list that tells how many there are, and which page of how many each it is.
  private static func countedOn(_ members: [String: SentJSON], page: Int64) -> SentJSON {
    guard let limit = members["limit"]?.whole, members["total"] != nil else { return .object(members) }
    let (total, isTooMany) = limit.multipliedReportingOverflow(by: page < .max ? page + 1 : page)
    return .object(members.merging(["page": .integer(page), "total": .integer(isTooMany ? .max : total)]) { $1 })
  }

  /// A list with 1 for its length, wherever that is told.
  static func ofLengthOne(_ value: SentJSON) -> SentJSON {
    guard case .object(let members) = value else { return value }
    let nested = members.mapValues { member in
      if case .object = member { ofLengthOne(member) } else { member }
    }
    return .object(nested["total"] == nil ? nested : nested.merging(["total": .integer(1)]) { $1 })
  }
}

extension SpoiltJSON {
  private static let codes: Set<String> = ["validationCode", "validation_code", "verification_code", "qrCode"]

  /// Days, times, prices and codes that no booking has.
  /// - Parameter name: the member's whose value it is.
  static func odd(_ value: SentJSON, of name: String = "") -> SentJSON {
    let isPrice = ["price", "amount", "pence"].contains(where: name.lowercased().contains)
    switch value {
    case .string where codes.contains(name): return .string("PROCESSING")
    case .string(let text) where text.utf8.count == 10 && CalendarDay(text) != nil: return .string("0000-00-00")
    case .string(let text) where isClock(text): return .string("24:00:00")
    case .string(let text) where text.utf8.count == 19 && isClock(String(text.suffix(8))):
      return .string("0000-00-00T24:00:00")
    case .integer(let number) where isPrice: return .integer(-abs(max(number, -.max)))
    case .decimal(let number) where isPrice: return .decimal(-abs(number))
    case .array(let elements): return .array(elements.map { odd($0, of: name) })
    case .object(let members):
      return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, odd($0.value, of: $0.key)) }))
    default: return value
    }
  }

  /// `19:30` or `19:30:00`.
  private static func isClock(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return (2...3).contains(parts.count)
      && parts.allSatisfy { $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }
}

extension Request {
  /// The same request without its `page`.
  var ofFirstPage: Request {
    let query = uri.query.map { String($0) }?.split(separator: "&").filter { !$0.hasPrefix("page=") } ?? []
    var head = head
    head.path = query.isEmpty ? uri.path : uri.path + "?" + query.joined(separator: "&")
    return Request(head: head, body: body)
  }
}
