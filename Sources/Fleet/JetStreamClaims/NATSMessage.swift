internal import CNATS

/// What came from a server, copied out of the library.
struct NATSMessage: Sendable {
  /// Where it was sent to.
  var subject = ""
  /// The server's own word, such as 503; empty in what others sent.
  var status = ""
  /// What was sent; `nil` where that was too much.
  var data: [UInt8]?

  /// Nobody takes what was sent: no leader, no stream, no such service.
  var isUnheard: Bool { status == "503" }
}

extension NATSMessage {
  /// Copies a message and destroys it.
  init(taking message: OpaquePointer) {
    defer { cnatsMsg_Destroy(message) }
    if let text = cnatsMsg_GetSubject(message) { subject = String(cString: text) }
    status = Self.header(message, "Status")
    let count = Int(max(0, cnatsMsg_GetDataLength(message)))
    if count <= JetStreamLimits.longestAnswer {
      data = cnatsMsg_GetData(message).map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
    }
  }

  private static func header(_ message: OpaquePointer, _ name: String) -> String {
    var value: UnsafePointer<CChar>?
    guard cnatsMsgHeader_Get(message, name, &value) == NATS_OK, let value else { return "" }
    return String(cString: value)
  }
}

/// What is sent to a server.
struct NATSRequest: Sendable {
  var subject: String
  var headers: [(name: String, value: String)] = []
  var data: [UInt8] = []

  /// Roughly what it takes in memory.
  var size: Int { subject.utf8.count + data.count + 256 }
}
