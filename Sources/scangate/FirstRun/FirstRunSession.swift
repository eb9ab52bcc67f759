import FirstRun
import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// A first run in a terminal: what is typed and what happens goes to the state machine, what is to be done to who does it.
struct FirstRunSession {
  /// Something that one thread says and another looks at.
  final class Flag: Sendable {
    private let state = Mutex(false)

    var isUp: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  private enum Input: Sendable {
    case line(LineReader.Input)
    case event(FirstRun.Event)
  }

  /// Where scanners type into the very terminal that asks, what was scanned comes as a line within so short a time.
  private static let echo = Duration.milliseconds(300)

  let offers: FirstRun.Offers
  let work: FirstRunWork
  let texts: FirstRunTexts

  /// Runs to the end.
  /// - Parameters:
  ///   - script: answers by topic, where nobody is asked; each is given once.
  ///   - key: the key for it.
  /// - Returns: whether the configuration was written.
  func run(script: [FirstRunView.Topic: String]?, key: [UInt8]?) async throws -> Bool {
    var run = FirstRun(offers)
    var terminal = TerminalAnswers(texts)
    let devices = FirstRunDevices()
    let (inputs, input) = AsyncStream.makeStream(of: Input.self)
    let saved = terminal.settings
    let isWriting = Flag()
    let words = texts(.nothingChanged)
    let interruption = Interruption { number in
      // What is being written is written whole, within a moment, and then said.
      guard !isWriting.isUp else { return }
      // Nothing was written; the terminal shows again what is typed.
      if var saved { tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
      Terminal.error("\n\(words)")
      UnfinishedFiles.removeAll { _exit(128 + number) }
    }
    defer { interruption.end() }
    if script == nil {
      let lines = try LineReader(descriptor: STDIN_FILENO, keepsBlank: true)
      Task {
        while let line = await lines.next() { input.yield(.line(line)) }
        input.yield(.event(.cancelled))
      }
    }
    // One after another: who listens is ended before the next one begins.
    let (orders, order) = AsyncStream.makeStream(of: FirstRun.Effect.self)
    let doing = Task { for await effect in orders { await perform(effect, devices) { input.yield(.event($0)) } } }
    defer { doing.cancel() }
    let time = SystemTime()
    var scanned: MonotonicTime?
    var given: [FirstRunView.Topic: Int] = [:]
    var effects = script == nil ? run.first : []
    var shown: FirstRunView?
    var feed = inputs.makeAsyncIterator()
    while true {
      for effect in effects {
        if case .write = effect { isWriting.isUp = true }
        order.yield(effect)
      }
      let view = run.view
      if view != shown { terminal.show(view) }
      shown = view
      if view.isOver { break }
      if let script, !view.isWaiting {
        given[view.topic, default: 0] += 1
        // Asked again: the answer was wrong, and there is no other.
        let isOnce = view.topic == .output || given[view.topic] == 1
        guard view.fault == nil, isOnce else { break }
        if view.field?.isSecret == true {
          effects = run.take(await work.take(key: key ?? []))
        } else {
          // What is asked for again and again is the relay first, then lamps, of which a script has none.
          let isRelay = view.topic != .output || given[.output] == 1
          let answer = (isRelay ? script[view.topic] : "none") ?? "quit"
          effects = run.take(.answered(answer, question: view.number))
        }
        continue
      }
      guard let next = await feed.next() else { break }
      switch next {
      case .event(let event):
        if case .unwritten = event { isWriting.isUp = false }
        if case .scanned = event { scanned = time.now() }
        effects = run.take(event)
      case .line where scanned.map { time.now() < $0 + Self.echo } == true: effects = []
      case .line(.tooLong): effects = run.take(.answered("", question: view.number))
      case .line(.line(let bytes)):
        effects =
          view.field?.isSecret == true && !Self.isCommand(bytes)
          ? run.take(await work.take(key: bytes))
          : run.take(.answered(String(decoding: bytes, as: UTF8.self), question: view.number))
      }
    }
    await devices.deafen()
    terminal.end()
    input.finish()
    return run.isWritten
  }

  /// Words that lead away from the question for the key.
  private static func isCommand(_ bytes: [UInt8]) -> Bool {
    ["back", "quit"].contains(String(decoding: bytes, as: UTF8.self))
  }

  /// Does what is to be done.
  func perform(
    _ effect: FirstRun.Effect, _ devices: FirstRunDevices, tell: @escaping @Sendable (FirstRun.Event) -> Void
  ) async {
    switch effect {
    case .listen(let ports): await devices.listen(ports: ports, tell: tell)
    case .hear(let reader): await devices.hear(reader, tell: tell)
    case .deafen: await devices.deafen()
    case .pulse(let slot, let offer): tell(await work.pulse(slot, offer))
    case .discover(let form, let address, let answers): tell(await work.discover(form, address, answers))
    case .check(let text): tell(await work.check(text))
    case .write(let text): tell(await work.write(text))
    }
  }
}
