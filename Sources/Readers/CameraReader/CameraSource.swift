import DecodeClient
public import LinuxIO
public import ScanModel

/// The cameras of a station: finds them, streams from those that are configured and from no other, and has their pictures
/// looked at, on one thread that does nothing else.
///
/// Cameras that are matched by what udev knows come and go by its word. One that is named by a path is looked for twice a
/// second while it is not there. Pictures are never kept: the newest goes to the decoder when that is free, all others go back
/// to the driver unseen.
public actor CameraSource: ReadSource {
  private nonisolated let loop: DeviceLoop
  private nonisolated let configurations: [CameraConfiguration]
  private nonisolated let calls: any VideoCalls
  private nonisolated let makeDecoder: FrameDecoderMaker
  private let time = SystemTime()

  private var deliver: (@Sendable (ReaderEvent) -> Void)?
  private var monitor: DeviceMonitor?
  private var monitorWatch: DeviceLoop.Watch?
  private var look: DeviceLoop.Timer?
  /// Every video node that udev tells of, by sysfs path.
  private var known: [String: DeviceIdentity] = [:]
  /// Whether news were lost since `known` was right.
  private var isStale = false
  /// What belongs to a reader, by sysfs path.
  private var nodes: [String: CameraNode] = [:]
  private var problems: [Int: String] = [:]
  private var states: [Int: ReaderState] = [:]

  /// How long a camera that udev does not announce may be there unseen.
  private static let lookPause = Duration.milliseconds(500)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a source; `start` begins its work.
  /// - Parameters:
  ///   - calls: the system calls of cameras.
  ///   - makeDecoder: makes what looks at a camera's pictures.
  /// - Throws: where the system has no thread for it.
  public init(
    _ configurations: [CameraConfiguration], calls: any VideoCalls = SystemVideoCalls(),
    makeDecoder: @escaping FrameDecoderMaker
  ) throws(DeviceError) {
    self.configurations = configurations
    self.calls = calls
    self.makeDecoder = makeDecoder
    do throws(SystemError) {
      loop = try DeviceLoop(name: "camera")
    } catch {
      throw DeviceError(
        device: "cameras", what: "no thread could be started: \(error)",
        remedy: "Look for what uses up this machine's memory or threads.", errno: error.errno)
    }
  }

  deinit { loop.stop() }

  /// Begins to watch for cameras and to read.
  /// - Throws: the first thing that is wrong with the configurations, or that udev cannot be reached and is needed.
  public func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    if let problem = CameraConfiguration.problems(in: configurations).first { throw problem }
    stop()
    do throws(SystemError) {
      if configurations.contains(where: \.place.needsMonitor) { try listen() }
    } catch {
      stop()
      throw DeviceError(
        device: "udev", what: "it cannot be asked for cameras: \(error)",
        remedy: "The service needs AF_NETLINK and the network name space of the host (no PrivateNetwork=yes).",
        errno: error.errno)
    }
    self.deliver = deliver
    assign()
  }

  /// Lets go of every camera. After it returns, nothing is delivered any more; `start` may be called again.
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

  /// What the camera of a reader and its decoder have done since the camera was opened; `nil` while it is not read.
  public func counts(of reader: ReaderID) -> CameraCounts? {
    nodes.values.first { configurations[$0.lane].id == reader }?.session?.counts
  }

  // MARK: What is there

  private func listen() throws(SystemError) {
    let monitor = try DeviceMonitor(subsystem: "video4linux")
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
    let roster = CameraRoster(known: Array(known.values), configurations: configurations, held: held)
    let present = Dictionary(roster.devices.map { ($0.sysfsPath, $0) }, uniquingKeysWith: { first, _ in first })
    problems = roster.assignment.problems
    for (path, node) in nodes {
      let isOurs = roster.assignment.fates[path] == .taken(lane: node.lane)
      if isOurs, let device = present[path], node.isSamePlug(as: device) { continue }
      drop(node)
    }
    for (path, fate) in roster.assignment.fates {
      guard case .taken(let lane) = fate, nodes[path] == nil, let device = present[path] else { continue }
      let node = CameraNode(identity: device, lane: lane)
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

  // MARK: Taking a camera

  private func attempt(_ node: CameraNode) {
    cancelRetry(node)
    let configuration = configurations[node.lane]
    do throws(SystemError) {
      let device = try VideoDevice(node: node.identity.node, calls: calls)
      let offers = device.offers()
      guard let choice = StreamChoice(of: offers, wish: configuration.wish) else {
        // A loopback device offers nothing until somebody feeds it.
        return wait(node, for: offers.isEmpty ? .noCamera : .nothingFits(offers: summary(of: offers)))
      }
      let session = try CameraSession(device: device, configuration: configuration, choice: choice, at: time.now())
      begin(node, session)
    } catch {
      wait(node, for: CameraObstacle(error))
    }
  }

  private func begin(_ node: CameraNode, _ session: CameraSession) {
    let path = node.identity.sysfsPath
    session.watch = loop.watch(session.descriptor, for: .readable) { [weak self] readiness in
      self?.assumeIsolated { $0.read(path, isGone: readiness.contains(.gone)) }
    }
    // It is stopped with the session: what it tells is of the session that is there.
    session.decoder = makeDecoder(loop, configurations[node.lane]) { [weak self] event in
      self?.assumeIsolated { $0.take(event, path) }
    }
    node.session = session
    check(node)
  }

  private func wait(_ node: CameraNode, for obstacle: CameraObstacle) {
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
    let wasSettled = session.stream.isSettled
    let end = session.take(at: time.now())
    if session.stream.isSettled {
      // It works: the next trouble is a new one.
      node.obstacle = nil
      node.pause = .zero
    }
    switch end {
    case .gone: return lose(node)
    case .broken: return beginAnew(node, .bad)
    // The driver tells an error of the whole stream so; where the camera is gone, opening it says so.
    case .drained where isGone: return beginAnew(node, .bad)
    case .drained: break
    }
    if let fault = session.stream.fault(at: time.now()) { return beginAnew(node, CameraObstacle(fault)) }
    if session.stream.isSettled != wasSettled {
      // From now on less patience is needed.
      check(node)
      tellStates()
    }
  }

  private func take(_ event: DecodeEvent, _ path: String) {
    guard let node = nodes[path], let session = node.session else { return }
    let wasWithout = session.isWithoutDecoder
    for event in session.take(event, at: time.now()) { deliver?(event) }
    if let fault = session.stream.fault(at: time.now()) {
      return beginAnew(node, CameraObstacle(fault))
    }
    if session.isWithoutDecoder != wasWithout { tellStates() }
  }

  /// Looks when it should whether pictures still come.
  private func check(_ node: CameraNode) {
    guard let session = node.session else { return }
    if let check = session.check { loop.cancel(check) }
    let path = node.identity.sysfsPath
    session.check = loop.at(session.stream.deadline) { [weak self] in
      self?.assumeIsolated { source in
        // Cancelled with the session: what is there is the one that it was set for.
        guard let node = source.nodes[path], let session = node.session else { return }
        if let fault = session.stream.fault(at: source.time.now()) {
          source.beginAnew(node, CameraObstacle(fault))
        } else {
          source.check(node)
        }
      }
    }
  }

  /// The stream is broken: closed, and opened again after a pause.
  private func beginAnew(_ node: CameraNode, _ obstacle: CameraObstacle) {
    release(node)
    wait(node, for: obstacle)
    tellStates()
  }

  /// The camera does not answer any more. udev's word may come later.
  private func lose(_ node: CameraNode) {
    release(node)
    // Tried again after a pause as long as it is there: a camera that opens and breaks at once must not keep us busy.
    let again = CameraNode(identity: node.identity, lane: node.lane)
    nodes[node.identity.sysfsPath] = again
    wait(again, for: .absent)
    assign()
  }

  private func drop(_ node: CameraNode) {
    release(node)
    nodes[node.identity.sysfsPath] = nil
  }

  private func release(_ node: CameraNode) {
    cancelRetry(node)
    guard let session = node.session else { return }
    if let watch = session.watch { loop.unwatch(watch) }
    if let check = session.check { loop.cancel(check) }
    session.decoder?.stop()
    session.decoder = nil
    node.session = nil
  }

  private func cancelRetry(_ node: CameraNode) {
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
    let wish = configurations[lane].wish
    if let node, let session = node.session {
      let title = node.identity.title
      if session.isWithoutDecoder, let fault = session.lastReplacement {
        let advice =
          if case .cannotStart = fault {
            "Look whether scangate-decode is installed whole"
          } else {
            "Something that it sees makes the decoder fail: look at what is before the camera"
          }
        return .failed("\(title) cannot be looked at: \(fault). \(advice)")
      }
      guard session.stream.isSettled else {
        return .waiting(node.obstacle?.words(node.identity, wish) ?? "the first pictures of \(title)")
      }
      let facts = ["\(title), \(session.format.title)"] + session.shortfalls + [problems[lane]].compactMap(\.self)
      return .reading(facts.joined(separator: "; "))
    }
    if let problem = problems[lane] { return .failed(problem) }
    guard let node, let obstacle = node.obstacle, let words = obstacle.words(node.identity, wish) else {
      return .parked
    }
    return obstacle.isFault ? .failed(words) : .waiting(words)
  }
}

extension CameraObstacle {
  fileprivate init(_ fault: FrameStream.Break) {
    switch fault {
    case .silent: self = .silent
    case .bad: self = .bad
    }
  }
}

extension CameraConfiguration.Place {
  /// Whether only udev can tell where it is.
  fileprivate var needsMonitor: Bool {
    if case .match = self { true } else { false }
  }
}
