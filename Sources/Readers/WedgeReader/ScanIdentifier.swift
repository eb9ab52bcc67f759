import Glibc
package import LinuxIO
package import ScanModel
internal import Reading

/// Finds out which device a scan comes from: listens to nodes that type, without taking them from anybody, until one types
/// faster than a person can; and to serial ports that it is given.
///
/// What a person types meanwhile reaches its program as ever, and is forgotten here with the next key (`BurstDetector`).
package actor ScanIdentifier {
  /// What happened.
  package enum News: Sendable, Equatable {
    /// Something was scanned on this node; nobody should see more of the code than `Code` shows.
    case scanned(DeviceIdentity, Code, hasTerminator: Bool)
    /// The node cannot be listened to.
    case closed(DeviceIdentity, SystemError)
  }

  private final class Ear {
    let identity: DeviceIdentity
    let source: Source
    var detector = BurstDetector()
    var watch: DeviceLoop.Watch?
    var silence: DeviceLoop.Timer?

    init(_ identity: DeviceIdentity, _ source: Source) {
      self.identity = identity
      self.source = source
    }
  }

  private enum Source {
    case keys(EventDevice, KeyTranslator)
    case port(RawTerminal)

    var descriptor: Int32 {
      switch self {
      case .keys(let device, _): device.descriptor
      case .port(let terminal): terminal.descriptor
      }
    }
  }

  private nonisolated let loop: DeviceLoop
  private let time = SystemTime()
  private var ears: [String: Ear] = [:]
  private var tell: (@Sendable (News) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes an identifier; `start` begins it.
  /// - Throws: where the system has no thread for it.
  package init() throws(SystemError) { loop = try DeviceLoop(name: "identify") }

  deinit { loop.stop() }

  /// Listens to the devices, which are only read, never grabbed.
  /// - Parameters:
  ///   - devices: nodes that type, and serial ports (of the subsystem `tty`): these are set to raw 9600 8N1 meanwhile.
  ///   - keymap: the keymap that the four characters are shown in.
  ///   - tell: called on the identifier's thread; returns at once.
  /// - Throws: where the keymap cannot be compiled.
  package nonisolated func start(
    _ devices: [DeviceIdentity], keymap: KeymapNames = KeymapNames(), tell: @escaping @Sendable (News) -> Void
  ) async throws(DeviceError) {
    let compiled = try Keymap(keymap, for: ReaderID("identify"))
    await listen(devices, compiled, tell)
  }

  /// Ends; nothing is told after it returned.
  package func stop() {
    tell = nil
    for ear in ears.values { close(ear) }
    ears = [:]
  }

  private func listen(_ devices: [DeviceIdentity], _ keymap: Keymap, _ tell: @escaping @Sendable (News) -> Void) {
    stop()
    self.tell = tell
    for identity in devices {
      do throws(SystemError) {
        let ear = Ear(identity, try open(identity, keymap))
        let node = identity.node
        ear.watch = loop.watch(ear.source.descriptor, for: .readable) { [weak self] readiness in
          self?.assumeIsolated { $0.hear(node, isGone: readiness.isGone) }
        }
        ears[node] = ear
      } catch {
        tell(.closed(identity, error))
      }
    }
  }

  private func open(_ identity: DeviceIdentity, _ keymap: Keymap) throws(SystemError) -> Source {
    if identity.subsystem == "tty" { return .port(try RawTerminal(node: identity.node)) }
    let device = try EventDevice(node: identity.node, readOnly: true)
    device.discardPending()
    return .keys(
      device, KeyTranslator(keymap: keymap, page: .cp437, terminators: [.enter, .keypadEnter, .tab]))
  }

  private func hear(_ node: String, isGone: Bool) {
    guard let ear = ears[node] else { return }
    var bursts: [BurstDetector.Burst] = []
    let isHere =
      switch ear.source {
      case .keys(let device, let translator): hearKeys(ear, device, translator, isGone, &bursts)
      case .port(let terminal): hearPort(ear, terminal, isGone, &bursts)
      }
    for burst in bursts {
      tell?(.scanned(ear.identity, Code(bytes: burst.bytes), hasTerminator: burst.hasTerminator))
    }
    if isHere {
      setSilence(ear)
    } else {
      close(ear)
      ears[node] = nil
    }
  }

  /// - Returns: whether the device is still there.
  private func hearPort(
    _ ear: Ear, _ terminal: RawTerminal, _ isGone: Bool, _ bursts: inout [BurstDetector.Burst]
  ) -> Bool {
    guard let bytes = terminal.read() else { return false }
    let now = time.now()
    for byte in bytes {
      switch byte {
      case 9, 10, 13: bursts += ear.detector.terminate(at: now)
      default: if let burst = ear.detector.type([byte], at: now) { bursts.append(burst) }
      }
    }
    if bytes.isEmpty, let burst = ear.detector.advance(to: now) { bursts.append(burst) }
    return !(isGone && bytes.isEmpty)
  }

  /// - Returns: whether the device is still there.
  private func hearKeys(
    _ ear: Ear, _ device: EventDevice, _ translator: KeyTranslator, _ isGone: Bool,
    _ bursts: inout [BurstDetector.Burst]
  ) -> Bool {
    let end = device.drain(limit: 2_048) { event in
      switch event {
      case .key(let code, let isDown, let at):
        switch translator.key(code, isDown: isDown) {
        case .text(let text): if let burst = ear.detector.type(text, at: at) { bursts.append(burst) }
        case .terminator: bursts += ear.detector.terminate(at: at)
        case .activity: break
        case .broken, .overflow, .damaged: ear.detector.reset()
        }
      case .dropped:
        translator.rebuild(keysDown: device.keysDown)
        ear.detector.reset()
      }
    }
    if end == .drained, let burst = ear.detector.advance(to: time.now()) { bursts.append(burst) }
    if case .gone = end { return false }
    return !isGone || end == .turn
  }

  private func setSilence(_ ear: Ear) {
    if let silence = ear.silence { loop.cancel(silence) }
    let node = ear.identity.node
    ear.silence = ear.detector.deadline.map {
      loop.at($0) { [weak self] in self?.assumeIsolated { $0.hear(node, isGone: false) } }
    }
  }

  private func close(_ ear: Ear) {
    if let watch = ear.watch { loop.unwatch(watch) }
    if let silence = ear.silence { loop.cancel(silence) }
  }
}
