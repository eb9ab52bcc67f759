internal import CNATS
internal import FleetBook
internal import Glibc
internal import ScanModel
internal import Synchronization

/// A connection of the library to one server, from its beginning to its end. It is never made again by itself: what was not sent by the
/// time that it broke is never sent.
///
/// The library has threads of its own, which call back. They are given a number and no address, and whoever has it no more is not called:
/// nothing has to be kept alive for them. What they call copies, and must not wait for anything.
final class NATSConnection: Sendable {
  /// What the library tells of a connection.
  enum News: Sendable {
    case message(NATSMessage)
    /// It is over.
    case closed
    /// The server does not permit something, in its words.
    case wrong(String)
  }

  /// Why there is none.
  struct Fault: Error {
    var status: natsStatus
    var words: String
  }

  typealias Hearer = @Sendable (News) -> Void

  /// The library locks what its handles are, so any thread may use them; nobody does after `end`.
  private struct Handle: @unchecked Sendable {
    // The pointer is never written after `init`.
    let pointer: OpaquePointer
  }

  private let handle: Handle
  private let number: UInt
  private let inboxes = Mutex<[UInt: Handle]>([:])

  /// Connects; blocks, and where the server begins TLS and does not go on with it, for ever.
  init(
    _ server: JetStreamSettings.Server, _ settings: JetStreamSettings, hearing hear: @escaping Hearer
  ) throws(Fault) {
    number = Hearers.add(hear)
    do throws(Fault) {
      let options = try Options(server, settings, number)
      var made: OpaquePointer?
      let status = cnatsConnection_Connect(&made, options.pointer)
      guard status == NATS_OK, let made else { throw Fault(status: status, words: Self.lastWords(status)) }
      handle = Handle(pointer: made)
    } catch {
      Hearers.remove(number)
      throw error
    }
  }

  /// The identity that the server has given itself when it was started.
  var serverID: String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard cnatsConnection_GetConnectedServerId(handle.pointer, &buffer, buffer.count) == NATS_OK else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Sends something; blocks while the server does not read, two seconds at most.
  /// - Returns: `nil` where it is on its way; else whether some of it may be.
  func send(_ request: NATSRequest, answerTo inbox: String?) -> SendFault? {
    var made: OpaquePointer?
    let status = request.data.withUnsafeBytes {
      cnatsMsg_Create(
        &made, request.subject, inbox, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count))
    }
    guard status == NATS_OK, let made else { return .unsent }
    defer { cnatsMsg_Destroy(made) }
    for header in request.headers {
      guard cnatsMsgHeader_Set(made, header.name, header.value) == NATS_OK else { return .unsent }
    }
    switch cnatsConnection_PublishMsg(handle.pointer, made) {
    case NATS_OK: return nil
    case NATS_INVALID_ARG, NATS_INVALID_SUBJECT, NATS_MAX_PAYLOAD, NATS_NO_SERVER_SUPPORT: return .unsent
    // Also that the connection is closed: the library says so of one that breaks while it is written to.
    default: return .perhaps
    }
  }

  /// Why something was not sent as it should be.
  enum SendFault { case unsent, perhaps }

  /// Takes what is sent there.
  /// - Returns: the number to end it by; `nil` where the connection is over.
  func listen(to subject: String, hearing hear: @escaping Hearer) -> UInt? {
    let number = Hearers.add(hear)
    var made: OpaquePointer?
    let status = cnatsConnection_Subscribe(
      &made, handle.pointer, subject,
      { _, _, message, closure in
        guard let message else { return }
        Hearers.tell(closure, .message(NATSMessage(taking: message)))
      }, UnsafeMutableRawPointer(bitPattern: number))
    guard status == NATS_OK, let made else {
      Hearers.remove(number)
      return nil
    }
    _ = cnatsSubscription_SetPendingLimits(made, JetStreamLimits.mostMessages, JetStreamLimits.mostMessageBytes)
    inboxes.withLock { $0[number] = Handle(pointer: made) }
    return number
  }

  /// Takes it no longer; may block as `send` does.
  func end(listening number: UInt) {
    Hearers.remove(number)
    if let handle = inboxes.withLock({ $0.removeValue(forKey: number) }) {
      cnatsSubscription_Destroy(handle.pointer)
    }
  }

  /// Ends it, which nothing else of it may come after; may block as `send` does.
  func end() {
    Hearers.remove(number)
    for number in inboxes.withLock({ Array($0.keys) }) { end(listening: number) }
    cnatsConnection_Destroy(handle.pointer)
  }

  private static func lastWords(_ status: natsStatus) -> String {
    let words = cnats_GetLastError(nil).map { String(cString: $0) } ?? ""
    let text = words.isEmpty ? cnatsStatus_GetText(status).map { String(cString: $0) } ?? "" : words
    return TerminalText.clean(String(text.prefix(200)))
  }
}

