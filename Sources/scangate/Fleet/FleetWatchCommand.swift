import ArgumentParser
import FleetBook
import FleetSetUp
import JetStreamClaims
import ScanModel

/// `scangate fleet watch`
struct FleetWatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch a fleet: who leads, who is away, conflicts, and how many are in; a line each, until Ctrl-C.",
    discussion: """
      With the fleet's folder, or at a station by what that is to its fleet (as root). It reads the whole book once, and then what is \
      written; of a large book its count is whole after a while. It changes nothing.
      """)

  @Argument(
    help: ArgumentHelp("The fleet's folder. Without it this station's fleet.", valueName: "folder"),
    completion: .directory)
  var folder: String?

  @Flag(help: "Print a JSON object a line.")
  var json = false

  @Option(help: ArgumentHelp("After so many seconds it says how things stand; 10.", valueName: "seconds"))
  var every: Int = 10

  @OptionGroup var configuration: ConfigurationArgument

  @OptionGroup var state: StateArgument

  func validate() throws {
    guard (1...3_600).contains(every) else { throw ValidationError("--every is 1 to 3600 seconds") }
  }

  func run() async throws {
    let view = try FleetView.open(folder, configuration, state)
    guard let seal = view.seal else { throw failure("The fleet has no station.", Exit.data) }
    let store = try connected(view.settings)
    let watch = Watch(FleetWatch(reading: seal, stations: Array(view.keys.keys)), isJSON: json)
    let reading = Task {
      for await news in store.watch(after: .none) { await watch.take(news) }
    }
    defer { reading.cancel() }
    let time = SystemTime()
    var next = time.now() + .seconds(2)
    while !Task.isCancelled {
      let facts = await store.facts(until: time.now() + .seconds(2))
      let isDue = time.now() >= next
      if isDue { next = time.now() + .seconds(every) }
      await watch.take(view.status(facts, time.wall()), isDue: isDue)
      try await Task.sleep(for: .seconds(1))
    }
  }
}

/// Prints what comes from two sides.
private actor Watch {
  private var watch: FleetWatch
  private let isJSON: Bool
  /// What servers tell first is that nothing was asked yet.
  private var hasHeard = false
  private let time = SystemTime()
  private let began: MonotonicTime

  init(_ watch: FleetWatch, isJSON: Bool) {
    self.watch = watch
    self.isJSON = isJSON
    began = time.now()
  }

  func take(_ news: ClaimWatch) { print(watch.take(news, at: time.wall())) }

  func take(_ status: FleetStatus, isDue: Bool) {
    if !status.facts.servers.isEmpty || time.now() - began > .seconds(6) { hasHeard = true }
    guard hasHeard else { return }
    print(watch.take(status))
    if isDue { print([watch.state(status)]) }
  }

  private func print(_ lines: [FleetWatch.Line]) {
    for line in lines {
      let words = TerminalText.clean(line.words, limit: 500)
      Terminal.out(
        isJSON ? line.json : "\(line.at.iso8601Seconds)  \(line.kind == .conflict ? "CONFLICT: " : "")\(words)")
    }
  }
}
