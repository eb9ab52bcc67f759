import Expectations
import Foundation
import LibCrypto
import ScanModel
import Testing
import TicketSystemKit
import TicketTransport

@testable import Console
@testable import ScanConfiguration

/// What is said of a console's files before it is started.
@Suite struct CheckTests {
  private static let start: Int64 = 1_800_000_000
  private static let day: Int64 = 86_400

  private static func configuration(
    _ change: (inout ConsoleConfiguration) -> Void = { _ in }
  ) -> ConsoleConfiguration {
    var console = ConsoleConfiguration(listen: ListenAddress(host: "0.0.0.0", port: 8_088))
    (console.certificate, console.privateKey) = (credential("c.pem"), credential("k.pem"))
    console.tokens = [ConsoleToken(credential: credential("wall"), scopes: [.events])]
    change(&console)
    return console
  }

  private static func problems(
    _ console: ConsoleConfiguration, _ folder: String, day: Int64 = 0
  ) -> [CredentialProblem] {
    ConsoleSecrets(folder: folder).problems(of: console, at: WallTime(seconds: start + day * Self.day))
  }

  private static func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

  /// A certificate of 100 days, its key and a token.
  private static func fill(_ folder: String) throws {
    let made = try #require(SelfSignedCertificate(for: ["door"], holds: start..<(start + 100 * day)))
    try put(made.certificate, folder + "/c.pem")
    try put(made.privateKey, folder + "/k.pem")
    try put([UInt8](ConsoleBench.token.utf8), folder + "/wall")
  }

  @Test func whatIsThereAndWillDoIsNothingToSay() async throws {
    try await withFolder { folder in
      try Self.fill(folder)
      expectEqual(Self.problems(Self.configuration(), folder, day: 69), [])
      // One that the console makes for itself it renews for itself.
      expectEqual(Self.problems(ConsoleConfiguration(listen: ListenAddress(host: "0.0.0.0", port: 8_088)), folder), [])
    }
  }

  @Test func whatIsMissingIsNamedWithTheCommandThatMakesIt() async throws {
    try await withFolder { folder in
      let url = try ServerAddress("https://ntfy.example/gate", allowPlainHTTP: false)
      let console = Self.configuration {
        $0.alerts = AlertsConfiguration(
          url: url, path: "", token: credential("ntfy"), on: [.reader], caFile: credential("ca.pem"))
      }
      let found = Self.problems(console, folder)
      expectEqual(found.map(\.path), ["c.pem", "k.pem", "wall", "ntfy", "ca.pem"].map { "\(folder)/\($0)" })
      for problem in found {
        expect(problem.kind == .file && problem.words.contains("is not there") && problem.position.line == 7)
        expect(problem.cure.hasSuffix(" && sudo systemctl restart scangate-console"), "\(problem.cure)")
      }
      expect(found[2].cure.hasPrefix("sudo scangate console token wall &&"), "\(found)")
      // One that is there and will not do has to go first: the command overwrites none.
      try Self.put([UInt8]("short".utf8), folder + "/wall")
      let short = try #require(Self.problems(console, folder).first { $0.path == "\(folder)/wall" })
      expect(short.cure.hasPrefix("sudo rm \(folder)/wall && sudo scangate console token wall"), "\(short)")
      expect(short.words.contains("less than 20") && !short.words.contains("holds a token of short"))
      try Self.put([UInt8]("no certificate".utf8), folder + "/ca.pem")
      expect(Self.problems(console, folder).last?.words.contains("holds no certificate") == true)
    }
  }

  @Test func certificateAndKeyHaveToBelongTogether() async throws {
    try await withFolder { folder in
      try Self.fill(folder)
      let other = try #require(SelfSignedCertificate(for: ["door"], holds: Self.start..<(Self.start + Self.day)))
      for (bytes, file, words) in [
        (other.privateKey, "k.pem", "do not belong together"), ([UInt8]("junk".utf8), "k.pem", "as a private key"),
        ([UInt8]("junk".utf8), "c.pem", "c.pem"),
      ] {
        try Self.put(bytes, "\(folder)/\(file)")
        let found = Self.problems(Self.configuration(), folder)
        expectEqual(found.map(\.path), ["\(folder)/c.pem"], "\(words)")
        expect(found.first?.words.contains(words) == true, "\(found)")
        expect(found.first?.cure.hasSuffix("sudo systemctl restart scangate-console") == true, "\(found)")
      }
    }
  }

  @Test func itsEndIsToldThirtyDaysBefore() async throws {
    try await withFolder { folder in
      try Self.fill(folder)
      for (day, words) in [(Int64(71), "ends in 29 days"), (100, "ended at "), (1_000, "ended at ")] {
        let found = Self.problems(Self.configuration(), folder, day: day)
        expectEqual(found.map(\.kind), [.life], "\(day): \(found)")
        expect(found.first?.words.contains(words) == true, "\(found)")
        expect(found.first?.cure.contains("\(folder)/k.pem") == true, "\(found)")
      }
    }
  }
}
