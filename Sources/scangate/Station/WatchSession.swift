import ArgumentParser
import Glibc
import ScanModel
import StationProtocol
import UnixSignals

/// `scangate watch` while it runs: takes what the service tells, and shows it on a page or as lines.
struct WatchSession {
  private enum Input: Sendable {
    case news(StationClient.News)
    case snapshot(StationSnapshot)
    /// Time has passed.
    case tick
    /// The terminal has another size, or is ours again.
    case renew
    case end
  }

  /// Why there is nothing to watch.
  private struct Problem {
    var words: String
    var code: ExitCode
  }

  /// How often the service is asked how it is.
  private static let interval = Duration.seconds(1)

  private let client: StationClient
  private let time = SystemTime()
  private let isPage = Terminal.isPage
  private let paint = Paint(isColourful: Terminal.isColourful)
  private var view: WatchView
  private var screen: WatchScreen
  /// Whether there was the gate that is watched.
  private var isProven = false
  private var gaps = EventGaps()
  /// What was said last of a service that is away, where no page shows it.
  private var told: String?

  /// - Parameter client: not started yet.
  init(_ client: StationClient, view: WatchView) {
    self.client = client
    self.view = view
    screen = WatchScreen(paint)
  }

  /// Until somebody interrupts.
  /// - Throws: an exit that has told what cannot be watched.
  mutating func run() async throws {
    // Before anything is drawn, so that the terminal is always left as it was.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigwinch, .sigcont)
    let (inputs, input) = AsyncStream<Input>.makeStream(bufferingPolicy: .bufferingNewest(8_192))
    await client.start(listening: true)
    if isPage { Terminal.write(WatchScreen.begin) }
    let tasks = [
      Task { [client] in for await news in client.news { input.yield(.news(news)) } },
      Task { [client] in
        while !Task.isCancelled {
          let snapshot = try? await client.snapshot()
          input.yield(snapshot.map { .snapshot($0) } ?? .tick)
          try? await Task.sleep(for: Self.interval)
        }
      },
      Task {
        for await signal in signals {
          input.yield([.sigwinch, .sigcont].contains(signal) ? .renew : .end)
        }
      },
    ]
    var problem: Problem?
    for await one in inputs {
      if case .end = one { break }
      problem = take(one)
      if problem != nil { break }
      if isPage { draw() }
    }
    for task in tasks { task.cancel() }
    await client.stop()
    if isPage { Terminal.write(WatchScreen.end) }
    if let problem { throw failure(problem.words, problem.code) }
  }

  /// - Returns: why there is nothing to watch.
  private mutating func take(_ input: Input) -> Problem? {
    switch input {
    case .news(.here(let welcome)):
      view.isHere()
      gaps = EventGaps()
      say("The service of \(welcome.station) answers (scangate \(welcome.program)).")
    case .news(.away(let absence)):
      if absence.kind == .notAllowed { return Problem(words: absence.description, code: Exit.unavailable) }
      view.isAway(absence.description)
      say(absence.description)
    case .news(.event(let event)):
      let lost = gaps.lost(before: event.number)
      if lost > 0 { show(ShownEvent(dropped: lost)) }
      if let event = ShownEvent(line: event.line, clock: PageClock(now: time.wall())) { show(event) }
    case .news(.dropped): break  // The next event's number tells it, and what was lost elsewhere.
    case .snapshot(let snapshot):
      view.take(snapshot)
      guard let others = view.otherGates else {
        isProven = true
        break
      }
      // One that goes with a reload may come back with the next.
      if !isProven {
        let words = "There is no gate \(view.gate ?? ""); this station has \(others.joined(separator: ", "))."
        return Problem(words: words, code: Exit.usage)
      }
    case .tick, .end: break
    case .renew:
      if isPage { Terminal.write(WatchScreen.begin) }
      screen.renew()
    }
    return nil
  }

  private mutating func show(_ event: ShownEvent) {
    let isShown = view.take(event, at: time.now(), came: time.wall())
    guard isShown, !isPage else { return }
    let clock = PageClock(now: time.wall())
    Terminal.out(event.plain(clock, came: clock.now).text(Paint(isColourful: false)))
  }

  private mutating func say(_ words: String) {
    guard !isPage, words != told else { return }
    told = words
    Terminal.error(TerminalText.clean(words, limit: 1_000))
  }

  private mutating func draw() {
    let size = WatchScreen.Size.now
    let page = view.page(
      columns: size.columns, rows: size.rows, now: time.now(), clock: PageClock(now: time.wall()))
    Terminal.write(screen.draw(page, size))
  }
}