/// How the library is told what a connection has to be.
private final class Options {
  let pointer: OpaquePointer

  init(
    _ server: JetStreamSettings.Server, _ settings: JetStreamSettings, _ number: UInt
  ) throws(NATSConnection.Fault) {
    var made: OpaquePointer?
    guard cnatsOptions_Create(&made) == NATS_OK, let made else {
      throw NATSConnection.Fault(status: NATS_NO_MEMORY, words: "no memory")
    }
    pointer = made
    let closure = UnsafeMutableRawPointer(bitPattern: number)
    try check(cnatsOptions_SetURL(made, "tls://\(server)"))
    try check(cnatsOptions_SetName(made, settings.name))
    cnats_believe_given_only()
    try check(cnatsOptions_SetSecure(made, true))
    try check(cnatsOptions_SetCATrustedCertificates(made, settings.authority))
    try check(cnatsOptions_SetExpectedHostname(made, server.host))
    try check(cnatsOptions_SetTimeout(made, JetStreamLimits.connecting.wholeMilliseconds))
    try check(cnatsOptions_SetWriteDeadline(made, JetStreamLimits.writing.wholeMilliseconds))
    try check(cnatsOptions_SetPingInterval(made, JetStreamLimits.silence.wholeMilliseconds))
    try check(cnatsOptions_SetMaxPingsOut(made, JetStreamLimits.unanswered))
    try check(cnatsOptions_SetAllowReconnect(made, false))
    // What is sent goes at once, by the thread that sends it: a thread of the library's would wait a millisecond for more.
    try check(cnatsOptions_SetSendAsap(made, true))
    try check(cnatsOptions_SetIgnoreDiscoveredServers(made, true))
    try check(cnatsOptions_SetClosedCB(made, { _, closure in Hearers.tell(closure, .closed) }, closure))
    try check(
      cnatsOptions_SetErrorHandler(
        made,
        { connection, _, status, closure in
          // What came too fast to be taken ends with the calls that waited for it.
          guard status == NATS_NOT_PERMITTED else { return }
          var words: UnsafePointer<CChar>?
          if let connection { cnatsConnection_GetLastError(connection, &words) }
          let text = words.map { String(cString: $0) } ?? ""
          Hearers.tell(closure, .wrong(TerminalText.clean(text)))
        }, closure))
    Hearers.sign(number, by: settings.credential)
    try check(
      cnatsOptions_SetNKey(
        made, settings.credential.user,
        { _, signature, length, nonce, closure in
          guard let nonce, let bytes = Hearers.signature(closure, [UInt8](String(cString: nonce).utf8)),
            let copy = malloc(bytes.count)
          else { return NATS_NO_MEMORY }
          // It is the library's to free.
          copy.copyMemory(from: bytes, byteCount: bytes.count)
          signature?.pointee = copy.assumingMemoryBound(to: UInt8.self)
          length?.pointee = Int32(clamping: bytes.count)
          return NATS_OK
        }, closure))
  }

  deinit { cnatsOptions_Destroy(pointer) }

  private func check(_ status: natsStatus) throws(NATSConnection.Fault) {
    if status == NATS_OK { return }
    let words = cnats_GetLastError(nil).map { String(cString: $0) } ?? ""
    throw NATSConnection.Fault(status: status, words: TerminalText.clean(String(words.prefix(200))))
  }
}

/// Who is called back, by the numbers that the library has.
private enum Hearers {
  private struct Table: Sendable {
    var next: UInt = 1
    var hearers: [UInt: NATSConnection.Hearer] = [:]
    var keys: [UInt: NKey] = [:]
  }

  private static let table = Mutex(Table())

  static func add(_ hear: @escaping NATSConnection.Hearer) -> UInt {
    table.withLock { table in
      defer { table.next += 1 }
      table.hearers[table.next] = hear
      return table.next
    }
  }

  static func sign(_ number: UInt, by key: NKey) { table.withLock { $0.keys[number] = key } }

  static func remove(_ number: UInt) {
    table.withLock { table in
      table.hearers[number] = nil
      table.keys[number] = nil
    }
  }

  static func tell(_ closure: UnsafeMutableRawPointer?, _ news: NATSConnection.News) {
    table.withLock { $0.hearers[UInt(bitPattern: closure)] }?(news)
  }

  static func signature(_ closure: UnsafeMutableRawPointer?, _ nonce: [UInt8]) -> [UInt8]? {
    table.withLock { $0.keys[UInt(bitPattern: closure)] }?.signature(nonce)
  }
}

extension Duration {
  /// In whole milliseconds.
  var wholeMilliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
