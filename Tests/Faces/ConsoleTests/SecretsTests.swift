import Expectations
import Foundation
import ScanConfiguration
import Testing

@testable import Console

@Suite struct SecretsTests {
  @Test func aTokenIsReadByItsNameAlone() async throws {
    try await withFolder { folder in
      try Data("  \(ConsoleBench.token)\n".utf8).write(to: URL(filePath: folder + "/wall"))
      try Data(ConsoleBench.otherToken.utf8).write(to: URL(filePath: folder + "/console_wall"))
      try expectEqual(ConsoleSecrets(folder: folder).token(credential("wall")), ConsoleBench.token)
      // As the service manager hands them over.
      try expectEqual(ConsoleSecrets(credentials: folder).token(credential("wall")), ConsoleBench.otherToken)
    }
  }

  @Test func whatIsNoTokenIsExplainedWithoutAWordOfIt() async throws {
    try await withFolder { folder in
      for (text, words) in [
        ("", "is empty"), (" \n", "is empty"), ("short-token", "less than 20"),
        ("secret words of a token, blank", "holds no token"),
        ("secret-token-of-lines\nsecret-second", "holds no token"),
        ("secret-tökén-of-more-than-20", "holds no token"),
        (String(repeating: "secret", count: 2_000), "holds no token"),
      ] {
        try Data(text.utf8).write(to: URL(filePath: folder + "/wall"))
        do throws(ConsoleFault) {
          _ = try ConsoleSecrets(folder: folder).token(credential("wall"))
          expect(false, "it is taken: \(words)")
        } catch {
          expect(error.description.contains(words), "\(error)")
          expect(!error.description.contains("secret-") && !error.description.contains("short-token"))
          expect(error.description.contains("scangate console token wall"))
        }
      }
    }
  }

  @Test func whatIsNotThereIsNamedAsStaffKnowIt() async throws {
    try await withFolder { folder in
      do throws(ConsoleFault) {
        _ = try ConsoleSecrets(credentials: folder).token(credential("wall"))
        expect(false, "it is there")
      } catch {
        expectEqual(
          error.description,
          "/etc/scangate/console/wall, named in line 7 of the file, is not there. Make one with: sudo scangate console token wall, "
            + "and start the console anew: systemctl restart scangate-console")
      }
    }
  }

  @Test func newTokensAreGoodAndNeverTheSame() async throws {
    try await withFolder { folder in
      var known: Set<String> = []
      for _ in 0..<100 {
        let token = ConsoleSecrets.newToken()
        try Data(token.utf8).write(to: URL(filePath: folder + "/wall"))
        try expectEqual(ConsoleSecrets(folder: folder).token(credential("wall")), token)
        expectEqual(token.utf8.count, 64)
        expect(known.insert(token).inserted)
      }
    }
  }
}
