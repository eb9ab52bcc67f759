import ArgumentParser
import Glibc
import LinuxIO
import ScanModel
import StationProtocol

/// Which service is spoken with.
struct StationArgument: ParsableArguments {
  @Option(
    name: .customLong("station-socket"),
    help: ArgumentHelp(
      "The socket of the service. Without it that of an installed station (\(StationLimits.path)).",
      valueName: "socket"), completion: .file(), transform: SocketPath.resolved)
  var path = StationLimits.path

  /// A client that is not connected yet.
  /// - Parameter names: whether tickets' holders are to be named.
  func client(_ program: String, names: Bool = false) throws -> StationClient {
    do throws(SystemError) {
      return try StationClient(path: path, program: "scangate \(program)", wants: ListenerWants(names: names))
    } catch {
      throw failure("The service cannot be spoken with: \(error.words).")
    }
  }

  /// Calls `body` with a client that is connected, and how the station is.
  /// - Parameter names: whether tickets' holders are to be named.
  /// - Throws: an exit that has told why nobody answers.
  func speaking<Value>(
    _ program: String, names: Bool = false, _ body: (StationClient, StationSnapshot) async throws -> Value
  ) async throws -> Value {
    let client = try client(program, names: names)
    await client.start()
    do {
      let value = try await body(client, try await client.snapshot())
      await client.stop()
      return value
    } catch {
      await client.stop()
      guard let absence = error as? StationAbsence else { throw error }
      throw failure(absence.description)
    }
  }
}

/// Who gives an order, as this program knows it; the service looks itself whose process it is.
enum Orderer {
  /// The account of whoever sits here; behind `sudo`, that of whoever called it.
  static var name: String {
    if let sudo = getenv("SUDO_USER").map({ String(cString: $0) }), !sudo.isEmpty, geteuid() == 0 { return sudo }
    return account(getuid()) ?? "uid \(getuid())"
  }

  /// The name of an account; `nil` where there is none, or none any more.
  static func account(_ user: UInt32) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
    else { return nil }
    return String(cString: name)
  }
}
