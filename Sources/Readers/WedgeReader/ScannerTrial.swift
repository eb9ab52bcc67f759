import Glibc
package import LinuxIO
import ScanModel
internal import Reading

/// Listens to one scanner alone and tells what it gave, in several layouts at once: which of them it types in is seen by comparing.
///
/// A wedge is taken from everybody else meanwhile, where that can be had: what it types must not reach the terminal that asks for it.
package actor ScannerTrial {
  /// What was scanned.
  package struct Heard: Sendable, Equatable {
    /// The characters, by layout in the order that was asked for; one without a layout where the scanner types none.
    package var readings: [(layout: String?, bytes: [UInt8])]
    /// Whether an end mark ended it.
    package var hasTerminator: Bool

    package static func == (a: Heard, b: Heard) -> Bool {
      a.hasTerminator == b.hasTerminator && a.readings.elementsEqual(b.readings, by: ==)
    }
  }

  /// A pause that ends what has no end mark.
  private static let silence = Duration.milliseconds(300)
  /// The most bytes that are kept of one layout.
  private static let most = 4_096

  private enum Source {
    case keys(EventDevice, [(layout: String, translator: KeyTranslator)])
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
  private var source: Source?
  private var texts: [[UInt8]] = []
  private var watch: DeviceLoop.Watch?
  private var pause: DeviceLoop.Timer?
  private var tell: (@Sendable (Heard?) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes one; `start` begins it.
  /// - Throws: where the system has no thread for it.
  package init() throws(SystemError) { loop = try DeviceLoop(name: "trial") }

  deinit { loop.stop() }

  /// Listens.
  /// - Parameters:
  ///   - node: the scanner's.
  ///   - isPort: whether it is a serial line: set to raw 9600 8N1 meanwhile.
  ///   - layouts: layouts to try; what this machine does not know is left out.
  ///   - tell: called on the trial's thread with each scan, and with `nil` where the scanner is gone; returns at once.
  /// - Throws: the system's error, such as EACCES.
  package func start(
    _ node: String, isPort: Bool, layouts: [String], tell: @escaping @Sendable (Heard?) -> Void
  ) throws(SystemError) {
    stop()
    let opened: Source
    if isPort {
      opened = .port(try RawTerminal(node: node))
      texts = [[]]
    } else {
      let device = try EventDevice(node: node, readOnly: true)
      device.discardPending()
      // Not while a key is down, which would hang; and somebody else may have it.
      if (try? device.hasKeysDown()) == false { try? device.grab() }
      let translators = layouts.compactMap { layout -> (layout: String, translator: KeyTranslator)? in
        guard let keymap = try? Keymap(KeymapNames(layout: layout), for: ReaderID("trial")) else { return nil }
        return (
          layout,
          KeyTranslator(keymap: keymap, page: .cp437, terminators: [.enter, .keypadEnter, .tab])
        )
      }
      opened = .keys(device, translators)
      texts = translators.map { _ in [] }
    }
    source = opened
    self.tell = tell
    watch = loop.watch(opened.descriptor, for: .readable) { [weak self] readiness in
      self?.assumeIsolated { $0.hear(isGone: readiness.isGone) }
    }
  }

  /// Ends, and gives the scanner back; nothing is told after it returned.
  package func stop() {
    tell = nil
    if let watch { loop.unwatch(watch) }
    if let pause { loop.cancel(pause) }
    (watch, pause, source, texts) = (nil, nil, nil, [])
  }

  private func hear(isGone: Bool) {
    guard let source else { return }
    let isHere =
      switch source {
      case .keys(let device, _): hearKeys(device) && !isGone
      case .port(let terminal): hearPort(terminal, isGone)
      }
    if let pause { loop.cancel(pause) }
    pause = nil
    guard isHere else {
      let tell = tell
      stop()
      tell?(nil)
      return
    }
    guard texts.contains(where: { !$0.isEmpty }) else { return }
    pause = loop.at(time.now() + Self.silence) { [weak self] in
      self?.assumeIsolated { $0.finish(hasTerminator: false) }
    }
  }

  private func hearKeys(_ device: EventDevice) -> Bool {
    let end = device.drain(limit: 2_048) { hear($0) }
    if case .gone = end { return false }
    return true
  }

  private func hear(_ event: EventDevice.Event) {
    guard case .keys(let device, let translators) = source else { return }
    guard case .key(let code, let isDown, _) = event else {
      for (index, entry) in translators.enumerated() {
        entry.translator.rebuild(keysDown: device.keysDown)
        texts[index] = []
      }
      return
    }
    var hasEnded = false
    for (index, entry) in translators.enumerated() {
      switch entry.translator.key(code, isDown: isDown) {
      case .text(let text): if texts[index].count + text.count <= Self.most { texts[index] += text }
      case .terminator: hasEnded = true
      case .activity, .broken, .overflow, .damaged: break
      }
    }
    if hasEnded { finish(hasTerminator: true) }
  }

  private func hearPort(_ terminal: RawTerminal, _ isGone: Bool) -> Bool {
    guard let bytes = terminal.read() else { return false }
    for byte in bytes {
      switch byte {
      case 9, 10, 13: finish(hasTerminator: true)
      default: if texts[0].count < Self.most { texts[0].append(byte) }
      }
    }
    return !(isGone && bytes.isEmpty)
  }

  private func finish(hasTerminator: Bool) {
    guard let source, texts.contains(where: { !$0.isEmpty }) else { return }
    let readings: [(layout: String?, bytes: [UInt8])] =
      switch source {
      case .keys(_, let translators): zip(translators, texts).map { ($0.layout, $1) }
      case .port: texts.map { (nil, $0) }
      }
    texts = texts.map { _ in [] }
    tell?(Heard(readings: readings, hasTerminator: hasTerminator))
  }
}
