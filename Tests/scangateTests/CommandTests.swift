import ArgumentParser
import Expectations
import Foundation
import Testing

@testable import scangate

/// Commands as a technician types them.
@Suite struct CommandTests {
  @Test func aBadConfigurationTellsEveryErrorWithItsPlaceAndExits78() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "bad.yaml")
    try Data("version: 1\nstation:\n  nmae: door\ngates:\n  north:\n    deadline: 3\n".utf8).write(to: file)
    let result = try await Program.run(["config", "check", file.path])
    expectEqual(result.status, 78)
    expect(result.errors.contains("\(file.path):3:3: "))
    expect(result.errors.contains("\(file.path):6:15: "))
    expect(result.output.isEmpty)
    let running = try await Program.run(["run", "--config", file.path])
    expectEqual(running.status, 78)
  }

  @Test func aGoodConfigurationIsGood() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = folder.appending(path: "main.key")
    try Data("a-key-of-some-length\n".utf8).write(to: key)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
    let file = folder.appending(path: "good.yaml")
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "http://127.0.0.1:9", apiKeyFile: \(key.path) }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901" }, keymap: de }
      gates:
        north:
          readers: [left]
          ticketSystem: main
          outputs:
            green: { led: "no-such-led" }
      """
    try Data(text.utf8).write(to: file)
    let result = try await Program.run(["config", "check", file.path])
    expectEqual(result.status, 0, "\(result.errors)")
    expect(result.output.contains("good"))

    try Data(text.replacing("keymap: de", with: "keymap: klingon").utf8).write(to: file)
    let unknown = try await Program.run(["config", "check", file.path])
    expectEqual(unknown.status, 78)
    expect(unknown.errors.contains("\(file.path):6:"))
    expect(unknown.errors.contains("klingon"))
    try await expectEqual(Program.run(["run", "--config", file.path]).status, 78)
  }

  /// What the service would not start with: the files of a ticket system, line by line.
  @Test func filesOfKeysAndRevokedPassesAreRead() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (keys, revoked) = (folder.path + "/pass-keys.txt", folder.path + "/revoked.txt")
    let file = folder.path + "/lounge.yaml"
    try Data(
      """
      version: 1
      station: { name: door }
      ticketSystems:
        members:
          { type: subscriptions, url: "http://127.0.0.1:9", accessToken: ftc, passes: { keys: \(keys), revoked: \(revoked) } }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901" }, keymap: de }
      gates:
        north: { readers: [left], ticketSystem: members, outputs: { green: { led: "no-such-led" } } }
      """.utf8
    ).write(to: URL(filePath: file))
    let key = "key venue 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    let cases: [(keys: String, revoked: String, problems: [String])] = [
      (key, "# none\n", []), (key, "", []), ("", "", ["\(keys):1:1: there is no key in it"]),
      (key + "secret-words\n", "", ["\(keys):2:1: a line begins with key or #"]),
      (
        key, "id 30000781417036\nid 12\nserial xyz\n",
        ["\(revoked):2:4: an id has 8 to 20 digits", "\(revoked):3:8: a serial number has 16"]
      ),
      (
        "# none\n", "all\n",
        ["\(keys):1:1: there is no key in it", "\(revoked):1:4: a line is written as: id DIGITS"]
      ),
    ]
    for (keysText, revokedText, problems) in cases {
      try Data(keysText.utf8).write(to: URL(filePath: keys))
      try Data(revokedText.utf8).write(to: URL(filePath: revoked))
      let result = try await Program.run(["config", "check", file, "--state", folder.path + "/state"])
      expectEqual(result.status, problems.isEmpty ? 0 : 78, "\(result.errors)")
      for problem in problems {
        expect(result.errors.contains("\(file):5:") && result.errors.contains(problem), "\(result.errors)")
      }
      expect(!result.errors.contains("secret-words"), "\(result.errors)")
      expectEqual(result.output.contains("good"), problems.isEmpty)
    }
  }

  @Test func devicesPrintsJSONWithoutAConfiguration() async throws {
    let result = try await Program.run(["devices", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    for key in ["inputs", "scanners", "chips", "leds", "problems"] { expect(object[key] is [Any], "\(key)") }
    expectEqual(result.status, 0)
  }

  @Test func devicesPrintsAnExampleAndNothingElse() async throws {
    let result = try await Program.run(["devices", "--example"])
    expectEqual(result.status, 0)
    expect(result.lines.contains("version: 1"))
    // Whatever is plugged in here, or nothing: the next step of the instructions finds no error in it.
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "scangate.yaml")
    try Data(result.output.utf8).write(to: file)
    let checked = try await Program.run(["config", "check", file.path, "--state", folder.path + "/state"])
    expectEqual(checked.status, 0, "\(checked.errors)")
    try await expectEqual(Program.run(["devices", "--example", "--json"]).status, 64)
  }

  /// Of a command without a name of its own the library asks its type for one, at each start of the program and in each of the
  /// runtime's tables: for forty commands that took as long as all else.
  @Test func everyCommandSaysItsName() {
    func look(_ command: any ParsableCommand.Type) {
      expect(command.configuration.commandName != nil, "\(command)")
      for each in command.configuration.subcommands { look(each) }
    }
    look(Scangate.self)
  }

  @Test func versionIsAPlainLine() async throws {
    let result = try await Program.run(["version"])
    expectEqual(result.lines.count, 1)
    expect(result.output.hasPrefix("scangate "))
  }

  @Test func anUnknownGateOrSignalIsNamedWithThoseThatThereAre() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "one.yaml")
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "http://127.0.0.1:9", apiKeyFile: /nonexistent/key }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901" }, keymap: us }
      gates:
        north: { readers: [left], ticketSystem: main, outputs: { green: { led: "no-such-led" } } }
      """
    try Data(text.utf8).write(to: file)
    let result = try await Program.run(["signal", "test", "south", "--config", file.path])
    expect(result.status != 0)
    expect(result.errors.contains("north"))
    let slip = try await Program.run(["signal", "test", "north", "setUp.wrng", "--config", file.path])
    expect(slip.status != 0)
    expect(slip.errors.contains("setUp.wrng is no signal") && slip.errors.contains("setUp.wrong"))
  }
}
