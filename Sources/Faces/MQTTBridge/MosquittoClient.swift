internal import CMosquitto
internal import Glibc
internal import ScanModel

/// libmosquitto for one connection. It belongs to one thread, or to one actor.
///
/// What the library tells comes by callbacks, from within the calls below and from nowhere else. They put it down in `told` and do
/// nothing more: none calls back into the library, or does what could fail. The library has this object's address, unretained: it is used
/// as long as the handle lives, which `deinit` ends first.
final class MosquittoClient {
  /// What the library has told.
  enum Told: Equatable {
    /// The broker has greeted: 0 where it takes us, else why not.
    case greeted(Int32)
    case message(BrokerMessage)
    /// What it grants of what was subscribed to; 128 is nothing.
    case granted([Int32])
  }

  /// Once a process, and never undone: the library keeps what it needs.
  private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.status
  /// How the library's line of a packet goes on that wants to be asked for twice.
  private static let wrongs = [" received PUBLISH (d0, q2", " received PUBLISH (d1, q2"]

  /// What was told since it was taken last.
  private var told: [Told] = []
  /// How many packets have come whole.
  private(set) var wholePackets = 0
  /// Whether the broker has sent something that it wants to be asked for twice (QoS 2), which nobody has subscribed to: the library keeps
  /// it for as long as the broker likes.
  private(set) var wasWronged = false
  /// What the library has logged as an error last.
  private(set) var lastError: String?
  private let handle: OpaquePointer

