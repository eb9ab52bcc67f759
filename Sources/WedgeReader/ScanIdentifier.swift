import Glibc
public import LinuxIO
public import ScanModel
import ScanPipeline

/// Finds out which device a scan comes from: listens to nodes that type, without taking them from anybody, until one types
/// faster than a person can.
///
/// What a person types meanwhile reaches its program as ever, and is forgotten here with the next key (`BurstDetector`).
public actor ScanIdentifier {
  /// What happened.
  public enum News: Sendable, Equatable {
    /// Something was scanned on this node; nobody should see more of the code than `Code` shows.
    case scanned(DeviceIdentity, Code, hasTerminator: Bool)
    /// The node cannot be listened to.
    case closed(DeviceIdentity, SystemError)
  }

  private final class Ear {
    let identity: DeviceIdentity
    let device: EventDevice
    let translator: KeyTranslator
    var detector = BurstDetector()
    var watch: DeviceLoop.Watch?
    var silence: DeviceLoop.Timer?

    init(_ identity: DeviceIdentity, _ device: EventDevice, _ translator: KeyTranslator) {
      self.identity = identity
      self.device = device
      self.translator = translator
    }
  }

  private nonisolated let loop: DeviceLoop
  private let time = SystemTime()
  private var ears: [String: Ear] = [:]
  private var tell: (@Sendable (News) -> Void)?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes an identifier; `start` begins it.
  /// - Throws: where the system has no thread for it.
  public init() throws(SystemError) { loop = try DeviceLoop(name: "identify") }

  deinit { loop.stop() }

  /// Listens to the devices, which are only read, never grabbed.
  /// - Parameters:
  ///   - devices: nodes that type.
  ///   - keymap: the keymap that the four characters are shown in.
  ///   - tell: called on the identifier's thread; returns at once.
  /// - Throws: where the keymap cannot be compiled.
  public nonisolated func start(
    _ devices: [DeviceIdentity], keymap: KeymapNames = KeymapNames(), tell: @escaping @Sendable (News) -> Void
  ) async throws(DeviceError) {
    let compiled = try Keymap(keymap, for: ReaderID("identify"))
    await listen(devices, compiled, tell)
  }

  /// Ends; nothing is told after it returned.
  public func stop() {
    tell = nil
    for ear in ears.values { close(ear) }
    ears = [:]
  }

  private func listen(_ devices: [DeviceIdentity], _ keymap: Keymap, _ tell: @escaping @Sendable (News) -> Void) {
    stop()
    self.tell = tell
    for identity in devices {
      do throws(SystemError) {
        let device = try EventDevice(node: identity.node, readOnly: true)
        device.discardPending()
        let translator = KeyTranslator(keymap: keymap, page: .cp437, terminators: [.enter, .keypadEnter, .tab])
        let ear = Ear(identity, device, translator)
        let node = identity.node
        ear.watch = loop.watch(device.descriptor, for: .readable) { [weak self] readiness in
          self?.assumeIsolated { $0.hear(node, isGone: readiness.contains(.gone)) }
        }
        ears[node] = ear
      } catch {
        tell(.closed(identity, error))
      }
    }
  }

  private func hear(_ node: String, isGone: Bool) {
    guard let ear = ears[node] else { return }
    var bursts: [BurstDetector.Burst] = []
    let end = ear.device.drain(limit: 2_048) { event in
      switch event {
      case .key(let code, let isDown, let at):
        switch ear.translator.key(code, isDown: isDown) {
        case .text(let text): if let burst = ear.detector.type(text, at: at) { bursts.append(burst) }
        case .terminator: bursts += ear.detector.terminate(at: at)
        case .activity: break
        case .broken, .overflow: ear.detector.reset()
        }
      case .dropped:
        ear.translator.rebuild(keysDown: ear.device.keysDown)
        ear.detector.reset()
      }
    }
    if end == .drained, let burst = ear.detector.advance(to: time.now()) { bursts.append(burst) }
    for burst in bursts {
      tell?(.scanned(ear.identity, Code(bytes: burst.bytes), hasTerminator: burst.hasTerminator))
    }
    var isLost = isGone && end != .turn
    if case .gone = end { isLost = true }
    if isLost {
      close(ear)
      ears[node] = nil
    } else {
      setSilence(ear)
    }
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
