import Expectations
import Foundation
import Logging
import ScanConfiguration
import StationProtocol
import StationTesting
import TicketSystemKit

@testable import Console

/// A console before a scripted station; sockets, threads and TLS are real.
struct ConsoleBench {
  static let token = "0123456789abcdef0123456789abcdef"
  static let otherToken = "fedcba9876543210fedcba9876543210"

  let port: Int
  let station: ScriptedStation
  let mirror: StationMirror
  let server: ConsoleServer
}

/// What a bench is made of.
struct BenchSetting {
  var configuration = ConsoleConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
  var tokens: [String: Set<ConsoleScope>] = [:]
  var texts: [String: String] = [:]
  var identity: ConsoleIdentity?
  var machine: String?
  var limits = ConsoleLimits()
  var access: PageAccess?
  var snapshot = SampleStation.snapshot()

  /// A token of that name.
  mutating func add(_ name: String, _ text: String, _ scopes: Set<ConsoleScope>) {
    tokens[name] = scopes
    texts[name] = text
  }

  var book: TokenBook {
    TokenBook(
      tokens.map { name, scopes in
        (ConsoleToken(credential: credential(name), scopes: scopes), texts[name] ?? "")
      })
  }
}

func credential(_ name: String) -> ConsoleCredential {
  ConsoleCredential(name: name, position: SourcePosition(file: "scangate.yaml", line: 7, column: 3))
}

/// A logger that nobody reads.
let silentLogger = Logger(label: "console") { _ in SwiftLogNoOpLogHandler() }

func withConsole(_ setting: BenchSetting = BenchSetting(), _ body: @escaping (ConsoleBench) async throws -> Void)
  async throws
{
  let path = "@scangate-console-test-\(UInt64.random(in: .min ... .max))"
  let station = try ScriptedStation(at: path, setting.snapshot)
  let mirror = try StationMirror(path: path)
  await mirror.start()
  var console = ConsoleSetting(
    setting.configuration, version: "0.1.0", tokens: setting.book, identity: setting.identity, machine: setting.machine,
    logger: silentLogger)
  console.limits = setting.limits
  console.access = setting.access
  let server = ConsoleServer(console, mirror: mirror)
  let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
  let running = Task {
    defer { isReady.finish() }
    try await server.run { isReady.yield($0.port) }
  }
  var ports = ready.makeAsyncIterator()
  let result: Result<Void, any Error>
  if let port = await ports.next() {
    do {
      result = .success(try await body(ConsoleBench(port: port, station: station, mirror: mirror, server: server)))
    } catch {
      result = .failure(error)
    }
  } else {
    result = .failure(ConsoleFault("it did not begin"))
  }
  await mirror.stop()
  running.cancel()
  _ = await running.result
  station.end()
  try result.get()
}

/// Runs a test with a folder of its own.
func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = "\(temporaryRoot)/scangate-console-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(folder)
}
