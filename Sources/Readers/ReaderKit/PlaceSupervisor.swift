import Glibc
import LinuxIO
package import ScanModel

/// The one supervisor of places: finds the devices of a technology's readers, has them opened, read and closed, tries again what
/// cannot be had yet and tells the readers' states; on one thread that does nothing else.
///
/// Devices that are matched by what udev knows come and go by its word. One that is named by a path is looked for twice a second
/// while it is not read: a pseudo-terminal or a link announces itself to nobody.
///
/// The kernel keeps some 64 events for a reader that is late, so nothing slow runs on the thread: what takes long is prepared
/// before it begins, and `deliver` returns at once by contract.
package actor PlaceSupervisor<Technology: ReaderTechnology>: ReadSource {
  private typealias Node = PlaceNode<Technology>

  private nonisolated let loop: DeviceLoop
  private nonisolated let configurations: [Technology.Configuration]
  private nonisolated let given: Technology
  private let time = SystemTime()

  private var technology: Technology
  private var deliver: (@Sendable (ReaderEvent) -> Void)?
  private var monitor: DeviceMonitor?
  private var monitorWatch: DeviceLoop.Watch?
  private var companion: (any PlaceCompanion)?
  private var companionWatch: DeviceLoop.Watch?
  private var look: DeviceLoop.Timer?
  /// Everything that udev tells of, by sysfs path.
  private var known: [String: DeviceIdentity] = [:]
  /// Whether news were lost since `known` was right.
  private var isStale = false
  /// What belongs to a reader, by sysfs path.
  private var nodes: [String: Node] = [:]
  private var problems: [Int: String] = [:]
  private var states: [Int: ReaderState] = [:]

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a supervisor; `start` begins its work.
  /// - Throws: where the system has no thread for it.
  package init(_ technology: Technology, _ configurations: [Technology.Configuration]) throws(DeviceError) {
    given = technology
    self.technology = technology
    self.configurations = configurations
    do throws(SystemError) {
      loop = try DeviceLoop(name: Technology.thread)
    } catch {
      throw DeviceError(
        device: Technology.names.readers, what: "no thread could be started: \(error)",
        remedy: "Look for what uses up this machine's memory or threads.", errno: error.errno)
    }
  }

  deinit { loop.stop() }

  /// Begins to watch for devices and to read.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached and is needed.
  package nonisolated func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await begin(given.prepared(for: configurations), deliver)
  }

  /// Lets go of every device. After it returns, nothing is delivered any more; `start` may be called again.
  package func stop() {
    deliver = nil
    if let monitorWatch { loop.unwatch(monitorWatch) }
    if let companionWatch { loop.unwatch(companionWatch) }
    if let look { loop.cancel(look) }
    monitorWatch = nil
    companionWatch = nil
    look = nil
    for node in nodes.values { release(node) }
    monitor = nil
    companion = nil
    nodes = [:]
    known = [:]
    isStale = false
    problems = [:]
    states = [:]
  }

  package nonisolated func heartbeat() async { await loop.heartbeat() }

  /// What a reader reads from; `nil` while it does not.
  package func session(of reader: ReaderID) -> Technology.Session? {
    nodes.values.first { configurations[$0.lane].id == reader }?.session
  }

  // MARK: What is there

  private func begin(
    _ technology: Technology, _ deliver: @escaping @Sendable (ReaderEvent) -> Void
  ) throws(DeviceError) {
    stop()
    self.technology = technology
    do throws(SystemError) {
      if configurations.contains(where: \.place.needsMonitor) { try listen() }
    } catch {
      stop()
      throw DeviceError(
        device: "udev", what: "it cannot be asked for \(Technology.names.devices): \(error)",
        remedy: "The service needs AF_NETLINK and the network name space of the host (no PrivateNetwork=yes).",
        errno: error.errno)
    }
    self.deliver = deliver
    assign()
  }

  private func listen() throws(SystemError) {
    let monitor = try DeviceMonitor(subsystem: Technology.subsystem)
    // Before the list is read, so that no device falls between list and news.
    try monitor.listen()
    self.monitor = monitor
    if let companion = try technology.companion() {
      self.companion = companion
      companionWatch = loop.watch(companion.descriptor, for: .readable) { [weak self] _ in
        self?.assumeIsolated { $0.hearCompanion() }
      }
    }
    try enumerate(monitor)
    monitorWatch = loop.watch(monitor.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.hearNews() }
    }
  }

  private func enumerate(_ monitor: DeviceMonitor) throws(SystemError) {
    known = Dictionary(try monitor.devices().map { ($0.sysfsPath, $0) }) { $1 }
    isStale = false
  }

  private func hearCompanion() { companion?.hear().forEach { deliver?($0) } }

  private func hearNews() {
    guard let monitor else { return }
    while let change = monitor.next() {
      switch change {
      case .present(let device):
        known[device.sysfsPath] = device
        // A change of permissions comes as news of a device that is known: try at once.
        if let node = nodes[device.sysfsPath], node.session == nil {
          node.pause = .zero
          attempt(node)
        }
      case .gone(let path): known[path] = nil
      case .lost: isStale = true
      }
    }
    assign()
  }

  private func assign() {
    // Where that fails, what was known stands until the next look.
    if isStale, let monitor { try? enumerate(monitor) }
    var held: [Int: String] = [:]
    for node in nodes.values where node.session != nil { held[node.lane] = Technology.thing(of: node.identity) }
    let roster = Technology.roster(known: Array(known.values), configurations: configurations, held: held)
    let present = Dictionary(roster.devices.map { ($0.sysfsPath, $0) }, uniquingKeysWith: { first, _ in first })
    problems = roster.assignment.problems
    for (path, node) in nodes {
      let isOurs = roster.assignment.fates[path] == .taken(lane: node.lane)
      if isOurs, let device = present[path], node.isSamePlug(as: device) { continue }
      drop(node)
    }
    for (path, fate) in roster.assignment.fates {
      guard case .taken(let lane) = fate, nodes[path] == nil, let device = present[path] else { continue }
      let node = Node(identity: device, lane: lane)
      nodes[path] = node
      attempt(node)
    }
    tellStates()
    lookAgainLater()
  }

  /// Paths are looked at again as long as one of them is not read from, and udev's list until it could be had.
  private func lookAgainLater() {
    if let look { loop.cancel(look) }
    look = nil
    let reading = Set(nodes.values.filter { $0.session != nil }.map(\.lane))
    let isSought = configurations.enumerated().contains { lane, configuration in
      !configuration.place.needsMonitor && !reading.contains(lane)
    }
    guard isSought || isStale else { return }
    look = loop.at(time.now() + lookPause) { [weak self] in self?.assumeIsolated { $0.assign() } }
  }

  // MARK: Taking a device

  private func attempt(_ node: Node) {
    cancelRetry(node)
    let path = node.identity.sysfsPath
    do throws(Technology.Obstacle) {
      let session = try technology.open(node.identity, for: configurations[node.lane], on: loop) { [weak self] in
        self?.assumeIsolated { $0.turn(path) { session, tell in session.check(tell) } }
      }
      begin(node, session)
    } catch {
      wait(node, for: error)
    }
  }

  private func begin(_ node: Node, _ session: Technology.Session) {
    let path = node.identity.sysfsPath
    node.watch = loop.watch(session.descriptor, for: .readable) { [weak self] readiness in
      self?.assumeIsolated { $0.turn(path) { session, tell in session.read(isGone: readiness.isGone, tell) } }
    }
    node.session = session
    companion?.hold(node.identity, by: configurations[node.lane].id)
    if session.isProven { forgive(node) }
    setAlarm(node)
  }

  private func wait(_ node: Node, for obstacle: Technology.Obstacle) {
    node.obstacle = obstacle
    node.pause = min(max(node.pause * 2, obstacle.pauses.lowerBound), obstacle.pauses.upperBound)
    let path = node.identity.sysfsPath
    node.retry = loop.at(time.now() + node.pause) { [weak self] in
      self?.assumeIsolated { source in
        guard let node = source.nodes[path], node.session == nil else { return }
        source.attempt(node)
        source.tellStates()
      }
    }
  }

  /// It works: the next trouble is a new one.
  private func forgive(_ node: Node) {
    node.obstacle = nil
    node.pause = .zero
  }

  // MARK: Reading

  private func turn(
    _ path: String, _ work: (Technology.Session, (ReaderEvent) -> Void) -> ReadEnd<Technology.Obstacle>
  ) {
    guard let node = nodes[path], let session = node.session else { return }
    let phase = session.phase
    // Swift 6.2 does not see that the closure, which ends with the call, leaves the node where it is.
    let identity = node.identity
    let end = work(session) { event in
      companion?.note(event, of: identity)
      deliver?(event)
    }
    if session.isProven { forgive(node) }
    switch end {
    case .gone: lose(node)
    case .broken(let obstacle): beginAnew(node, obstacle)
    case .open:
      setAlarm(node)
      if session.phase != phase { tellStates() }
    }
  }

  /// Has the session looked at when it wants to be.
  private func setAlarm(_ node: Node) {
    let deadline = node.session?.deadline
    guard deadline != node.alarm?.at else { return }
    if let alarm = node.alarm { loop.cancel(alarm.timer) }
    let path = node.identity.sysfsPath
    node.alarm = deadline.map { deadline in
      let timer = loop.at(deadline) { [weak self] in
        self?.assumeIsolated { source in
          // Cancelled with the session: what is there is the one that it was set for.
          source.nodes[path]?.alarm = nil
          source.turn(path) { session, tell in session.check(tell) }
        }
      }
      return (timer, deadline)
    }
  }

  /// It is closed, and opened again after a pause.
  private func beginAnew(_ node: Node, _ obstacle: Technology.Obstacle) {
    release(node)
    wait(node, for: obstacle)
    tellStates()
  }

  /// The device does not answer any more. udev's word may come later, or never (a pseudo-terminal, a revoked descriptor).
  private func lose(_ node: Node) {
    let path = node.identity.sysfsPath
    drop(node)
    var device = node.identity
    if Technology.asksSysfs {
      guard access(path, F_OK) == 0, let present = known[path] else {
        known[path] = nil
        return assign()
      }
      device = present
    }
    // Tried again after a pause as long as it is there: what opens and breaks at once must not keep us busy.
    let again = Node(identity: device, lane: node.lane)
    nodes[path] = again
    wait(again, for: .absent)
    if Technology.asksSysfs { tellStates() } else { assign() }
  }

  private func drop(_ node: Node) {
    node.session?.unplug { deliver?($0) }
    release(node)
    nodes[node.identity.sysfsPath] = nil
  }

  private func release(_ node: Node) {
    cancelRetry(node)
    guard let session = node.session else { return }
    if let watch = node.watch { loop.unwatch(watch) }
    if let alarm = node.alarm { loop.cancel(alarm.timer) }
    node.watch = nil
    node.alarm = nil
    session.close()
    node.session = nil
    companion?.letGo(node.identity)
  }

  private func cancelRetry(_ node: Node) {
    if let retry = node.retry { loop.cancel(retry) }
    node.retry = nil
  }

  // MARK: States

  private func tellStates() {
    guard let deliver else { return }
    for (lane, configuration) in configurations.enumerated() {
      let state = state(of: lane)
      guard states[lane] != state else { continue }
      states[lane] = state
      deliver(.state(reader: configuration.id, state: state))
    }
  }

  private func state(of lane: Int) -> ReaderState {
    let own = nodes.values.filter { $0.lane == lane }.sorted { $0.identity.node < $1.identity.node }
    let open = own.compactMap { node in node.session.map { (node: node, session: $0) } }
    if let (node, session) = open.first(where: { $0.session.phase == .failed }) {
      return .failed(session.words(node.identity, in: .failed))
    }
    let settled = open.filter { $0.session.phase == .reading }
    // A scanner with several nodes is ready when all are; one that comes later does not make it unready.
    if let (node, session) = settled.first, settled.count == open.count || states[lane]?.name == "reading" {
      return .reading(
        [session.words(node.identity, in: .reading), problems[lane]].compactMap(\.self).joined(separator: "; "))
    }
    if let (node, session) = open.first {
      return .waiting(words(of: node) ?? session.words(node.identity, in: .settling))
    }
    if let problem = problems[lane] { return .failed(problem) }
    for node in own {
      guard let words = words(of: node) else { continue }
      return node.obstacle?.isFault == true ? .failed(words) : .waiting(words)
    }
    return .parked
  }

  /// What is in its way.
  private func words(of node: Node) -> String? { node.obstacle?.words(node.identity, for: configurations[node.lane]) }
}

/// How long a device that udev does not announce may be there unseen.
private let lookPause = Duration.milliseconds(500)

extension DevicePlace {
  /// Whether only udev can tell where it is.
  fileprivate var needsMonitor: Bool { if case .match = self { true } else { false } }
}
