import Expectations
import Foundation
import FoundationNetworking
import Glibc
import Testing

/// `scangate console` as a user starts it.
@Suite struct ConsoleCommandTests {
  private static let station = """
    version: 1
    station: { name: door }
    ticketSystems: { main: { type: eventschedule, enrol: true } }
    readers: { scanner: { type: wedge, match: { vendor: "0c2e" } } }
    gates: { north: { readers: [scanner], ticketSystem: main } }

    """

  private struct Place {
    let folder: URL
    var file: String { folder.path + "/scangate.yaml" }
    var credentials: String { folder.path + "/console" }
    var state: String { folder.path + "/state" }
    /// What the command is told of it.
    var options: [String] { ["--config", file, "--credentials", credentials, "--state", state] }

    func write(_ console: String) throws {
      try (ConsoleCommandTests.station + console).write(toFile: file, atomically: true, encoding: .utf8)
    }
  }

  private func withPlace(_ body: (Place) async throws -> Void) async throws {
    let place = Place(folder: try temporaryFolder())
    defer { try? FileManager.default.removeItem(at: place.folder) }
    for folder in [place.credentials, place.state] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try await body(place)
  }

  /// A port that was free a moment ago.
  private func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  @Test func aFileWithoutAConsoleIsNoFailure() async throws {
    try await withPlace { place in
      try place.write("")
      for words in [["console"], ["console", "run"]] {
        let result = try await Program.run(words + place.options)
        expectEqual(result.status, 0, "\(result.errors)")
        expect(result.output.contains("The file has no section console"))
      }
      let fingerprint = try await Program.run(["console", "fingerprint"] + place.options)
      expectEqual(fingerprint.status, 78)
    }
  }

  @Test func aTokenIsMadeOnceAndNotPrinted() async throws {
    try await withPlace { place in
      let made = try await Program.run(["console", "token", "wall-screen", "--credentials", place.credentials])
      expectEqual(made.status, 0, "\(made.errors)")
      let path = place.credentials + "/wall-screen"
      let token = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
      expectEqual(token.utf8.count, 64)
      expect(!(made.output + made.errors).contains(token))
      var status = stat()
      expectEqual(stat(path, &status), 0)
      expectEqual(status.st_mode & 0o077, 0)
      let again = try await Program.run(["console", "token", "wall-screen", "--credentials", place.credentials])
      expectEqual(again.status, 69)
      expect(again.errors.contains("It is there already"))
      try expectEqual(String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines), token)
      for name in ["../evil", "a/b", ".hidden", ""] {
        let refused = try await Program.run(["console", "token", name, "--credentials", place.credentials])
        expectEqual(refused.status, 64, "\(name)")
      }
      let nowhere = try await Program.run(["console", "token", "wall", "--credentials", place.folder.path + "/none"])
      expect(nowhere.status == 69 && nowhere.errors.contains("Make the folder first"))
    }
  }

  @Test func whatIsMissingIsToldAllAtOnce() async throws {
    try await withPlace { place in
      try place.write(
        "console: { listen: 127.0.0.1:8088, metrics: prometheus, tokens: { wall: [events], ops: [orders] } }\n")
      try "short".write(toFile: place.credentials + "/wall", atomically: true, encoding: .utf8)
      let result = try await Program.run(["console"] + place.options)
      // Starting it again changes nothing: the unit does not.
      expectEqual(result.status, 78)
      for words in [
        "\(place.credentials)/prometheus, named in line 6 of the file, is not there", "holds a token of less than 20",
        "\(place.credentials)/ops, named in line 6 of the file, is not there", "scangate console token ops",
      ] {
        expect(result.errors.contains(words), "\(words): \(result.errors)")
      }
      try place.write("console: { listen: 0.0.0.0:8088, allowPlainHTTP: true, orders: [openOnce] }\n")
      let plain = try await Program.run(["console"] + place.options)
      expectEqual(plain.status, 78)
      expect(plain.errors.contains("\(place.file):6:") && plain.errors.contains("orders would be given by plain HTTP"))
    }
  }

  /// It runs without a station, says so, and ends when it is told to.
  @Test func itTellsThatThereIsNoStation() async throws {
    try await withPlace { place in
      let port = freePort()
      try place.write("console: { listen: \"127.0.0.1:\(port)\" }\n")
      let process = Process()
      process.executableURL = try Program.executable()
      process.arguments = ["console"] + place.options + ["--station-socket", place.folder.path + "/none.sock"]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let (ended, end) = AsyncStream<Int32>.makeStream()
      process.terminationHandler = { process in
        end.yield(process.terminationStatus)
        end.finish()
      }
      try process.run()
      let url = try #require(URL(string: "http://127.0.0.1:\(port)/healthz"))
      var (status, body) = (0, "")
      await until {
        guard let (data, response) = try? await URLSession.shared.data(from: url) else { return false }
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
        body = String(decoding: data, as: UTF8.self)
        return true
      }
      expectEqual(status, 503)
      expect(body.contains("\"running\":false"))
      process.terminate()
      var codes = ended.makeAsyncIterator()
      await expectEqual(codes.next(), 0)
    }
  }

  @Test func theFingerprintIsThatOfItsCertificate() async throws {
    try await withPlace { place in
      try place.write("console: { listen: 0.0.0.0:8088, certificate: c.pem, privateKey: k.pem }\n")
      let openssl = Process()
      openssl.executableURL = URL(filePath: "/usr/bin/openssl")
      openssl.arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=gate",
        "-keyout",
        place.credentials + "/k.pem", "-out", place.credentials + "/c.pem",
      ]
      openssl.standardError = FileHandle.nullDevice
      try openssl.run()
      openssl.waitUntilExit()
      let printed = Process()
      printed.executableURL = URL(filePath: "/usr/bin/openssl")
      printed.arguments = ["x509", "-noout", "-fingerprint", "-sha256", "-in", place.credentials + "/c.pem"]
      let pipe = Pipe()
      printed.standardOutput = pipe
      try printed.run()
      let expected = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        .split(separator: "=").last.map { $0.trimmingCharacters(in: .newlines) }
      let result = try await Program.run(["console", "fingerprint"] + place.options)
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(result.lines.first, expected)
      // One that it makes itself is there after its first start.
      try place.write("console: { listen: 0.0.0.0:8088 }\n")
      let early = try await Program.run(["console", "fingerprint"] + place.options)
      expectEqual(early.status, 69)
      expect(early.errors.contains("when it is first started"))
      try place.write("console: { listen: 127.0.0.1:8088 }\n")
      let plain = try await Program.run(["console", "fingerprint"] + place.options)
      expect(plain.status == 78 && plain.errors.contains("plain HTTP"))
    }
  }
}
