import ArgumentParser
import FirstRun
import Glibc
import LinuxIO
import ScanModel
import Sealing

/// `scangate setup`: from nothing to a configuration that admits.
struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set this station up: scanner, relay, lamps, ticket system, gate.",
    discussion: """
      Asks one question after another, tries what can be tried, and writes configuration and key at the end, both or neither; a file \
      that is there is kept as FILE.before. Ctrl-C leaves everything as it was. For scripts, answers are given by options, with \
      --yes for the last question; the key then comes from --key-file or standard input, and no output moves.
      """)

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The file to write.", valueName: "file"))
  var file = ConfigurationArgument.usual

  @Option(help: ArgumentHelp("The reader: its node, such as /dev/input/event5, or a serial line.", valueName: "path"))
  var reader: String?

  @Option(help: ArgumentHelp("The relay: the number that is offered for it, or none.", valueName: "number"))
  var relay: String?

  @Option(help: ArgumentHelp("The ticket system: https://tickets.example.org", valueName: "address"))
  var system: String?

  @Option(help: ArgumentHelp("Read its key from this file.", valueName: "path"), completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("What the gate is for: the number that is offered.", valueName: "number"))
  var event: String?

  @Option(help: ArgumentHelp("The gate's name.", valueName: "name"))
  var gate: String?

  @Flag(help: "Ask nobody: what no option answers is left out, and what was checked is written.")
  var yes = false

  @Flag(help: "Ask in a page on this machine, for 30 min, behind a code that is shown here.")
  var web = false

  @Option(help: ArgumentHelp("Where the page is: an address of this machine alone.", valueName: "host:port"))
  var listen = "127.0.0.1:0"

  @Option(help: .hidden) var webSeconds = 1_800

  @OptionGroup var state: StateArgument

  func validate() throws {
    _ = try place()
    guard (1...1_800).contains(webSeconds) else { throw ValidationError("The page is there for 1 to 1800 seconds.") }
    guard !(yes && web) else { throw ValidationError("--web asks, and --yes has nobody asked: take one of them.") }
    guard yes else { return }
    guard reader != nil, system != nil else { throw ValidationError("--yes needs --reader and --system.") }
  }

  func run() async throws {
    guard yes || web || isatty(STDIN_FILENO) != 0 else {
      throw failure("Nobody is here to be asked: add --reader, --system and --yes.", Exit.usage)
    }
    let texts = FirstRunTexts.of(.spoken(Terminal.variable))
    try checkRights(texts)
    let store = CredentialStore(keys: state.keys)
    let credential = FirstRunWork.freeCredential(in: store)
    let session = FirstRunSession(
      offers: FirstRunDevices.offers(file: file, hasFile: access(file, F_OK) == 0),
      work: FirstRunWork(file: file, state: state, credential: credential), texts: texts)
    let key =
      yes
      ? [UInt8](
        try HiddenInput.secret(keyFile, asking: "Paste the key (it is not shown): ", otherwise: "Nothing was changed.")
          .text.utf8) : nil
    let isWritten =
      web
      ? try await session.run(page: SetupPage(for: .seconds(webSeconds)), at: place(), for: .seconds(webSeconds))
      : try await session.run(script: yes ? script : nil, key: key)
    if !isWritten { throw yes ? Exit.configuration : ExitCode(130) }
  }

  /// Makes sure that what is asked for can be written at the end.
  private func checkRights(_ texts: FirstRunTexts) throws {
    let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    guard access(folder, W_OK | X_OK) != 0 else { return }
    let error = SystemError(errno: errno, call: "access")
    throw failure(texts(.noRights, TerminalText.clean(file, limit: 1_000), error.words), Exit.output)
  }

  /// Where the page listens. A key is typed into it, and it has no TLS: loopback alone.
  private func place() throws -> (host: String, port: Int) {
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
      ["127.0.0.1", "localhost", "[::1]"].contains(String(listen[..<colon]))
    else {
      throw ValidationError(
        "--listen is 127.0.0.1 and a port. From another machine: ssh -L 8080:127.0.0.1:8080 and --listen 127.0.0.1:8080"
      )
    }
    let host = listen[..<colon]
    return (host == "[::1]" ? "::1" : host == "localhost" ? "127.0.0.1" : String(host), Int(port))
  }

  /// What options answer, by the question's topic.
  private var script: [FirstRunView.Topic: String] {
    var script: [FirstRunView.Topic: String] = [
      .output: relay ?? "none", .kind: "1", .another: "no", .test: "skip", .judged: "ok", .trial: "untried",
      .event: event ?? "1",
      .gate: gate ?? "gate", .confirm: "yes",
    ]
    script[.reader] = reader
    script[.system] = system
    return script
  }
}