  /// - Throws: where there is no memory, or a file of certificates cannot be read.
  init(_ settings: BrokerSettings, will: BrokerMessage) throws(BrokerFault) {
    guard Self.isReady, let handle = mosquitto_new(settings.client, true, nil) else {
      throw BrokerFault("libmosquitto cannot be used (\(String(cString: strerror(errno)))). See docs/operations.md.")
    }
    self.handle = handle
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_connect_callback_set(handle) { _, context, code in
      MosquittoClient.of(context)?.told.append(.greeted(code))
    }
    mosquitto_message_callback_set(handle) { _, context, message in MosquittoClient.of(context)?.take(message) }
    mosquitto_subscribe_callback_set(handle) { _, context, _, count, granted in
      MosquittoClient.of(context)?.told.append(
        .granted(Array(UnsafeBufferPointer(start: granted, count: granted == nil ? 0 : Int(max(0, count))))))
    }
    mosquitto_log_callback_set(handle) { _, context, level, words in
      MosquittoClient.of(context)?.log(level, words)
    }
    try check(
      mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V311)), "the protocol's version")
    try check(
      will.payload.withUnsafeBytes {
        mosquitto_will_set(handle, will.topic, Int32($0.count), $0.baseAddress, 1, will.isRetained)
      }, "the last will")
    if let user = settings.user {
      try check(mosquitto_username_pw_set(handle, user, settings.password?.text), "user and password")
    }
    switch settings.trust {
    case .plain: break
    case .system: try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1), "this machine's certificates")
    case .file(let path):
      guard mosquitto_tls_set(handle, path, nil, nil, nil, nil) == MOSQ_ERR_SUCCESS.status else {
        throw BrokerFault(
          "\(TerminalText.clean(path)) cannot be read. Let the user scangate-mqtt read it, and see mqtt.caFile.")
      }
    }
    // The peer is proven, whatever the library's own default; TLS 1.2 at least is its own.
    if settings.trust != .plain { try check(mosquitto_tls_opts_set(handle, 1, nil, nil), "TLS") }
  }

  deinit { mosquitto_destroy(handle) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
    context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func check(_ code: Int32, _ what: String) throws(BrokerFault) {
    if code != MOSQ_ERR_SUCCESS.status { throw BrokerFault("libmosquitto does not take \(what): \(Self.words(code)).") }
  }

  // MARK: Calls

  /// Begins to connect. Looks the name up, which blocks.
  /// - Returns: the code.
  func connect(_ settings: BrokerSettings) -> Int32 {
    mosquitto_connect_bind_async(
      handle, settings.host, Int32(settings.port), Int32(BridgeLimits.keepAlive.components.seconds), nil)
  }

  /// The connection's descriptor, which is the library's; `nil` where it has none any more.
  var descriptor: Int32? {
    let number = mosquitto_socket(handle)
    return number >= 0 ? number : nil
  }

  /// Whether it has something to write.
  var wantsToWrite: Bool { mosquitto_want_write(handle) }

  /// Has it read what is there.
  /// - Returns: the code.
  func read() -> Int32 { mosquitto_loop_read(handle, 1) }

  /// Has it write what it has.
  func write() -> Int32 { mosquitto_loop_write(handle, 1) }

  /// Has it ask the broker for a sign of life where it is time; to be called each second.
  func tick() -> Int32 { mosquitto_loop_misc(handle) }

  /// Publishes; what no broker could take is left out.
  func publish(_ message: BrokerMessage) -> Int32 {
    let code = message.payload.withUnsafeBytes {
      mosquitto_publish(handle, nil, message.topic, Int32($0.count), $0.baseAddress, 0, message.isRetained)
    }
    return BrokerCode.unfit.contains(code) ? 0 : code
  }

  /// Subscribes, so that each message comes once at least.
  func subscribe(to filter: String) -> Int32 { mosquitto_subscribe(handle, nil, filter, 1) }

  /// Subscribes to it no longer.
  func unsubscribe(from filter: String) -> Int32 { mosquitto_unsubscribe(handle, nil, filter) }

  /// Takes leave: the broker does not tell the last will.
  func disconnect() -> Int32 { mosquitto_disconnect(handle) }

  /// What was told since this was asked last.
  func takeTold() -> [Told] { exchange(&told, with: []) }

  /// The library's words for a code.
  static func words(_ code: Int32) -> String {
    mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  // MARK: Callbacks

  private func take(_ message: UnsafePointer<mosquitto_message>?) {
    guard let message = message?.pointee, let topic = message.topic else { return }
    var taken = BrokerMessage(String(cString: topic), [], isRetained: message.retain)
    let count = Int(max(0, message.payloadlen))
    taken.isTooLong = count > BridgeLimits.maximumPayload
    if !taken.isTooLong, let payload = message.payload {
      taken.payload = [UInt8](UnsafeRawBufferPointer(start: payload, count: count))
    }
    told.append(.message(taken))
  }

  private func log(_ level: Int32, _ words: UnsafePointer<CChar>?) {
    guard let words else { return }
    // The library has no other sign of a packet that asks for nothing, such as its answer to our sign of life.
    if level == Int32(MOSQ_LOG_DEBUG), let packet = strstr(words, " received ") {
      wholePackets &+= 1
      // There and nowhere behind: a topic may say the same.
      if Self.wrongs.contains(where: { strncmp(packet, $0, $0.utf8.count) == 0 }) { wasWronged = true }
    }
    if level == Int32(MOSQ_LOG_ERR) { lastError = TerminalText.clean(String(cString: words)) }
  }
}

extension mosq_err_t {
  /// The code as calls return it.
  var status: Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: rawValue)) }
}

/// The library's codes that are told apart.
enum BrokerCode {
  static let unresolved = MOSQ_ERR_EAI.status
  static let tls = MOSQ_ERR_TLS.status
  static let handshake = MOSQ_ERR_TLS_HANDSHAKE.status
  static let silent = MOSQ_ERR_KEEPALIVE.status
  static let lost = MOSQ_ERR_CONN_LOST.status
  static let system = MOSQ_ERR_ERRNO.status
  static let unfit: Set<Int32> = [
    MOSQ_ERR_INVAL.status, MOSQ_ERR_PAYLOAD_SIZE.status, MOSQ_ERR_MALFORMED_UTF8.status,
    MOSQ_ERR_OVERSIZE_PACKET.status,
  ]
}
