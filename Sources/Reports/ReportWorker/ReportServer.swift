import Glibc
package import LinuxIO
import ReportProtocol
import ScanModel
import WireCoding

/// Makes reports for those who may ask: one at a time, the others wait. On the calling thread are the connections, on one of its own each
/// report is made, so that nobody who hangs, and nothing that takes long, holds up a greeting.
package final class ReportServer {
  /// By what it goes.
  package struct Settings: Sendable {
    /// The journal's file.
    package var journal: String
    /// The users who may ask.
    package var users: Set<UInt32>
    /// After how long without anybody it ends; `nil` where it does not.
    package var idle: Duration?

    package init(journal: String, users: Set<UInt32>, idle: Duration?) {
      self.journal = journal
      self.users = users
      self.idle = idle
    }
  }

  private enum News: Sendable {
    case progress(UInt64, scans: UInt64)
    case report(UInt64, Result<ReportMaker.Made, ReportFault>, took: Duration)
    case page(UInt64, Result<([JournalLine], Int64?), ReportFault>)
  }

  private let listener: PacketListener
  private let settings: Settings
  private let log: (String) -> Void
  private let inbox: ReportInbox<News>
  private let time = SystemTime()
  private var listeners: [UInt64: ReportListener] = [:]
  private var questions: [UInt64: ReportRequest] = [:]
  private var nextNumber: UInt64 = 1
  private var reports = ReportLane()
  private var pages = ReportLane()
  private var lastBusy: MonotonicTime

  /// - Parameters:
  ///   - log: told in a line what was made for whom, and what went wrong.
  /// - Throws: the system's error where it lacks a descriptor.
  package init(listener: PacketListener, settings: Settings, log: @escaping (String) -> Void) throws(SystemError) {
    self.listener = listener
    self.settings = settings
    self.log = log
    inbox = try ReportInbox()
    lastBusy = time.now()
  }

  /// Serves until nobody has come for as long as the settings say.
  package func run() {
    while true {
      let now = time.now()
      if !listeners.isEmpty || reports.current != nil || pages.current != nil { lastBusy = now }
      if let idle = settings.idle, now - lastBusy >= idle { return }
      wait(until: nextDeadline)
      for news in inbox.take() { take(news) }
      expire()
    }
  }

  private var nextDeadline: MonotonicTime? {
    let idle = settings.idle.map { lastBusy + $0 }
    return (listeners.values.map(\.deadline) + [listeners.isEmpty ? idle : nil]).compactMap(\.self).min()
  }

  private func wait(until deadline: MonotonicTime?) {
    let numbers = listeners.keys.sorted()
    var polled = [
      pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inbox.number, events: Int16(POLLIN), revents: 0),
    ]
    for number in numbers {
      guard let one = listeners[number] else { continue }
      polled.append(
        pollfd(fd: one.socket.number, events: Int16(POLLIN | (one.hasMore ? POLLOUT : 0)), revents: 0))
    }
    let patience = deadline.map { max(0, min(60_000, ($0 - time.now()).milliseconds + 1)) } ?? -1
    guard poll(&polled, nfds_t(polled.count), Int32(patience)) > 0 else { return }
    for (number, found) in zip(numbers, polled.dropFirst(2)) where found.revents != 0 {
      if found.revents & Int16(POLLIN) != 0 { read(number) }
      if found.revents & Int16(POLLOUT) != 0 { pump(number) }
      if found.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0, found.revents & Int16(POLLIN) == 0 { leave(number) }
    }
    if polled[0].revents != 0 { accept() }
  }

  // MARK: Connections

  private func accept() {
    for _ in 0..<16 {
      guard let socket = listener.accept() else { return }
      let user = socket.peer?.user
      var new = ReportListener(
        socket: socket, user: user ?? .max, deadline: time.now() + ReportLimits.greeting)
      if !(user.map { settings.users.contains($0) } ?? false) {
        new.end(.refused("This user may not ask for reports: use sudo, or the console."))
      } else if listeners.count >= ReportLimits.maximumConnections {
        new.end(.failed(ReportFault(.busy, "Too many ask for reports at once. Try again in a moment.")))
      }
      if new.stage == .over {
        _ = new.pump()
        continue
      }
      listeners[nextNumber] = new
      nextNumber += 1
    }
  }

  private func leave(_ number: UInt64) {
    listeners[number] = nil
    questions[number] = nil
    reports.leave(number)
    pages.leave(number)
  }

  private func expire() {
    let now = time.now()
    for (number, one) in listeners where one.deadline.map({ $0 <= now }) ?? false { leave(number) }
  }

  private func read(_ number: UInt64) {
    guard let one = listeners[number] else { return }
    switch one.socket.receive(limit: 8_192) {
    // Whose last words are on their way is not listened to any more.
    case .packet where one.stage == .over: return
    case .packet(let bytes):
      do throws(WireError) {
        take(try ReportRequest(bytes: bytes), of: number)
      } catch {
        refuse(number, "What was asked is not understood (\(error.description)). Install both from one release.")
      }
    case .tooLong where one.stage == .over: return
    case .tooLong(let count): refuse(number, "A request of \(count) bytes is too long.")
    case .nothing: return
    case .end: leave(number)
    }
  }

  private func refuse(_ number: UInt64, _ words: String) {
    listeners[number]?.end(.refused(words))
    pump(number)
  }

  private func pump(_ number: UInt64) {
    guard let isMoved = listeners[number]?.pump(), let one = listeners[number] else { return }
    if one.stage == .over, !one.hasMore {
      leave(number)
    } else if one.hasMore {
      // From the last time that something was taken: who only asks on has no more time by that.
      if isMoved || one.deadline == nil { listeners[number]?.deadline = time.now() + ReportLimits.stall }
    } else if one.stage == .served {
      listeners[number]?.deadline = nil
    }
  }

  // MARK: Questions

  private func take(_ request: ReportRequest, of number: UInt64) {
    switch (request, listeners[number]?.stage) {
    case (.hello(let version, let program), .greeting):
      guard version == ReportLimits.version else {
        refuse(
          number,
          "Reports are asked for by version \(version), and made by version \(ReportLimits.version). Install both from one release."
        )
        return
      }
      listeners[number]?.program = TerminalText.clean(program, limit: 60)
      listeners[number]?.stage = .asking
      listeners[number]?.deadline = time.now() + ReportLimits.greeting
      send(.welcome(version: ReportLimits.version), to: number)
    case (.report, .asking): queue(request, number, \.reports)
    case (.page, .asking): queue(request, number, \.pages)
    default: refuse(number, "That was asked out of turn.")
    }
  }

  private func send(_ answer: ReportAnswer, to number: UInt64) {
    listeners[number]?.add(answer)
    pump(number)
  }

  private func queue(
    _ request: ReportRequest, _ number: UInt64, _ lane: ReferenceWritableKeyPath<ReportServer, ReportLane>
  ) {
    guard self[keyPath: lane].waiting.count < ReportLimits.maximumWaiting else {
      listeners[number]?.end(
        .failed(ReportFault(.busy, "Other reports are being made, and others wait. Try again in a minute.")))
      pump(number)
      return
    }
    questions[number] = request
    listeners[number]?.stage = .served
    listeners[number]?.deadline = nil
    self[keyPath: lane].waiting.append(number)
    let ahead = self[keyPath: lane].waiting.count - (self[keyPath: lane].current == nil ? 1 : 0)
    if ahead > 0 { send(.waiting(ahead: UInt16(clamping: ahead)), to: number) }
    begin(lane)
  }

  private func begin(_ lane: ReferenceWritableKeyPath<ReportServer, ReportLane>) {
    while self[keyPath: lane].current == nil, !self[keyPath: lane].waiting.isEmpty {
      let number = self[keyPath: lane].waiting.removeFirst()
      guard let question = questions.removeValue(forKey: number) else { continue }
      let flag = CancelFlag()
      self[keyPath: lane].current = ReportLane.Work(listener: number, isCancelled: flag)
      start(question, number, flag)
    }
  }

  private func start(_ question: ReportRequest, _ number: UInt64, _ flag: CancelFlag) {
    let (inbox, time) = (inbox, time)
    let maker = ReportMaker(
      journal: settings.journal, isCancelled: { flag.isRaised },
      progress: { inbox.put(.progress(number, scans: $0)) })
    do throws(SystemError) {
      try SystemThread.start("report") {
        switch question {
        case .report(let question):
          let began = time.now()
          let result = Result { () throws(ReportFault) in try maker.report(question) }
          inbox.put(.report(number, result, took: time.now() - began))
        case .page(let question):
          inbox.put(.page(number, Result { () throws(ReportFault) in try maker.page(question) }))
        case .hello: break
        }
      }
    } catch {
      let fault = ReportFault(.inside, "No thread can be had (\(error.words)). Try again in a moment.")
      if case .report = question {
        inbox.put(.report(number, .failure(fault), took: .zero))
      } else {
        inbox.put(.page(number, .failure(fault)))
      }
    }
  }

  // MARK: What was made

  private func take(_ news: News) {
    switch news {
    case .progress(let number, let scans):
      // Who does not take it misses nothing.
      if listeners[number]?.hasMore == false { send(.progress(scans: scans), to: number) }
    case .report(let number, let result, let took):
      reports.current = nil
      tell(number, result, took)
      begin(\.reports)
      ProcessMemory.letGoOfStart()
    case .page(let number, let result):
      pages.current = nil
      tell(number, result)
      begin(\.pages)
    }
  }

  private func tell(_ number: UInt64, _ result: Result<ReportMaker.Made, ReportFault>, _ took: Duration) {
    guard let one = listeners[number] else { return }
    switch result {
    case .success(let made):
      log(
        "made a report of \(made.head.scans) scans, \(made.head.byteCount) bytes, in \(took.milliseconds) ms, for user "
          + "\(one.user) (\(one.program))")
      listeners[number]?.add(made)
    case .failure(let fault):
      log("made no report for user \(one.user) (\(one.program)): \(TerminalText.clean(fault.description, limit: 400))")
      listeners[number]?.end(.failed(fault))
    }
    pump(number)
  }

  private func tell(_ number: UInt64, _ result: Result<([JournalLine], Int64?), ReportFault>) {
    switch result {
    case .success((let rows, let next)):
      for start in stride(from: 0, to: rows.count, by: ReportLimits.rowsOfPacket) {
        listeners[number]?.add(.rows(Array(rows[start..<min(rows.count, start + ReportLimits.rowsOfPacket)])))
      }
      listeners[number]?.end(.end(next: next))
    case .failure(let fault): listeners[number]?.end(.failed(fault))
    }
    pump(number)
  }
}
