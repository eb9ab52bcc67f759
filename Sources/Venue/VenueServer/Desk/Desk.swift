import HTTPTypes
import SQLiteFile

/// What somebody asks for who organises, inside one transaction: what is read is still true when it is written.
struct Desk {
  let db: Database
  let holder: KeyHolder
  let shape: ServerShape
  let now: Timestamp

  var book: EventBook { EventBook(db: db) }

  /// One request, as far as its route has not told.
  struct Asked: Sendable {
    /// What its path names, as it came.
    let id: String
    let query: [String: String]
    let input: DeskInput
    /// Its address without the query.
    let address: String

    subscript(name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }
  }

  /// What a path or a field can name.
  enum Thing: String {
    case event = "Event", sale = "Sale", schedule = "Role", ticket = "Ticket"
  }

  /// There is no such thing: as the framework words it for the fork, as the API itself elsewhere.
  func none(_ thing: Thing, _ name: String) -> Answer {
    guard shape == .planify else {
      return .error(.notFound, "\(thing == .schedule ? "Schedule" : thing.rawValue) not found")
    }
    return .message(.notFound, "No query results for model [App\\Models\\\(thing.rawValue)] \(name)")
  }

  static let unauthorized = Answer.error(.forbidden, "Unauthorized")
  /// What the original says where an account does not pay.
  static let notPro = Answer.error(.forbidden, "API usage is limited to Pro accounts")
  static let serverError = Answer.message(.internalServerError, "Server Error")

  /// The sizes of pages: how many without `per_page`, and how many at most. The framework takes 15 where 0 is asked for.
  func size(_ asked: Asked, usual: Int64, most: Int64) throws -> Int64 {
    guard let text = asked["per_page"] else { return usual }
    if shape == .upstream {
      guard let size = Int64(text), (1...most).contains(size) else {
        throw InvalidFields(errors: [("per_page", "The per page field must be between 1 and \(most).")])
      }
      return size
    }
    let size = min(Int64(text) ?? 0, most)
    return size > 0 ? size : 15
  }
}
