internal import Glibc
import LinuxIO
import ScanModel

/// One connection to a broker, from the first attempt to its end. It belongs to one actor.
///
/// ```
///  broker ◀──socket──▶ this object ◀──pair──▶ libmosquitto (MQTT, TLS)
/// ```
/// libmosquitto looks the name up and connects; then its end of the connection is taken from under its descriptor, and one end of a pair
/// of sockets put in its place. So what it reads is counted first (`IntakeAllowance`), what it writes never ends the process by SIGPIPE,
/// and a watch of the connection never meets a descriptor that the library has closed meanwhile.
final class BrokerConnection {
  /// What there is of a connection.
  enum Progress: Equatable {
    /// It goes on.
    case holds
    /// It has ended, and why.
    case ended(BrokerFault)
  }

  /// How much is taken at once.
  private static let piece = 4_096
  /// How many calls one piece can take at the most, one a packet.
  private static let mostCalls = 4_096

  private let settings: BrokerSettings
  private let client: MosquittoClient
  /// The connection to the broker.
  private let socket: OwnedDescriptor
  /// Our end of the pair.
  private let inner: OwnedDescriptor
  private var allowance: IntakeAllowance
  /// What the broker has not taken yet.
  private(set) var outbound: [UInt8] = []
  private let time: any TimeSource

