package import Gateway
package import LinuxIO
import ScanModel
import StationProtocol
import Synchronization
import WireCoding

/// The socket through which everybody else sees the station and orders something of it.
///
///              hello            listen
///     accepted ──────▶ greeted ────────▶ told events
///        │                │ snapshot, orders: answered
///        └────────────────┴──▶ closed, not understood, another version, no greeting for 2 s
///
/// Lives on a thread of its own. A gate hands an event over and goes on; what is slow here, or hangs, or comes in thousands, is this
/// thread's and its listeners' alone. While nobody listens, events are not even handed over.
package actor StationSocket {
  /// The bytes of events that are kept for those who are behind.
  private static let mostBytes = 524_288
  /// How many packets are read or sent for one listener before the others have their turn.
  private static let turn = 32
  /// How many answers may wait for a listener that reads none.
  private static let mostOutgoing = 160
  /// How many events are pushed out of the inbox when this thread does not come to take them.
  private static let pushedOut = 64
  /// The soonest that the station is looked at again.
  private static let lookInterval: Duration = .milliseconds(50)

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private struct Inbox {
    var events: [GatewayEvent] = []
    /// How many were pushed out by later ones.
    var dropped: UInt64 = 0
    var isListened = false
  }

  private nonisolated let loop: DeviceLoop
  private nonisolated let time = SystemTime()
  private let socket: PacketListener
  private let face: StationFace
  private nonisolated let events: EventHub
  private nonisolated let inbox = Mutex(Inbox())

  private var listening: DeviceLoop.Watch?
  private var listeners: [UInt64: StationListener] = [:]
  private var lastNumber: UInt64 = 0
  private var ring = EventRing(mostEntries: StationLimits.maximumWaiting, mostBytes: mostBytes)
  /// How many looks at the station have begun, and whether the last one is under way.
  private var looks: UInt64 = 0
  private var isLooking = false
  private var lastLook: MonotonicTime?

  /// Makes it; nobody is listened to before `start`.
  /// - Parameters:
  ///   - socket: where listeners come.
  ///   - events: what they are told.
  /// - Throws: where no thread can be started.
  package init(at socket: PacketListener, of face: StationFace, events: EventHub) throws(SystemError) {
    self.socket = socket
    self.face = face
    self.events = events
    loop = try DeviceLoop(name: "station socket")
  }

  deinit { loop.stop() }

  // MARK: Life

  /// Listens from now on; returns at once.
  package func start() {
    guard listening == nil else { return }
    listening = loop.watch(socket.number, for: .readable) { _ in self.assumeIsolated { $0.accept() } }
  }

  /// Ends all connections, after a word of why.
  package func stop() {
    if let listening { loop.unwatch(listening) }
    listening = nil
    for number in listeners.keys.sorted() { refuse(number, "The service is being ended.") }
    events.hand(to: nil)
  }

  /// The station's file is another now. Whoever may do more or less by it than it was told comes again, and is told.
  package func reviewRights() {
    for (number, listener) in listeners where face.rights(listener.peer.user) != listener.rights {
      refuse(number, "What your user may do here has changed. Connect again.")
    }
  }

  /// How many listen now.
  package var count: Int { listeners.count }

  /// Returns when the thread has answered.
  package nonisolated func heartbeat() async { await loop.heartbeat() }

  // MARK: Who comes

  private func accept() {
    // A bounded number: the rest makes the socket readable again, after those who are here had their turn.
    for _ in 0..<Self.turn {
      guard let socket = socket.accept() else { return }
      guard let peer = socket.peer else { continue }
      let rights = face.rights(peer.user)
      if let words = crowd(before: peer.user, rights) {
        _ = socket.send(StationMessage.refused(words).bytes)
        continue
      }
      lastNumber &+= 1
      let number = lastNumber
      let watch = loop.watch(socket.number, for: .readable) { _ in self.assumeIsolated { $0.read(number) } }
      listeners[number] = StationListener(
        number: number, socket: socket, peer: peer, rights: rights, reading: watch)
      _ = loop.at(time.now() + StationLimits.greeting) { self.assumeIsolated { $0.expectGreeting(of: number) } }
    }
  }

  /// Why there is no place for one more of a user; `nil` where there is.
  private func crowd(before user: UInt32, _ rights: ListenerRights) -> String? {
    let most = StationLimits.maximumListeners - (rights.isOwner ? 0 : StationLimits.ownListeners)
    guard listeners.count < most else { return "\(listeners.count) listen to the station already. End one of them." }
    let theirs = rights.isOwner ? 0 : listeners.values.count { $0.peer.user == user }
    guard theirs < StationLimits.listenersPerUser else {
      return "User \(user) listens to the station \(theirs) times already. End one of those."
    }
    return nil
  }

  private func expectGreeting(of number: UInt64) {
    if let listener = listeners[number], listener.program == nil { refuse(number, "No greeting came.") }
  }

  private func end(_ number: UInt64) {
    guard let listener = listeners.removeValue(forKey: number) else { return }
    loop.unwatch(listener.reading)
    if let writing = listener.writing { loop.unwatch(writing) }
    tellWhetherListened()
  }

  /// Ends a connection and says why, if it can still hear it.
  private func refuse(_ number: UInt64, _ words: String) {
    _ = listeners[number]?.socket.send(StationMessage.refused(words).bytes)
    end(number)
  }

  private func tellWhetherListened() {
    let isListened = listeners.values.contains { $0.next != nil }
    let wasListened = inbox.withLock { inbox in
      if !isListened { inbox.events = [] }
      return exchange(&inbox.isListened, with: isListened)
    }
    guard isListened != wasListened else { return }
    if isListened {
      events.hand { [weak self] event in self?.take(event) }
    } else {
      events.hand(to: nil)
      ring.clear()
    }
  }

  // MARK: What listeners say

  private func read(_ number: UInt64) {
    for _ in 0..<Self.turn {
      guard let listener = listeners[number] else { return }
      switch listener.socket.receive(limit: StationLimits.maximumPacket) {
      case .packet(let bytes):
        do throws(WireError) {
          take(try ListenerMessage(bytes: bytes), of: listener)
        } catch {
          refuse(number, "A message was not understood: \(error.description).")
        }
      case .tooLong(let count): refuse(number, "A message of \(count) bytes is too long.")
      case .nothing: return
      case .end: return end(number)
      }
    }
  }

  private func take(_ message: ListenerMessage, of listener: StationListener) {
    let number = listener.number
    switch message {
    case .hello(let version, _, _) where version != StationLimits.version:
      refuse(
        number,
        "The service speaks version \(StationLimits.version) of the station's protocol, this program version \(version). Install both "
          + "from one release, and start the service anew: systemctl restart scangate")
    case .hello(_, let program, let wants):
      listeners[number]?.program = TerminalText.clean(program, limit: 60)
      let names = wants.names && listener.rights.names
      listeners[number]?.names = names
      send(
        .welcome(
          StationWelcome(
            version: StationLimits.version, station: face.name(), program: face.version,
            orders: OrderKind.allCases.filter { listener.rights.orders.contains($0) }, names: names)), to: number)
    case .snapshot where listener.program != nil:
      if listener.awaitedLook == nil { listeners[number]?.awaitedLook = looks &+ 1 }
      look()
    case .listen where listener.program != nil:
      if listener.next != nil { return }
      // What was handed over before is not of its time.
      drain()
      listeners[number]?.next = ring.next
      tellWhetherListened()
    case .order(let order) where listener.program != nil: take(order, of: listener)
    case .snapshot, .listen, .order: refuse(number, "A message came before its time.")
    }
  }

  private func take(_ order: StationOrder, of listener: StationListener) {
    let (number, id) = (listener.number, order.id)
    // As the file is now, whatever it was when the listener came.
    guard face.rights(listener.peer.user).orders.contains(order.action.kind) else {
      let words =
        "User \(listener.peer.user) may not give the order \(order.action.kind.rawValue). Give it as root: sudo scangate …"
      face.refused(order, listener.giver, words)
      return send(.answer(id, .refused(.notAllowed, words)), to: number)
    }
    guard listener.openOrders < StationLimits.maximumOpenOrders else {
      let words = "\(listener.openOrders) orders are not done yet. Wait for them."
      return send(.answer(id, .refused(.tooMany, words)), to: number)
    }
    listeners[number]?.openOrders += 1
    let (perform, giver) = (face.perform, listener.giver)
    Task {
      let outcome = await perform(order, giver)
      answer(id, outcome, to: number)
    }
  }

  private func answer(_ id: OrderID, _ outcome: OrderOutcome, to number: UInt64) {
    listeners[number]?.openOrders -= 1
    send(.answer(id, outcome), to: number)
  }

  // MARK: Looks

  /// Looks at the station for those who await it. Who asks while a look is under way gets the next one: what it has done before is then
  /// in what it sees.
  private func look() {
    guard !isLooking, listeners.values.contains(where: { $0.awaitedLook != nil }) else { return }
    isLooking = true
    let due = lastLook.map { $0 + Self.lookInterval } ?? time.now()
    _ = loop.at(due) { self.assumeIsolated { $0.beginLook() } }
  }

  private func beginLook() {
    looks &+= 1
    lastLook = time.now()
    let snapshot = face.snapshot
    Task { looked(await snapshot()) }
  }

  private func looked(_ snapshot: StationSnapshot) {
    isLooking = false
    var snapshot = snapshot
    snapshot.counters.listeners = UInt64(listeners.count)
    let packets = snapshot.parts.map { StationMessage.snapshot($0).bytes }
    for (number, listener) in listeners {
      guard let awaited = listener.awaitedLook, awaited <= looks else { continue }
      listeners[number]?.awaitedLook = nil
      if packets.isEmpty { refuse(number, "What there is to tell of the station is too long.") }
      enqueue(packets, for: number)
    }
    look()
  }

  // MARK: Events

  /// Takes an event from whoever hands it over; returns at once.
  private nonisolated func take(_ event: GatewayEvent) {
    let isFirst = inbox.withLock { inbox in
      guard inbox.isListened else { return false }
      inbox.events.append(event)
      if inbox.events.count > StationLimits.maximumWaiting {
        // Many at once, so that it does not cost whoever hands over each time.
        inbox.events.removeFirst(Self.pushedOut)
        inbox.dropped &+= UInt64(Self.pushedOut)
      }
      return inbox.events.count == 1
    }
    if isFirst { _ = loop.at(time.now()) { self.assumeIsolated { $0.tell() } } }
  }

  private func tell() {
    drain()
    for number in listeners.keys { pump(number) }
  }

  /// Takes what was handed over into the ring.
  private func drain() {
    let (events, dropped) = inbox.withLock { inbox in
      (exchange(&inbox.events, with: []), exchange(&inbox.dropped, with: 0))
    }
    ring.skip(dropped)
    let hasNames = listeners.values.contains { $0.names && $0.next != nil }
    for event in events { ring.append { Self.packets(of: event, number: $0, withNames: hasNames) } }
  }

  private static func packets(
    of event: GatewayEvent, number: UInt64, withNames: Bool
  ) -> (packet: [UInt8], named: [UInt8]?)? {
    func packet(_ event: GatewayEvent) -> [UInt8]? {
      let line = event.jsonLine
      guard line.utf8.count <= StationLimits.maximumLine else { return nil }
      return StationMessage.event(StationEvent(number: number, line: line)).bytes
    }
    guard let plain = packet(event.withoutNames) else { return nil }
    return (plain, withNames && event.hasNames ? packet(event) : nil)
  }

  // MARK: Sending

  private func send(_ message: StationMessage, to number: UInt64) { enqueue([message.bytes], for: number) }

  private func enqueue(_ packets: [[UInt8]], for number: UInt64) {
    guard let waiting = listeners[number]?.outgoing.count else { return }
    // It asks and asks, and reads no answer.
    guard waiting + packets.count <= Self.mostOutgoing else { return end(number) }
    listeners[number]?.outgoing += packets
    pump(number)
  }

  /// Sends a listener what it is to be told, as far as its queue has room, and a bounded number at a time.
  private func pump(_ number: UInt64) {
    // Until there is room, nothing more is tried.
    guard listeners[number]?.writing == nil else { return }
    for _ in 0..<Self.turn {
      guard let listener = listeners[number] else { return }
      let packet: [UInt8]
      var (isOutgoing, next) = (false, listener.next)
      if let first = listener.outgoing.first {
        (packet, isOutgoing) = (first, true)
      } else if let number = listener.next {
        switch ring.next(from: number) {
        case .nothing: return
        case .dropped(let count):
          packet = StationMessage.dropped(count).bytes
          next = number &+ count
        case .entry(let entry):
          packet = listener.names ? entry.namedPacket ?? entry.packet : entry.packet
          next = number &+ 1
        }
      } else {
        return
      }
      guard listener.socket.send(packet) else { return awaitRoom(for: number) }
      if isOutgoing {
        listeners[number]?.outgoing.removeFirst()
      } else {
        if let next, let before = listener.next, next &- before > 1 { face.dropped(next &- before) }
        listeners[number]?.next = next
      }
    }
    _ = loop.at(time.now()) { self.assumeIsolated { $0.pump(number) } }
  }

  private func awaitRoom(for number: UInt64) {
    guard let socket = listeners[number]?.socket else { return }
    // A peer that is gone is found by reading.
    listeners[number]?.writing = loop.watch(socket.number, for: .writable) { readiness in
      self.assumeIsolated { $0.hasRoom(number, isGone: readiness.isGone) }
    }
  }

  private func hasRoom(_ number: UInt64, isGone: Bool) {
    guard let writing = listeners[number]?.writing else { return }
    loop.unwatch(writing)
    listeners[number]?.writing = nil
    if isGone { return end(number) }
    pump(number)
  }
}
