import ArgumentParser
import StationProtocol

/// `scangate watch`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "See live what happens at the gates of this station.",
    discussion: """
      On a terminal a page: how gates, readers, ticket systems and outbox are, and each verdict as it comes; with one gate, in large \
      letters. Elsewhere one line for each event. It outlives restarts of the service; Ctrl-C ends it.
      """)

  @Option(help: ArgumentHelp("Only this gate, its readers and its ticket system.", valueName: "name"))
  var gate: String?

  @Flag(help: "Name tickets' holders, where the service tells them.")
  var names = false

  @OptionGroup var station: StationArgument

  func run() async throws {
    let client = try station.client("watch", names: names)
    var session = WatchSession(client, view: WatchView(gate: gate, program: Scangate.version))
    try await session.run()
  }
}