  /// Begins to connect; blocks while the name is looked up.
  /// - Throws: why that cannot be.
  init(_ settings: BrokerSettings, will: BrokerMessage, time: any TimeSource) throws(BrokerFault) {
    let client = try MosquittoClient(settings, will: will)
    let code = client.connect(settings)
    let number = errno
    guard code <= 0, let descriptor = client.descriptor else {
      throw Self.fault(code, number, client, settings)
    }
    var pair: (Int32, Int32) = (-1, -1)
    let isPaired = withUnsafeMutableBytes(of: &pair) { pair in
      socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0,
        pair.assumingMemoryBound(to: Int32.self).baseAddress) == 0
    }
    guard isPaired else {
      throw BrokerFault("No socket can be had (\(SystemError(errno: errno, call: "socketpair"))).")
    }
    let outer = OwnedDescriptor(owning: pair.0)
    inner = OwnedDescriptor(owning: pair.1)
    do throws(SystemError) {
      socket = try OwnedDescriptor.duplicate(of: descriptor)
    } catch {
      throw BrokerFault("No socket can be had (\(error)).")
    }
    guard dup2(outer.number, descriptor) == descriptor, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw BrokerFault("No socket can be had (\(SystemError(errno: errno, call: "dup2"))).")
    }
    // What the kernel keeps for a broker that does not read is old by the time that it is read.
    var most = Int32(BridgeLimits.maximumWaiting)
    setsockopt(socket.number, SOL_SOCKET, SO_SNDBUF, &most, socklen_t(MemoryLayout<Int32>.size))
    self.settings = settings
    self.client = client
    self.time = time
    allowance = IntakeAllowance(now: time.now())
  }

  // MARK: What the loop has to know

  /// The descriptor to watch.
  var number: Int32 { socket.number }

  /// What it is to be watched for.
  var interest: DeviceLoop.Readiness {
    var interest: DeviceLoop.Readiness = outbound.isEmpty && isConnected ? [] : .writable
    if isConnected, allowance.room(time.now()) > 0, outbound.count < BridgeLimits.maximumWaiting {
      interest.insert(.readable)
    }
    return interest
  }

  /// Whether something of ours has a way to the broker without growing for ever.
  var hasRoom: Bool { outbound.count < BridgeLimits.maximumWaiting }

  /// Whether the broker has everything that was told to it.
  var isFlushed: Bool { outbound.isEmpty }

  /// Whether the network has connected us.
  private var isConnected = false

  // MARK: Progress

  /// The connection is ready for something, or in error.
  func proceed() -> Progress {
    if !isConnected {
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error == 0 else {
        return .ended(
          BrokerFault(
            "\(settings.address) cannot be reached (\(SystemError(errno: error, call: "connect").words)). Is the broker running, and mqtt.broker right?"
          ))
      }
      var descriptor = pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)
      guard poll(&descriptor, 1, 0) == 1 else { return .holds }
      isConnected = true
      // Begins with TLS, or does nothing.
      let code = client.read()
      if code != 0 { return ended(code) }
    }
    return pass(takeIn())
  }

  /// To be called each second.
  func tick() -> Progress {
    if !isConnected { return .holds }
    if allowance.isExceeded(time.now()) { return .ended(tooLong) }
    let code = client.tick()
    if code != 0 { return ended(code) }
    return proceed()
  }

  /// Calls the library, and passes on what it has to write.
  func call(_ body: (MosquittoClient) -> Int32) -> Progress {
    let code = body(client)
    return pass(code == 0 ? .holds : ended(code))
  }

  /// What the library has told since this was asked last.
  func takeTold() -> [MosquittoClient.Told] { client.takeTold() }

  /// Hands the library what the broker has sent, as far as may be.
  private func takeIn() -> Progress {
    var buffer = [UInt8](repeating: 0, count: Self.piece)
    let room = min(Self.piece, allowance.room(time.now()))
    // Much of what is read is answered: a broker that does not read its answers is not read.
    guard hasRoom, room > 0 else { return .holds }
    let count = recv(socket.number, &buffer, room, Int32(MSG_DONTWAIT))
    if count < 0 {
      if errno == EAGAIN || errno == EINTR { return .holds }
      return .ended(lost("(\(SystemError(errno: errno, call: "recv").words))"))
    }
    if count == 0 {
      // The library may know more of why.
      shutdown(inner.number, Int32(SHUT_WR))
      let code = client.read()
      return code == 0 ? .ended(lost("")) : ended(code)
    }
    allowance.take(count, time.now())
    // A piece goes in whole: the library reads all of it before the next one.
    guard send(inner.number, buffer, count, Int32(MSG_NOSIGNAL)) == count else {
      return .ended(lost("(it is not taken)"))
    }
    return read()
  }

  /// Has the library read until nothing is left of what it was handed.
  private func read() -> Progress {
    for _ in 0..<Self.mostCalls {
      let before = client.wholePackets
      let code = client.read()
      if code != 0 { return ended(code) }
      if client.wholePackets != before { allowance.whole() }
      if client.wasWronged {
        return .ended(
          BrokerFault("\(settings.address) sends what nobody has subscribed to (QoS 2), which no broker does."))
      }
      // TLS has bytes of its own, of which no descriptor tells: only a call that brought no packet has seen all.
      if unread == 0, client.wholePackets == before { break }
    }
    return allowance.isExceeded(time.now()) ? .ended(tooLong) : .holds
  }

  /// How much the library has not read of what it was handed.
  private var unread: Int32 {
    var count: Int32 = 0
    guard let descriptor = client.descriptor, ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
    return count
  }

  /// Passes on what the library has written.
  private func pass(_ progress: Progress) -> Progress {
    guard progress == .holds else { return progress }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      if client.wantsToWrite {
        let code = client.write()
        if code != 0 { return ended(code) }
      }
      let count = recv(inner.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count <= 0 { break }
      outbound += buffer.prefix(count)
    }
    while isConnected, !outbound.isEmpty {
      let count = send(socket.number, outbound, outbound.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EAGAIN || errno == EINTR { break }
        // What it has said before, such as why it closes, is still there.
        let error = errno
        let progress = takeIn()
        return progress == .holds ? .ended(lost("(\(SystemError(errno: error, call: "send").words))")) : progress
      }
      outbound.removeFirst(count)
    }
    return .holds
  }

  // MARK: Words

  private var tooLong: BrokerFault {
    BrokerFault(
      "\(settings.address) sends a message of more than \(BridgeLimits.maximumPacket) bytes, or one that does not end. Nobody needs such; look who publishes it."
    )
  }

  private func lost(_ why: String) -> BrokerFault {
    BrokerFault("\(settings.address) has closed the connection\(why.isEmpty ? "" : " \(why)").")
  }

  private func ended(_ code: Int32) -> Progress { .ended(Self.fault(code, errno, client, settings)) }

  private static func fault(
    _ code: Int32, _ number: Int32, _ client: MosquittoClient, _ settings: BrokerSettings
  ) -> BrokerFault {
    let place = settings.address
    if code == BrokerCode.unresolved {
      return BrokerFault(
        "The name \(settings.host) is not resolved (\(String(cString: gai_strerror(number)))). See mqtt.broker, and the network's DNS."
      )
    }
    if code == BrokerCode.tls || code == BrokerCode.handshake {
      let words = client.lastError.map { " (\($0))" } ?? ""
      return BrokerFault(
        "TLS with \(place) fails\(words). Its certificate has to be of a name in mqtt.broker and of an authority in mqtt.caFile, or one that this machine trusts."
      )
    }
    if code == BrokerCode.silent { return BrokerFault("\(place) does not answer any more.") }
    if code == BrokerCode.lost { return BrokerFault("\(place) has closed the connection.") }
    if code == BrokerCode.system || code <= 0 {
      return BrokerFault(
        "\(place) cannot be reached (\(SystemError(errno: number, call: "connect").words)). Is the broker running, and mqtt.broker right?"
      )
    }
    return BrokerFault("\(place) does not speak MQTT as it should (\(MosquittoClient.words(code))).")
  }
}
