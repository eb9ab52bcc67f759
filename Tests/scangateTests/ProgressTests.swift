import CMockDevices
import Expectations
import Foundation
import Glibc
import ScanModel
import Testing

/// What a command that takes its time shows on a terminal, and what it leaves when somebody has enough of it.
@Suite(.timeLimit(.minutes(2))) struct ProgressTests {
  private func start(_ arguments: [String], on screen: Screen) throws -> Process {
    let process = Process()
    process.executableURL = try Program.executable()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: screen.end)
    try process.run()
    close(screen.end)
    return process
  }

  /// A server that takes connections and says nothing, until it is told to end them.
  private final class SilentServer: Sendable {
    private let listener: Int32
    let port: Int

    init() throws {
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let listener = listener
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
        }
      }
      try #require(listener >= 0 && result)
      port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(listener) }

    /// Nothing is there any more: who waits is told.
    func end() { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  @Test func whatTakesOverASecondSaysWhatItDoesAndLeavesNoTrace() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (server, screen) = (try SilentServer(), try Screen())
    let key = folder.path + "/main.key"
    try Data("a-key-of-some-length\n".utf8).write(to: URL(filePath: key))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    let file = folder.path + "/station.yaml"
    let text = """
      version: 1
      station: { name: door }
      ticketSystems: { main: { type: eventschedule, url: "http://127.0.0.1:\(server.port)", apiKeyFile: \(key) } }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } } }
      gates: { north: { readers: [left], ticketSystem: main } }
      """
    try Data(text.utf8).write(to: URL(filePath: file))
    let process = try start(["config", "check", "--online", file, "--state", folder.path + "/state"], on: screen)
    expect(await screen.shows("Asking ticketSystems.main"), "\(screen.shown)")
    server.end()
    process.waitUntilExit()
    await screen.ends()
    expectEqual(process.terminationStatus, 69, "\(screen.shown)")
    // The line is gone before the words come.
    let words = screen.shown.components(separatedBy: "\r\u{1B}[K")
    let last = words.last ?? ""
    expect(last.contains("ticketSystems.main: ") && !last.contains("Asking"), "\(screen.shown)")
  }

  /// Ctrl-C in the middle of an export of whole codes: the one of yesterday stays, and nothing lies beside it.
  @Test func anInterruptedExportLeavesNothing() async throws {
    let fixture = try JournalFixture()
    try await fixture.write((0..<20_000).map { .scan(journaled("code-\($0)")) })
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "scans.csv")
    try Data("yesterday".utf8).write(to: file)
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    for signal in [SIGINT, SIGTERM] {
      // On a busy machine an export may be over before anybody has seen that it began.
      var wasInterrupted = false
      for _ in 0..<20 where !wasInterrupted {
        try Data("yesterday".utf8).write(to: file)
        let process = Process()
        process.executableURL = try Program.executable()
        process.arguments = [
          "journal", "export", "--format", "csv", "--codes", "--output", file.path, "--state", fixture.folder.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await until { try !process.isRunning || names().count > 1 }
        if process.isRunning { kill(process.processIdentifier, signal) }
        process.waitUntilExit()
        try expectEqual(names(), ["scans.csv"])
        if process.terminationStatus == 0 { continue }
        wasInterrupted = true
        expectEqual(process.terminationStatus, 128 + signal)
        expect(try String(contentsOf: file, encoding: .utf8) == "yesterday")
      }
      expect(wasInterrupted)
    }
  }
}
