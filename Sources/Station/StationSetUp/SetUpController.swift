internal import Enrolment
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import Reading
internal import SetUpCodes
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport

/// Takes set-up codes from the scanners of gates that await them, tries them, and shows what became of each.
///
/// ```
/// raw read ─▶ does its gate await set-up, and is the station armed? ──no──▶ gate
///                │ yes
///                ▼
///         what does it say? ──refused──▶ shown, counted
///                │ activation                  │ enrolment
///                ▼                             ▼
///         control session                ticket system's POST /enrol
///                └──────── kept on the disk ───┘──▶ shown; the gate goes into service
/// ```
/// No relay is ever driven by it. One code is tried at a time; what is shown meanwhile is ignored.
actor SetUpController {
  /// What the controller needs to know of the station.
  struct Settings: Sendable {
    /// The station's name, for the ticket system's books.
    var station: String
    /// The program's version, likewise.
    var version: String
    /// The ticket systems that codes may bring.
    var types: [TicketSystemType]
    /// The file that names servers and organisers' keys.
    var trust: String?
    /// Certificates for servers that codes name.
    var caFile: String?
  }

  /// A raw read that may be a set-up code.
  private struct Presented: Sendable {
    var read: RawRead
    var gate: GateID
    var seat: GateRegistry.Seat
  }

  private struct Standing {
    var arming: SetUpArming
    var sleep: SleepWatch
    /// Whether a code is being tried.
    var isTrying = false
    /// Whether it was locked out when that was told last.
    var isLockOutTold = false
    /// The code that was tried last and where, and until when it is still the same presentation.
    var last: (reader: ReaderID, bytes: [UInt8], until: MonotonicTime)?

    /// Looks whether the machine slept: whoever armed it has gone home.
    mutating func lookForSleep(_ time: any TimeSource, at now: MonotonicTime) {
      guard let length = sleep.look(asleep: time.asleep(), at: now) else { return }
      arming.slept(for: length)
      last?.until = now
    }

    /// The next code may be tried; this one is the same presentation for a while.
    mutating func tried(at now: MonotonicTime) {
      isTrying = false
      last?.until = now + SetUpController.holdOff
    }
  }

  private let thread: DeviceLoop
  private let settings: Settings
  private let registry: GateRegistry
  private let session: ControlSession?
  private let book: EnrolmentBook
  private let events: StationSetUpEvent.Sink
  private let time: any TimeSource
  private let clockIsTrusted: @Sendable () -> Bool
  /// Told when a ticket system was enrolled: the station is to be put together anew.
  private let enrolled: @Sendable () -> Void

  /// Who has the gates obey the control service, while the controller serves.
  private var supervisor: ControlSupervisor?

  private let standing: Mutex<Standing>
  private let inbox: AsyncStream<Presented>
  private let inlet: AsyncStream<Presented>.Continuation

  /// How long a code that was tried is still the same presentation after it was last seen.
  private static let holdOff = Duration.seconds(3)
  /// How long a service may take to give something for a code.
  private static let patience = Duration.seconds(20)
  /// How often the end of the window is looked for.
  private static let interval = Duration.seconds(1)

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(
    _ settings: Settings, registry: GateRegistry, arming: SetUpArming, session: ControlSession?, book: EnrolmentBook,
    events: @escaping StationSetUpEvent.Sink, time: any TimeSource,
    clockIsTrusted: @escaping @Sendable () -> Bool, enrolled: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    thread = try DeviceLoop(name: "set-up")
    self.settings = settings
    self.registry = registry
    self.session = session
    self.book = book
    self.events = events
    self.time = time
    self.clockIsTrusted = clockIsTrusted
    self.enrolled = enrolled
    standing = Mutex(Standing(arming: arming, sleep: SleepWatch(asleep: time.asleep())))
    (inbox, inlet) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  deinit { thread.stop() }

  // MARK: From any thread

  /// Whether the controller takes what a reader told, so that its gate does not; from any thread, returns at once.
  nonisolated func takes(_ event: ReaderEvent) -> Bool {
    switch event {
    case .read(let read): takes(read)
    case .inView(let read): isStill(read)
    case .left, .discarded, .state, .identityChanged: false
    }
  }

  private nonisolated func takes(_ read: RawRead) -> Bool {
    if isStill(read) { return true }
    let now = time.now()
    let taking = standing.withLock { standing -> Taking in
      standing.lookForSleep(time, at: now)
      // Under the lock: what is shown after a code was tried is judged by what that code has brought.
      guard let (id, seat, awaits) = registry.gate(of: read.reader), awaits, !registry.setUp.isUnreadable else {
        return .notTaken
      }
      let presented = Presented(read: read, gate: id, seat: seat)
      switch standing.arming.state(at: now) {
      case .off: return .notTaken
      case .lockedOut(let end):
        standing.last = (read.reader, read.bytes, now + Self.holdOff)
        return .lockedOut(presented, for: end - now)
      case .armed:
        if standing.isTrying { return .ignored }
        standing.isTrying = true
        standing.last = (read.reader, read.bytes, now + Self.holdOff)
        return .toTry(presented)
      }
    }
    switch taking {
    case .notTaken: return false
    case .ignored: break
    case .toTry(let presented): inlet.yield(presented)
    case .lockedOut(let presented, for: let wait):
      let words = "Too many codes were refused: the next one is taken in \(max(1, wait.milliseconds / 1_000)) s."
      presented.seat.controller.show(.refused(.lockedOut))
      tell(.refused, presented, .lockedOut, words)
    }
    return true
  }

  /// What becomes of a read at a gate that awaits its set-up.
  private enum Taking {
    case notTaken
    case ignored
    case toTry(Presented)
    case lockedOut(Presented, for: Duration)
  }

  /// Whether it is the code that was tried last, still held to the scanner.
  private nonisolated func isStill(_ read: RawRead) -> Bool {
    let now = time.now()
    return standing.withLock { standing in
      guard let last = standing.last, last.reader == read.reader, last.bytes == read.bytes else { return false }
      guard standing.isTrying || now < last.until else { return false }
      standing.last?.until = now + Self.holdOff
      return true
    }
  }

  /// Staff have held the set-up button of a gate; from any thread, returns at once.
  nonisolated func buttonHeld() {
    _ = standing.withLock { $0.arming.buttonHeld(at: time.now()) }
    Task { await self.review() }
  }

  /// An order has set-up codes taken for a while; likewise.
  /// - Returns: whether they are: else nothing is missing.
  nonisolated func ordered(minutes: Int) -> Bool {
    let isArmed = standing.withLock { $0.arming.ordered(for: .seconds(60 * minutes), at: time.now()) }
    reviewSoon()
    return isArmed
  }

  /// What is missing has changed.
  nonisolated func reviewSoon() { Task { await self.review() } }

  // MARK: On its own thread

  /// The configuration with what its ticket systems have given: read from the disk, which can hold a call for long.
  func complete(_ configuration: StationConfiguration) -> EnrolmentBook.Completed { book.complete(configuration) }

  /// Serves until the task is cancelled.
  /// - Parameter supervisor: who has the gates obey the control service; `nil` where there is none.
  func run(_ supervisor: ControlSupervisor?) async {
    self.supervisor = supervisor
    defer { self.supervisor = nil }
    standing.withLock { $0.arming.started(at: time.now()) }
    review()
    let trying = Task { for await presented in inbox { await self.tryOut(presented) } }
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      review()
    }
    inlet.finish()
    // Not awaited: a service that does not answer holds up no end, and what was noted durably is all that counts.
    trying.cancel()
  }

  /// Has the gates show whether codes are taken, and tells it.
  private func review() {
    let setUp = registry.setUp
    let isMissing = setUp.isMissing
    let now = time.now()
    let (isArmed, lockOut) = standing.withLock { standing -> (Bool, LockOutChange) in
      standing.lookForSleep(time, at: now)
      if let lockOut = setUp.lockOut { standing.arming.lockOut = lockOut }
      // A disk that is not read for a moment must not use up the time after the start.
      if setUp.isUnreadable { return (false, .none) }
      if standing.arming.isMissing != isMissing { standing.arming.nowMissing(isMissing) }
      let was = standing.isLockOutTold
      if case .lockedOut(let end) = standing.arming.state(at: now) {
        standing.isLockOutTold = true
        return (false, was ? .none : .began(end - now))
      }
      standing.isLockOutTold = false
      return (standing.arming.isArmed(at: now), was && isMissing ? .ended : .none)
    }
    guard isArmed != setUp.isArmed || lockOut != .none else { return }
    registry.take { $0.isArmed = isArmed }
    let words = lockOut.words(isArmed: isArmed, isMissing: isMissing)
    events(.setUp(SetUpEvent(state: isArmed ? .armed : .disarmed, detail: words, at: time.wall())))
  }

  private func tryOut(_ presented: Presented) async {
    guard let code = Normaliser.normalise(presented.read.bytes) else {
      return refuse(presented, .wrong, "What was read is no text. Is it the right code?")
    }
    let trust: TrustList
    do throws(SetupError) {
      trust = try settings.trust.map { path throws(SetupError) in try TrustFile.load(path) } ?? .none
    } catch {
      return refuse(presented, .fault, error.description)
    }
    let reader = SetUpReader(trust: trust, configured: session?.configured?.name)
    switch reader.read(code, at: time.wall(), clockIsTrusted: clockIsTrusted()) {
    case .refused(let refusal, let detail): refuse(presented, refusal, detail)
    case .code(.activation(let code, at: let server)): await activate(presented, code, at: server)
    case .code(.enrolment(let code)): await enrol(presented, code, trust)
    }
  }

  private func activate(_ presented: Presented, _ code: ActivationCode, at server: NamedServer?) async {
    guard let session, registry.setUp.activation != nil else {
      return refuse(
        presented, .wrong,
        "It is an activation code, and this station is not waiting for an activation. Use its set-up code.")
    }
    tryingBegan(presented)
    switch await session.activate(
      code, at: server.map { ControlServer($0) }, deadline: time.now() + Self.patience)
    {
    case .success:
      // Before it is shown: whoever sees it may hold up a ticket at once.
      await supervisor?.review()
      done(presented, "The station is activated: \((try? await session.state().words) ?? "its name is not known yet").")
    case .failure(let fault): refuse(presented, fault.refusal, fault.detail)
    }
  }

  private func enrol(_ presented: Presented, _ code: EnrolmentCode, _ trust: TrustList) async {
    let system = presented.seat.system
    let setUp = registry.setUp
    guard setUp.enrolments[system] != nil, !setUp.enrolled.contains(system) else {
      return refuse(
        presented, .wrong,
        "It is a set-up code for a ticket system, and gate \(presented.gate) has its ticket system already.")
    }
    let named = GateID(code.gate)
    guard named == presented.gate || !registry.has(named) else {
      return refuse(presented, .wrong, "It is the set-up code of gate \(named). Hold it to the scanner of that gate.")
    }
    tryingBegan(presented)
    var transport = HTTPTransport.Settings()
    if let caFile = settings.caFile { transport.trust = .onlyFile(path: caFile) }
    let client = EnrolmentClient(
      trust: trust, types: Set(settings.types.filter { $0.enrolKey != nil }.map(\.name)), settings: transport,
      time: time)
    do {
      let station = try book.identity(version: settings.version)
      let enrolment = try await client.enrol(
        code, station: station, name: settings.station, deadline: time.now() + Self.patience)
      try book.keep(enrolment, of: system, by: presented.gate, at: time.wall())
      // The gate stays out of service until the station is put together anew, and awaits no other code meanwhile.
      registry.take { $0.enrolled.insert(system) }
      done(presented, "Ticket system \(system) is enrolled at \(enrolment.url), as gate \(enrolment.gate).")
      enrolled()
    } catch let fault as EnrolmentFault {
      refuse(presented, fault.refusal, fault.detail)
    } catch {
      refuse(presented, .fault, "\(error)")
    }
  }

  private func refuse(_ presented: Presented, _ refusal: SetUpRefusal, _ detail: String) {
    let now = time.now()
    standing.withLock { standing in
      _ = standing.arming.refused(refusal, at: now)
      standing.tried(at: now)
    }
    presented.seat.controller.show(.refused(refusal))
    tell(.refused, presented, refusal, detail)
  }

  private func done(_ presented: Presented, _ detail: String) {
    standing.withLock { $0.tried(at: time.now()) }
    presented.seat.controller.show(.done)
    tell(.done, presented, nil, detail)
    review()
  }

  private func tryingBegan(_ presented: Presented) {
    presented.seat.controller.show(.working)
    tell(.trying, presented, nil, "A code was read and is being tried.")
  }

  private nonisolated func tell(
    _ state: SetUpEvent.State, _ presented: Presented, _ reason: SetUpRefusal?, _ detail: String
  ) {
    events(
      .setUp(
        SetUpEvent(
          state: state, reason: reason, gate: presented.gate, reader: presented.read.reader, detail: detail,
          at: time.wall())))
  }
}
