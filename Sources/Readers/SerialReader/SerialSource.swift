import LinuxIO
public import ScanModel
import ScanPipeline

/// The serial scanners of a station: finds their lines, opens them for this program alone, reads them, on one thread that
/// does nothing else.
///
/// Lines that are matched by what udev knows come and go by its word. A line that is named by a path is looked for twice a
/// second while it is not there: a pseudo-terminal or a link announces itself to nobody.
public actor SerialSource: ReadSource {
  private nonisolated let loop: DeviceLoop
  private nonisolated let configurations: [SerialConfiguration]
  private let time = SystemTime()

  private var deliver: (@Sendable (ReaderEvent) -> Void)?
  private var monitor: DeviceMonitor?
  private var monitorWatch: DeviceLoop.Watch?
  private var look: DeviceLoop.Timer?
  /// Every tty that udev tells of, by sysfs path.
  private var known: [String: DeviceIdentity] = [:]
  /// Whether news were lost since `known` was right.
  private var isStale = false
  /// What belongs to a reader, by sysfs path.
  private var nodes: [String: SerialNode] = [:]
  private var problems: [Int: String] = [:]
  private var states: [Int: ReaderState] = [:]

  /// How long a line that udev does not announce may be there unseen.
  private static let lookPause = Duration.milliseconds(500)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a source; `start` begins its work.
  /// - Throws: where the system has no thread for it.
  public init(_ configurations: [SerialConfiguration]) throws(DeviceError) {
    self.configurations = configurations
    do throws(SystemError) {
      loop = try DeviceLoop(name: "serial")
    } catch {
      throw DeviceError(
        device: "serial readers", what: "no thread could be started: \(error)",
        remedy: "Look for what uses up this machine's memory or threads.", errno: error.errno)
    }
  }

  deinit { loop.stop() }

  /// Begins to watch for lines and to read.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached and is needed.
  public func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    if let problem = SerialConfiguration.problems(in: configurations).first { throw problem }
    stop()
    do throws(SystemError) {
      if configurations.contains(where: \.place.needsMonitor) { try listen() }
    } catch {
      stop()
      throw DeviceError(
        device: "udev", what: "it cannot be asked for serial lines: \(error)",
        remedy: "The service needs AF_NETLINK and the network name space of the host (no PrivateNetwork=yes).",
        errno: error.errno)
    }
    self.deliver = deliver
    assign()
  }

  /// Lets go of every line. After it returns, nothing is delivered any more; `start` may be called again.
  public func stop() {
    deliver = nil
    if let monitorWatch { loop.unwatch(monitorWatch) }
    if let look { loop.cancel(look) }
    monitorWatch = nil
    look = nil
    monitor = nil
    for node in nodes.values { release(node) }
    nodes = [:]
    known = [:]
    isStale = false
    problems = [:]
    states = [:]
  }

  public nonisolated func heartbeat() async { await loop.heartbeat() }

  // MARK: What is there

  private func listen() throws(SystemError) {
    let monitor = try DeviceMonitor(subsystem: "tty")
    // Before the list is read, so that no device falls between list and news.
    try monitor.listen()
    self.monitor = monitor
    try enumerate(monitor)
    monitorWatch = loop.watch(monitor.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.hearNews() }
    }
  }

  private func enumerate(_ monitor: DeviceMonitor) throws(SystemError) {
    let devices = try monitor.devices()
    known = [:]
    for device in devices { known[device.sysfsPath] = device }
    isStale = false
  }

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
    for node in nodes.values where node.session != nil { held[node.lane] = node.identity.sysfsPath }
    let roster = SerialRoster(known: Array(known.values), configurations: configurations, held: held)
    let present = Dictionary(roster.devices.map { ($0.sysfsPath, $0) }, uniquingKeysWith: { first, _ in first })
    problems = roster.assignment.problems
    for (path, node) in nodes {
      let isOurs = roster.assignment.fates[path] == .taken(lane: node.lane)
      if isOurs, let device = present[path], node.isSamePlug(as: device) { continue }
      drop(node)
    }
    for (path, fate) in roster.assignment.fates {
      guard case .taken(let lane) = fate, nodes[path] == nil, let device = present[path] else { continue }
      let node = SerialNode(identity: device, lane: lane)
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
    look = loop.at(time.now() + Self.lookPause) { [weak self] in self?.assumeIsolated { $0.assign() } }
  }

  // MARK: Taking a line

  private func attempt(_ node: SerialNode) {
    cancelRetry(node)
    let configuration = configurations[node.lane]
    do throws(SystemError) {
      let device = try SerialDevice(node: node.identity.node, settings: configuration.settings)
      begin(node, device)
    } catch {
      wait(node, for: SerialObstacle(error))
    }
  }

  private func begin(_ node: SerialNode, _ device: SerialDevice) {
    let configuration = configurations[node.lane]
    let assembler = SerialAssembler(reader: configuration.id, framing: configuration.framing, attachedAt: time.now())
    let session = SerialSession(device: device, assembler: assembler)
    let path = node.identity.sysfsPath
    session.watch = loop.watch(device.descriptor, for: .readable) { [weak self] readiness in
      self?.assumeIsolated { $0.read(path, isGone: readiness.contains(.gone)) }
    }
    node.session = session
    node.obstacle = nil
    node.pause = .zero
    setSilence(node)
  }

  private func wait(_ node: SerialNode, for obstacle: SerialObstacle) {
    node.obstacle = obstacle
    node.pause = min(max(node.pause * 2, obstacle.firstPause), obstacle.longestPause)
    let path = node.identity.sysfsPath
    node.retry = loop.at(time.now() + node.pause) { [weak self] in
      self?.assumeIsolated { source in
        guard let node = source.nodes[path], node.session == nil else { return }
        source.attempt(node)
        source.tellStates()
      }
    }
  }

  // MARK: Reading

  private func read(_ path: String, isGone: Bool) {
    guard let node = nodes[path], let session = node.session else { return }
    let end = session.read { deliver?($0) }
    switch end {
    case .gone: lose(node)
    case .drained where isGone: lose(node)
    case .drained, .turn:
      setSilence(node)
      tellStates()
    }
  }

  private func setSilence(_ node: SerialNode) {
    guard let session = node.session else { return }
    if let silence = session.silence { loop.cancel(silence) }
    let path = node.identity.sysfsPath
    session.silence = session.deadline.map {
      loop.at($0) { [weak self] in self?.assumeIsolated { $0.read(path, isGone: false) } }
    }
  }

  /// The line does not answer any more. udev's word may come later, or never (a pseudo-terminal).
  private func lose(_ node: SerialNode) {
    drop(node)
    // Tried again after a pause as long as it is there: a line that opens and breaks at once must not keep us busy.
    let again = SerialNode(identity: node.identity, lane: node.lane)
    nodes[node.identity.sysfsPath] = again
    wait(again, for: .absent)
    assign()
  }

  private func drop(_ node: SerialNode) {
    node.session?.unplug(at: time.now()) { deliver?($0) }
    release(node)
    nodes[node.identity.sysfsPath] = nil
  }

  private func release(_ node: SerialNode) {
    cancelRetry(node)
    guard let session = node.session else { return }
    if let watch = session.watch { loop.unwatch(watch) }
    if let silence = session.silence { loop.cancel(silence) }
    node.session = nil
  }

  private func cancelRetry(_ node: SerialNode) {
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
    let node = nodes.values.first { $0.lane == lane }
    if let node, let session = node.session {
      let title = node.identity.title
      guard session.isSettled else { return .waiting("a short silence of \(title) before reading begins") }
      return .reading(problems[lane].map { "\(title); \($0)" } ?? title)
    }
    if let problem = problems[lane] { return .failed(problem) }
    guard let node, let obstacle = node.obstacle,
      let words = obstacle.words(node.identity, configurations[lane].settings)
    else { return .parked }
    return obstacle.isFault ? .failed(words) : .waiting(words)
  }
}

extension SerialConfiguration.Place {
  /// Whether only udev can tell where it is.
  fileprivate var needsMonitor: Bool {
    if case .match = self { true } else { false }
  }
}
