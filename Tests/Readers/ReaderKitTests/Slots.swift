import Glibc
import LinuxIO
import ReaderKit
import ScanModel
import Synchronization
import Testing

/// A technology of a test: a reader's place is a folder, each folder in that a device, each file in that a node; a socket stands for an
/// open node, and what is written to it says what becomes of it.
struct Slots: ReaderTechnology {
  static let subsystem = "slots"
  static let thread = "slots"
  static let names = (readers: "slots", devices: "slots")

  let rack: Rack

  static func thing(of device: DeviceIdentity) -> String { device.physicalPath }

  static func roster(known: [DeviceIdentity], configurations: [Slot], held: [Int: String]) -> DeviceRoster {
    let roots = Set(configurations.map(\.root))
    let devices = roots.flatMap { root in
      entries(root).flatMap { folder in
        entries(folder).map { DeviceIdentity(node: $0, sysfsPath: $0, physicalPath: folder, port: root) }
      }
    }
    let claims = configurations.map { configuration in
      DeviceAssignment.Claim(reader: configuration.id) { $0.port == configuration.root }
    }
    return DeviceRoster(
      devices: devices,
      assignment: DeviceAssignment(
        devices: devices, claims: claims, held: held, by: thing, distinction: "a folder",
        isFit: { !$0.node.hasSuffix("unfit") }))
  }

  private static func entries(_ folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append("\(folder)/\(name)") }
    }
    return names
  }

  func prepared(for configurations: [Slot]) throws(DeviceError) -> Self {
    guard !configurations.isEmpty else { throw DeviceError(device: "slots", what: "none", remedy: "Give some.") }
    return self
  }

  func open(
    _ device: DeviceIdentity, for configuration: Slot, on loop: DeviceLoop, wake: @escaping @Sendable () -> Void
  ) throws(SlotObstacle) -> SlotSession {
    let obstacle = rack.state.withLock { state -> SlotObstacle? in
      state.tries.append(SystemTime().now())
      return state.obstacles.isEmpty ? nil : state.obstacles.removeFirst()
    }
    if let obstacle { throw obstacle }
    guard let session = SlotSession(device.node, configuration, rack, loop, wake) else { throw .absent }
    return session
  }
}

/// A configured slot.
struct Slot: ReaderConfiguration {
  var id: ReaderID
  var root: String
  var isSettled = true
  var isProven = true
  var place: DevicePlace { .path(root) }
}

enum SlotObstacle: ReadObstacle {
  case absent, busy, wrong

  var pauses: ClosedRange<Duration> { .milliseconds(1) ... .milliseconds(4) }
  var isFault: Bool { self == .wrong }
  var outcome: DeviceReport.Outcome { self == .busy ? .grabbed : .unusable }

  func words(_ device: DeviceIdentity, for configuration: Slot) -> String? {
    self == .absent ? nil : "\(self) \(device.node)"
  }
}

/// What the slots of a test are to do, and what was done with them.
final class Rack: Sendable {
  struct State {
    /// What is in the way of the next tries.
    var obstacles: [SlotObstacle] = []
    var tries: [MonotonicTime] = []
    /// By node, where one writes to it.
    var inlets: [String: Int32] = [:]
    var closed: [String] = []
  }

  let state = Mutex(State())
  let root: String

  init() throws {
    var template = [CChar]("/tmp/scangate-slots-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for device in ["a", "b", "other/c"] {
      for node in ["1", "2", "3", "unfit"] { remove("\(device)/\(node)") }
      rmdir("\(root)/\(device)")
    }
    rmdir("\(root)/other")
    rmdir(root)
  }

  /// Plugs a node in, such as `a/1`.
  @discardableResult func add(_ node: String) throws -> String {
    for (index, character) in node.enumerated() where character == "/" { mkdir("\(root)/\(node.prefix(index))", 0o700) }
    let file = open("\(root)/\(node)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    close(file)
    return "\(root)/\(node)"
  }

  func remove(_ node: String) { unlink("\(root)/\(node)") }

  func send(_ text: String, to node: String) throws {
    let inlet = try #require(state.withLock { $0.inlets["\(root)/\(node)"] })
    try #require(write(inlet, text, text.utf8.count) == text.utf8.count)
  }

  func hangUp(_ node: String) {
    if let inlet = state.withLock({ $0.inlets.removeValue(forKey: "\(root)/\(node)") }) { close(inlet) }
  }

  var closed: [String] { state.withLock { $0.closed.map { String($0.dropFirst(root.count + 1)) } } }
}

final class SlotSession: ReadSession {
  let descriptor: Int32
  private(set) var phase: ReadPhase
  private(set) var isProven: Bool
  private(set) var deadline: MonotonicTime?
  private let node: String
  private let reader: ReaderID
  private let rack: Rack
  private let loop: DeviceLoop
  private let wake: @Sendable () -> Void
  private let time = SystemTime()

  init?(_ node: String, _ slot: Slot, _ rack: Rack, _ loop: DeviceLoop, _ wake: @escaping @Sendable () -> Void) {
    var ends: [Int32] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { return nil }
    let inlet = ends[1]
    descriptor = ends[0]
    rack.state.withLock { $0.inlets[node] = inlet }
    phase = slot.isSettled ? .reading : .settling
    isProven = slot.isProven
    self.node = node
    reader = slot.id
    self.rack = rack
    self.loop = loop
    self.wake = wake
  }

  func words(_ device: DeviceIdentity, in phase: ReadPhase) -> String { "\(phase) \(device.node)" }

  /// Capitals are reads; the rest is for the session itself.
  func read(isGone: Bool, _ tell: Tell) -> ReadEnd<SlotObstacle> {
    while true {
      var byte: UInt8 = 0
      switch Glibc.read(descriptor, &byte, 1) {
      case 1: break
      // As a device that is hung up and has nothing more to say: only the descriptor tells.
      default: return isGone ? .gone : .open
      }
      switch byte {
      case UInt8(ascii: "s"): (phase, isProven) = (.reading, true)
      case UInt8(ascii: "f"): phase = .failed
      case UInt8(ascii: "b"): return .broken(.busy)
      case UInt8(ascii: "g"): return .gone
      case UInt8(ascii: "d"): deadline = time.now()
      case UInt8(ascii: "w"): _ = loop.at(time.now()) { [wake] in wake() }
      default: tell(.read(RawRead(reader: reader, bytes: [byte], readAt: time.now())))
      }
    }
  }

  func check(_ tell: Tell) -> ReadEnd<SlotObstacle> {
    deadline = nil
    tell(.read(RawRead(reader: reader, bytes: [UInt8(ascii: "!")], readAt: time.now())))
    return .open
  }

  func unplug(_ tell: Tell) {
    tell(.discarded(reader: reader, reason: .unplugged, characters: 1, at: time.now()))
  }

  func close() {
    let inlet = rack.state.withLock { state in
      state.closed.append(node)
      return state.inlets.removeValue(forKey: node)
    }
    if let inlet { Glibc.close(inlet) }
    Glibc.close(descriptor)
  }
}
