internal import CodeSigning
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// The keys of one server as a station keeps them, sealed, for the next process: it may begin while the server does not answer. They are no
/// secret, but whoever could change them could make tickets. What cannot be read is fetched anew.
struct TicketKeyRecord: Sendable {
  private let server: String
  private let records: (any SessionRecords)?

  init(server: ServerAddress, records: (any SessionRecords)?) {
    self.server = "\(server)"
    self.records = records
  }

  private var name: String { "ticket-keys.\(StableHash.digits(server))" }

  /// What is there.
  enum Reading: Sendable, Equatable {
    /// The keys, and when they were fetched.
    case kept(TicketKeySet, fetched: WallTime)
    /// None of this server.
    case absent
    /// Something that is not believed: why.
    case damaged(String)
  }

  /// What is there. Blocks.
  func read() -> Reading {
    guard let records else { return .absent }
    guard let bytes = records.read(name) else { return records.fault(of: name).map { .damaged($0) } ?? .absent }
    guard let kept = try? JSONValue(bytes), let whose = kept["server"]?.string,
      let nanoseconds = kept["fetched"]?.integer, let told = kept["keys"]?.array, told.count <= TicketKeySet.mostKeys
    else { return .damaged("the record \(name) is damaged") }
    guard whose == server else { return .damaged("the record \(name) is of another server") }
    var keys: [String: VerifyingKey] = [:]
    for key in told {
      guard let name = key["name"]?.string, let read = key["key"]?.string.flatMap({ VerifyingKey(text: $0) }) else {
        return .damaged("the record \(self.name) is damaged")
      }
      keys[name] = read
    }
    return keys.isEmpty ? .absent : .kept(TicketKeySet(keys), fetched: WallTime(nanoseconds: nanoseconds))
  }

  /// Keeps them. Blocks.
  func keep(_ set: TicketKeySet, fetched: WallTime) {
    var text = JSONText.object(("server", server))
    text.add("fetched", fetched.nanoseconds)
    text.add(
      "keys",
      objects: set.keys.sorted { $0.key < $1.key }.map { name, key in
        JSONText.object(("name", name), ("key", key.text)).text
      })
    records?.keep(text.bytes, as: name)
  }
}
