import Glibc
import LinuxIO
public import ScanModel
import ScanPipeline

/// The wedges of a station: finds them, grabs them, reads them, on one thread that does nothing else.
///
/// The kernel keeps some 64 events for a reader that is late, so nothing slow runs on the thread: keymaps are compiled
/// before it begins, and `deliver` returns at once by contract.
public actor WedgeSource: ReadSource {
  private nonisolated let loop: DeviceLoop
  private nonisolated let configurations: [WedgeConfiguration]
  private let time = SystemTime()

  private var keymaps: [KeymapNames: Keymap] = [:]
  private var deliver: (@Sendable (ReaderEvent) -> Void)?
  private var monitor: DeviceMonitor?
  private var monitorWatch: DeviceLoop.Watch?
  private var enumeration: DeviceLoop.Timer?
  private var identities: IdentityMonitor?
  private var identitiesWatch: DeviceLoop.Watch?
  /// Everything that udev tells of, by sysfs path.
  private var roster: [String: DeviceIdentity] = [:]
  /// What belongs to a reader, by sysfs path.
  private var nodes: [String: WedgeNode] = [:]
  private var problems: [Int: String] = [:]
  private var states: [Int: ReaderState] = [:]

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a source; `start` begins its work.
  /// - Throws: where the system has no thread for it.
  public init(_ configurations: [WedgeConfiguration]) throws(DeviceError) {
    self.configurations = configurations
    do throws(SystemError) {
      loop = try DeviceLoop(name: "wedges")
    } catch {
      throw DeviceError(
        device: "wedge readers", what: "no thread could be started: \(error)",
        remedy: "Look for what uses up this machine's memory or threads.", errno: error.errno)
    }
  }

  deinit { loop.stop() }

  /// Begins to watch for devices and to read. Compiles the keymaps first, on a thread of their own.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached.
  public nonisolated func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    if let problem = WedgeConfiguration.problems(in: configurations, compilingKeymaps: false).first { throw problem }
    let compiled = await SystemThread.run("keymaps") { [configurations] in Self.compile(configurations) }
    try await begin(keymaps: compiled.get(), deliver: deliver)
  }

  private static func compile(_ configurations: [WedgeConfiguration]) -> Result<[KeymapNames: Keymap], DeviceError> {
    do throws(DeviceError) {
      var keymaps: [KeymapNames: Keymap] = [:]
      for configuration in configurations where keymaps[configuration.keymap] == nil {
        keymaps[configuration.keymap] = try Keymap(configuration.keymap, for: configuration.id)
      }
      return .success(keymaps)
    } catch {
      return .failure(error)
    }
  }

  /// Lets go of every device. After it returns, nothing is delivered any more; `start` may be called again.
  public func stop() {
    deliver = nil
    if let monitorWatch { loop.unwatch(monitorWatch) }
    if let identitiesWatch { loop.unwatch(identitiesWatch) }
    if let enumeration { loop.cancel(enumeration) }
    identitiesWatch = nil
    identities = nil
    monitorWatch = nil
    enumeration = nil
    monitor = nil
    for node in nodes.values { release(node) }
    nodes = [:]
    roster = [:]
    problems = [:]
    states = [:]
  }

  public nonisolated func heartbeat() async { await loop.heartbeat() }

  // MARK: What udev tells

  private func begin(
    keymaps: [KeymapNames: Keymap], deliver: @escaping @Sendable (ReaderEvent) -> Void
  ) throws(DeviceError) {
    stop()
    self.keymaps = keymaps
    do throws(SystemError) {
      let monitor = try DeviceMonitor(subsystem: "input")
      // Before the list is read, so that no device falls between list and news.
      try monitor.listen()
      self.monitor = monitor
      try watchIdentities()
      try enumerate(monitor)
      monitorWatch = loop.watch(monitor.descriptor, for: .readable) { [weak self] _ in
        self?.assumeIsolated { $0.hearNews() }
      }
    } catch {
      stop()
      throw DeviceError(
        device: "udev", what: "it cannot be asked for input devices: \(error)",
        remedy: "The service needs AF_NETLINK and the network name space of the host (no PrivateNetwork=yes).",
        errno: error.errno)
    }
    self.deliver = deliver
    assign()
  }

  private func watchIdentities() throws(SystemError) {
    let identities = try IdentityMonitor()
    self.identities = identities
    identitiesWatch = loop.watch(identities.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { source in source.identities?.hear().forEach { source.deliver?($0) } }
    }
  }

  private func enumerate(_ monitor: DeviceMonitor) throws(SystemError) {
    roster = [:]
    for device in try monitor.devices() { roster[device.sysfsPath] = device }
  }

  private func hearNews() {
    guard let monitor else { return }
    var isStale = false
    while let change = monitor.next() {
      switch change {
      case .present(let device):
        roster[device.sysfsPath] = device
        // A change of permissions comes as news of a device that is known: try at once.
        if let node = nodes[device.sysfsPath], node.session == nil { hurry(node) }
      case .gone(let path): roster[path] = nil
      case .lost: isStale = true
      }
    }
    if isStale { lookAgain() } else { assign() }
  }

  private func lookAgain() {
    guard let monitor else { return }
    do throws(SystemError) {
      try enumerate(monitor)
      assign()
    } catch {
      if let enumeration { loop.cancel(enumeration) }
      enumeration = loop.at(time.now() + .milliseconds(500)) { [weak self] in
        self?.assumeIsolated { $0.lookAgain() }
      }
    }
  }

  private func assign() {
    var held: [Int: String] = [:]
    for node in nodes.values where node.session != nil { held[node.lane] = node.identity.physicalPath }
    let assignment = DeviceAssignment(devices: Array(roster.values), configurations: configurations, held: held)
    problems = assignment.problems
    for (path, node) in nodes {
      let isOurs = assignment.fates[path] == .taken(lane: node.lane)
      if isOurs, let device = roster[path], node.isSamePlug(as: device) { continue }
      drop(node)
    }
    for (path, fate) in assignment.fates {
      guard case .taken(let lane) = fate, nodes[path] == nil, let device = roster[path] else { continue }
      let node = WedgeNode(identity: device, lane: lane)
      nodes[path] = node
      attempt(node)
    }
    tellStates()
  }

  // MARK: Taking a device

  private func attempt(_ node: WedgeNode) {
    cancelRetry(node)
    do throws(SystemError) {
      let device = try EventDevice(node: node.identity.node)
      // Other programs would never see the release of a key that is down now.
      guard try !device.hasKeysDown() else { return wait(node, for: .keyDown) }
      try device.grab()
      guard try !device.hasKeysDown() else {
        device.ungrab()
        return wait(node, for: .keyDown)
      }
      device.discardPending()
      begin(node, device)
    } catch {
      wait(node, for: .init(error))
    }
  }

  private func begin(_ node: WedgeNode, _ device: EventDevice) {
    let configuration = configurations[node.lane]
    guard let keymap = keymaps[configuration.keymap] else { return }
    let translator = KeyTranslator(
      keymap: keymap, page: configuration.oemPage, terminators: configuration.framing.terminators,
      capsLock: configuration.startsWithCapsLock, numLock: configuration.startsWithNumLock)
    let assembler = WedgeAssembler(reader: configuration.id, framing: configuration.framing, attachedAt: time.now())
    let session = WedgeSession(device: device, translator: translator, assembler: assembler)
    let path = node.identity.sysfsPath
    session.watch = loop.watch(device.descriptor, for: .readable) { [weak self] readiness in
      self?.assumeIsolated { $0.read(path, isGone: readiness.contains(.gone)) }
    }
    node.session = session
    identities?.hold(node.identity, by: configuration.id)
    node.waitsFor = nil
    node.pause = .zero
    setSilence(node)
  }

  private func wait(_ node: WedgeNode, for obstacle: WedgeObstacle) {
    node.waitsFor = obstacle.words(node.identity)
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

  private func hurry(_ node: WedgeNode) {
    node.pause = .zero
    attempt(node)
  }

  // MARK: Reading

  private func read(_ path: String, isGone: Bool) {
    guard let node = nodes[path], let session = node.session else { return }
    let end = session.read(now: time.now()) { event in
      identities?.note(event, of: node.identity)
      deliver?(event)
    }
    switch end {
    case .gone: lose(node)
    case .drained where isGone: lose(node)
    case .drained, .turn: setSilence(node)
    }
    tellStates()
  }

  private func setSilence(_ node: WedgeNode) {
    guard let session = node.session else { return }
    if let silence = session.silence { loop.cancel(silence) }
    let path = node.identity.sysfsPath
    session.silence = session.deadline.map {
      loop.at($0) { [weak self] in self?.assumeIsolated { $0.read(path, isGone: false) } }
    }
  }

  /// The device does not answer any more. udev's word may come later, or never (a revoked descriptor).
  private func lose(_ node: WedgeNode) {
    let path = node.identity.sysfsPath
    drop(node)
    guard access(path, F_OK) == 0, let device = roster[path] else {
      roster[path] = nil
      return assign()
    }
    let again = WedgeNode(identity: device, lane: node.lane)
    nodes[path] = again
    wait(again, for: .absent)
  }

  private func drop(_ node: WedgeNode) {
    node.session?.unplug(at: time.now()) { deliver?($0) }
    release(node)
    nodes[node.identity.sysfsPath] = nil
  }

  private func release(_ node: WedgeNode) {
    cancelRetry(node)
    guard let session = node.session else { return }
    if let watch = session.watch { loop.unwatch(watch) }
    if let silence = session.silence { loop.cancel(silence) }
    node.session = nil
    identities?.letGo(node.identity)
  }

  private func cancelRetry(_ node: WedgeNode) {
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
    let grabbed = own.filter { $0.session != nil }
    let settled = grabbed.filter { $0.session?.isSettled == true }
    // A scanner with several nodes is ready when all are; one that comes later does not make it unready.
    if let first = settled.first, settled.count == grabbed.count || states[lane]?.name == "reading" {
      let title = first.identity.title
      return .reading(problems[lane].map { "\(title); \($0)" } ?? title)
    }
    if let first = grabbed.first { return .waiting("a short silence of \(first.identity.title) before reading begins") }
    if let problem = problems[lane] { return .failed(problem) }
    if let words = own.lazy.compactMap(\.waitsFor).first { return .waiting(words) }
    return .parked
  }
}

extension WedgeNode {
  /// Whether udev tells of the same device that was plugged in here before, perhaps with other properties.
  fileprivate func isSamePlug(as device: DeviceIdentity) -> Bool {
    device.node == identity.node && device.vendor == identity.vendor && device.product == identity.product
      && device.serial == identity.serial
  }
}
