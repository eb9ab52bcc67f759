import CMockDevices
import Glibc
import LinuxIO
import ScanModel
import Reading
import SerialReader
import Testing

/// The scanner's end of a pseudo-terminal, and a place for links to the other end.
final class PseudoTerminal {
  private(set) var master: Int32
  let node: String

  init() throws {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
    var name = [CChar](repeating: 0, count: 64)
    try #require(ptsname_r(master, &name, name.count) == 0)
    node = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { hangUp() }

  func hangUp() {
    if master >= 0 { close(master) }
    master = -1
  }

  func send(_ text: String) { send([UInt8](text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Array(rest).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else {
        Issue.record("the pseudo-terminal takes nothing")
        return
      }
      rest = rest.dropFirst(count)
    }
  }

  /// What was written to the scanner.
  var written: [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let flags = fcntl(master, F_GETFL)
    _ = fcntl(master, F_SETFL, flags | O_NONBLOCK)
    let count = read(master, &buffer, buffer.count)
    _ = fcntl(master, F_SETFL, flags)
    return [UInt8](buffer.prefix(max(0, count)))
  }

  /// The settings of the scanner's line: input, output, control and local flags.
  var flags: [tcflag_t] {
    var settings = termios()
    guard tcgetattr(master, &settings) == 0 else { return [] }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }
}

/// A folder that goes away with the test.
final class Folder {
  let path: String

  init() throws {
    var template = [CChar]("/tmp/scangate-serial-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in ["scanner", "other", "file"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Points the link `scanner` elsewhere, in one step.
  func link(_ name: String = "scanner", to target: String) -> String {
    let link = "\(path)/\(name)"
    symlink(target, link + ".new")
    rename(link + ".new", link)
    return link
  }
}

/// A running source and what it told.
final class Listener {
  let source: SerialSource
  private let stream: AsyncStream<ReaderEvent>
  private var iterator: AsyncStream<ReaderEvent>.Iterator

  init(_ configurations: SerialConfiguration...) async throws {
    source = try SerialSource(configurations)
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    self.stream = stream
    iterator = stream.makeAsyncIterator()
    try await source.start { continuation.yield($0) }
  }

  func next() async throws -> ReaderEvent { try #require(await iterator.next(isolation: #isolation)) }

  /// Waits for a state, over whatever other states come before it.
  @discardableResult func state(_ name: String, of reader: String = "lane") async throws -> String {
    while true {
      let event = try await next()
      guard case .state(let id, let state) = event else {
        Issue.record("\(event) and not the state \(name)")
        return ""
      }
      if id.name == reader, state.name == name { return "\(state)" }
    }
  }

  func read() async throws -> String { String(decoding: try await bytes(), as: UTF8.self) }

  func bytes() async throws -> [UInt8] {
    let event = try await next()
    guard case .read(let read) = event else {
      Issue.record("\(event) and no read")
      return []
    }
    return read.bytes
  }
}

func scanner(
  _ name: String = "lane", at path: String, framing: SerialFraming = SerialFraming(),
  settings: SerialSettings = SerialSettings()
) -> SerialConfiguration {
  SerialConfiguration(id: ReaderID(name), place: .path(path), settings: settings, framing: framing)
}
