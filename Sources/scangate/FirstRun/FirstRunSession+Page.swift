import FirstRun
import Glibc
import LinuxIO

extension FirstRunSession {
  private enum Input: Sendable {
    case page(SetupPage.News)
    case event(FirstRun.Event)
    case timeIsOver
    case patienceIsOver
  }

  /// How long the end stays to be seen by who has not looked yet.
  private static let parting = Duration.seconds(10)
  /// How long the page's process may take to end, in which it answers whoever it was answering.
  private static let patience = Duration.seconds(4)

  /// Runs to the end with a page, whose address and code the terminal shows; nothing is asked here.
  /// - Parameter duration: how long the page is there.
  /// - Returns: whether the configuration was written.
  func run(page: SetupPage, at place: (host: String, port: Int), for duration: Duration) async throws -> Bool {
    var run = FirstRun(offers)
    let devices = FirstRunDevices()
    let isWriting = Flag()
    let unchanged = texts(.nothingChanged)
    let (inputs, input) = AsyncStream.makeStream(of: Input.self)
    let interruption = Interruption { number in
      guard !isWriting.isUp else { return }
      page.end()
      Terminal.error("\n\(unchanged)")
      UnfinishedFiles.removeAll { _exit(128 + number) }
    }
    defer { interruption.end() }
    let (orders, order) = AsyncStream.makeStream(of: FirstRun.Effect.self)
    let doing = Task { for await effect in orders { await perform(effect, devices) { input.yield(.event($0)) } } }
    let alarm = Task {
      try await Task.sleep(for: duration)
      input.yield(.timeIsOver)
    }
    defer {
      doing.cancel()
      alarm.cancel()
    }
    do throws(SystemError) {
      try page.start(place.host, place.port) { input.yield(.page($0)) }
    } catch {
      page.end()
      throw failure(texts(.pageBegin, error.words))
    }
    var effects: [FirstRun.Effect] = []
    var words: FirstRunText?
    var answered: Int?
    var (isGone, isSeen) = (false, false)
    page.show(run.view)
    for await next in inputs {
      switch next {
      case .event(let event):
        if case .unwritten = event { isWriting.isUp = false }
        effects = run.take(event)
      case .page(.ready(let port)):
        let host = place.host.contains(":") ? "[\(place.host)]" : place.host
        Terminal.out(texts(.pageOpen, "http://\(host):\(port)/"))
        Terminal.out(texts(.pageShowsCode, page.code))
        Terminal.out(texts(.pageThere, "\(max(1, duration.components.seconds / 60))"))
      case .page(.admitted):
        Terminal.out(texts(.pageAdmitted))
        effects = run.first
      case .page(.answer(let id, let number, let text)):
        effects = run.take(.answered(text, question: number))
        answered = id
      case .page(.key(let id, let number, let key)):
        answered = id
        effects =
          number == run.view.number && run.view.field?.isSecret == true ? run.take(await work.take(key: key)) : []
      case .page(.seen): isSeen = run.view.isOver
      case .page(.over(let told)):
        words = told
        effects = run.take(.cancelled)
      case .page(.gone):
        isGone = true
        words = .own(.pageProcess)
        effects = run.take(.cancelled)
      case .patienceIsOver: break
      case .timeIsOver:
        words = .own(.pageTime)
        effects = run.take(.cancelled)
      }
      for effect in effects {
        if case .write = effect { isWriting.isUp = true }
        order.yield(effect)
      }
      effects = []
      if words != nil || isSeen, run.view.isOver { break }
      page.show(run.view)
      if let id = answered { page.done(id) }
      answered = nil
      guard run.view.isOver else { continue }
      // Whoever looks at the page sees the end, or has gone.
      Task {
        try await Task.sleep(for: Self.parting)
        input.yield(.page(.seen))
      }
    }
    if !isGone {
      // Whoever looks at the end, or sent the last code, has an answer before.
      var last = run.view
      last.fault = words
      page.finish(last)
      let limit = Task {
        try await Task.sleep(for: Self.patience)
        input.yield(.patienceIsOver)
      }
      waiting: for await next in inputs {
        switch next {
        case .page(.gone), .patienceIsOver: break waiting
        default: continue
        }
      }
      limit.cancel()
    }
    page.end()
    await devices.deafen()
    if let words { Terminal.error(texts(words)) }
    Terminal.out(texts(run.view.title))
    for line in run.view.words { Terminal.out("  \(texts(line))") }
    return run.isWritten
  }
}
