import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanModel
import Sealing
import Testing
import VenueServer

/// The service as systemd runs it: told by a socket that it is ready, fed, and reloaded by SIGHUP.
@Suite struct ServiceTests {
  @Test func aReloadIsAppliedAndABadFileKeepsTheOldConfiguration() async throws {
    let station = try Station()
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    station.write(Station.text.replacing("holdOff: 2 s", with: "holdOff: 1 s"))
    station.reload()
    expect(await station.nextConfiguration()?["state"] as? String == "applied")

    station.write(Station.text.replacing("holdOff: 2 s", with: "holdOff: 2"))
    station.reload()
    let kept = await station.nextConfiguration()
    expect(kept?["state"] as? String == "kept")
    expectEqual((kept?["detail"] as? String)?.contains(":\(Station.holdOffLine):"), true)

    station.write(Station.text.replacing("127.0.0.1:9", with: "127.0.0.1:10"))
    station.reload()
    let refused = await station.nextConfiguration()
    expect(refused?["state"] as? String == "needsRestart")
    expectEqual((refused?["detail"] as? String)?.contains("ticketSystems.main"), true)

    // Its ledger belongs to the server: under another name it is the same.
    station.write(
      Station.text.replacing("main:", with: "front:").replacing("ticketSystem: main", with: "ticketSystem: front"))
    station.reload()
    expect(await station.nextConfiguration()?["state"] as? String == "applied")

    station.write(Station.text + "\njournal: { keepDays: 30 }\n")
    station.reload()
    let journal = await station.nextConfiguration()
    expect(journal?["state"] as? String == "needsRestart")
    expectEqual((journal?["detail"] as? String)?.contains("journal"), true)

    // What only the start finds keeps the old configuration too.
    station.write(Station.text)
    try Data("two words\n".utf8).write(to: station.key)
    station.reload()
    expect(await station.nextConfiguration()?["state"] as? String == "kept")
    expect(station.isRunning)

    try Data("another-key-of-some-length\n".utf8).write(to: station.key)
    station.reload()
    expect(await station.nextConfiguration()?["state"] as? String == "applied")
  }

  @Test func aReloadThatWantsAListSaysThatThereIsNone() async throws {
    let station = try Station()
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    station.write(Station.text.replacing("holdOff: 2 s", with: "offline: { policy: list }"))
    station.reload()
    expect(await station.nextConfiguration()?["state"] as? String == "applied")
    expect(try station.manager.next(with: "READY=1"))
    station.terminate()
    await expectEqual(station.status(), 0)
    expect(
      station.log.contains("There is no list of tickets of main on board.")
        && station.log.contains("tickets import FILE"),
      "\(station.log)")
  }

  /// A command that was stopped in mid-write holds the keys for seconds. Nobody at a gate waits for that, and the service lives.
  @Test func theWatchdogIsFedWhileAReloadWaitsForAKey() async throws {
    let station = try Station(watchdog: .seconds(2), key: "sealed-key-of-some-length")
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    let held = try OwnedDescriptor.open(station.state, O_RDONLY | O_DIRECTORY)
    expectEqual(flock(held.number, LOCK_EX), 0)
    station.write(Station.text(key: "apiKey: main").replacing("holdOff: 2 s", with: "holdOff: 1 s"))
    station.reload()
    expect(try station.manager.next(with: "RELOADING=1"))
    expectEqual(try station.manager.next(of: ["WATCHDOG=1", "READY=1"]), "WATCHDOG=1")
    expectEqual(flock(held.number, LOCK_UN), 0)
    // Whoever asks meanwhile is heard, too.
    expect(await station.nextConfiguration()?["state"] as? String == "applied")
    expect(try station.manager.next(with: "READY=1"))
    station.terminate()
    await expectEqual(station.status(), 0)
  }

  @Test func theWatchdogIsFedBeforeAndAfterAReloadAndTheEndIsTold() async throws {
    let station = try Station(watchdog: .seconds(4))
    defer { station.end() }
    expect(try station.manager.next(with: "READY=1"))
    expect(try station.manager.next(with: "WATCHDOG=1"))
    station.reload()
    expect(try station.manager.next(with: "RELOADING=1"))
    expect(try station.manager.next(with: "READY=1"))
    expect(try station.manager.next(with: "WATCHDOG=1"))
    station.terminate()
    expect(try station.manager.next(with: "STOPPING=1"))
    await expectEqual(station.status(), 0)
  }
}

/// The service and its ticket system, before anybody presents a ticket.
@Suite(.timeLimit(.minutes(2))) struct ServiceReadinessTests {
  @Test func aWrongKeyIsToldAtTheStartAndTakenBackByAReloadWithTheRightOne() async throws {
    let venue = try await AskedVenue.open(VenueConfiguration(), time: SystemTime())
    let station = try Station(url: venue.url)
    defer { station.end() }
    // On a busy machine it may count as offline before.
    let told = await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == "fault" }
    expect(told?["reason"] as? String == "keyRefused", "\(told ?? [:])")
    expectEqual((told?["detail"] as? String)?.contains("\(station.key.path) (apiKeyFile, "), true)

    try Data("\(try #require(venue.seeded.apiKey))\n".utf8).write(to: station.key)
    station.reload()
    expect(await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == "ready" } != nil)
    station.terminate()
    await expectEqual(station.status(), 0)
    await venue.close()
  }
}

/// The service and the output holder, each a process of its own.
@Suite struct HolderServiceTests {
  @Test func aGateWaitsForTheHolderAndIsOutOfServiceWithoutIt() async throws {
    let station = try Station(withHolder: true)
    defer { station.end() }
    let waiting = await station.next { $0["type"] as? String == "gate" }
    expect(waiting?["state"] as? String == "fault")
    expectEqual((waiting?["detail"] as? String)?.contains("systemctl status scangate-outputs"), true)

    let holder = try station.startHolder()
    let ready = await station.next { $0["type"] as? String == "gate" }
    expect(ready?["state"] as? String == "ready")

    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    let lost = await station.next { $0["type"] as? String == "gate" }
    expect(lost?["state"] as? String == "fault")

    let second = try station.startHolder()
    defer { kill(second.processIdentifier, SIGKILL) }
    // The reason of the fault may change on the way: first the connection ends, then nobody takes one.
    let back = await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == "ready" }
    expect(back != nil)
    station.terminate()
    await expectEqual(station.status(), 0)
  }
}

/// A running `scangate run`, at first with a reader that is not there, its events, and the socket of its service manager.
final class Station {
  static let text = text(key: "apiKeyFile: KEY")

  static func text(key: String) -> String {
    """
    version: 1
    station: { name: door }
    ticketSystems:
      main: { type: eventschedule, url: "http://127.0.0.1:9", \(key) }
    readers:
      left: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
    gates:
      north:
        readers: [left]
        ticketSystem: main
        holdOff: 2 s
        outputs: { green: { led: "no-such-led" } }
    """
  }
  static let holdOffLine = 11

  let manager: ManagerSocket
  let key: URL
  let folder: URL
  private let process = Process()
  private let ended: AsyncStream<Int32>
  private var lines: AsyncThrowingStream<String, any Error>.AsyncIterator

  let state: String

  /// - Parameters:
  ///   - sealed: the API key, where it is a sealed credential.
  ///   - url: the ticket system's address; of nobody, where none is given.
  ///   - events: the events' file in the folder; `nil` for standard output.
  ///   - text: the configuration, with `KEY` for the key's file.
  init(
    watchdog: Duration? = nil, withHolder: Bool = false, key sealed: String? = nil, url: String = "http://127.0.0.1:9",
    events: String? = nil, text: String? = nil, apiKey: String = "a-key-of-some-length", _ more: [String] = []
  ) throws {
    let folder = try temporaryFolder()
    self.folder = folder
    let log = folder.appending(path: "log")
    state = folder.appending(path: "state").path
    key = folder.appending(path: "main.key")
    try Data("\(apiKey)\n".utf8).write(to: key)
    try Data().write(to: log)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
    manager = try ManagerSocket(path: folder.appending(path: "notify").path)
    process.executableURL = try Program.executable()
    process.arguments = ["run", "--config", folder.appending(path: "station.yaml").path] + more
    process.arguments? += ["--events", events.map { folder.appending(path: $0).path } ?? "-"]
    if withHolder { process.arguments? += ["--holder", folder.appending(path: "holder.sock").path] }
    var environment = ProcessInfo.processInfo.environment
    environment["NOTIFY_SOCKET"] = manager.path
    environment["STATE_DIRECTORY"] = state
    if let watchdog { environment["WATCHDOG_USEC"] = "\(watchdog.components.seconds * 1_000_000)" }
    process.environment = environment
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: log)
    let (ended, end) = AsyncStream<Int32>.makeStream()
    self.ended = ended
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    let (stream, line) = AsyncThrowingStream<String, any Error>.makeStream()
    lines = stream.makeAsyncIterator()
    if let sealed {
      try CredentialStore(keys: SealKeySource(state: state, given: nil)).set("main", PastedSecret(Array(sealed.utf8)))
    }
    let text = text ?? (sealed == nil ? Self.text : Self.text(key: "apiKey: main"))
    write(text.replacing("http://127.0.0.1:9", with: url))
    try process.run()
    let reading = output.fileHandleForReading
    Thread {
      var rest = Data()
      while true {
        let data = someBytes(of: reading)
        if data.isEmpty { break }
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          line.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      line.finish()
    }.start()
  }

  var isRunning: Bool { process.isRunning }

  /// What it has told operators.
  var log: String { (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "" }

  func write(_ text: String) {
    let file = folder.appending(path: "station.yaml")
    try? Data(text.replacing("KEY", with: key.path).utf8).write(to: file)
  }

  func reload() { kill(process.processIdentifier, SIGHUP) }
  func terminate() { kill(process.processIdentifier, SIGTERM) }

  private var holderSocket: String { folder.appending(path: "holder.sock").path }

  func startHolder() throws -> Process {
    let holder = Process()
    holder.executableURL = try Program.executable("scangate-outputs")
    holder.arguments = ["--socket", holderSocket, "--state", folder.path, "--runtime", folder.path]
    holder.standardInput = FileHandle.nullDevice
    holder.standardError = FileHandle.nullDevice
    try holder.run()
    return holder
  }

  func nextConfiguration() async -> [String: Any]? { await next { $0["type"] as? String == "configuration" } }

  func next(where matches: ([String: Any]) -> Bool) async -> [String: Any]? {
    while let line = try? await lines.next() {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { return nil }
      if matches(object) { return object }
    }
    return nil
  }

  func status() async -> Int32? {
    for await status in ended { return status }
    return nil
  }

  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }
}

/// The service manager's end of the notification socket.
final class ManagerSocket {
  struct Failure: Error {}

  let path: String
  private let descriptor: Int32

  init(path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard descriptor >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure() }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    guard result == 0,
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size)) == 0
    else { throw Failure() }
  }

  deinit { close(descriptor) }

  /// Waits for a message that holds a line; false when none came in a minute.
  func next(with line: String) throws -> Bool { try next(of: [line]) != nil }

  /// Waits for a message that holds one of these lines; `nil` when none came in a minute.
  func next(of lines: [String]) throws -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      let told = String(decoding: buffer[0..<count], as: UTF8.self).split(separator: "\n").map(String.init)
      if let line = lines.first(where: told.contains) { return line }
    }
  }
}
