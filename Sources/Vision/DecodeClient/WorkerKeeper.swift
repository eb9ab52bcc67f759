import DecodeProtocol
import Glibc
import LinuxIO
import ScanModel

/// Keeps one worker alive, and gives it one request at a time.
///
///               spawned             fenced            request
///     resting ──────────▶ starting ────────▶ ready ────────────▶ busy
///        ▲                    │                │ ◀────answer──────┤
///        │ reaped             │ dead, silent   │ dead             │ dead, silent for the deadline, lying
///        └──────── ending ◀───┴────────────────┴──────────────────┘
///
/// One that worked on without a request is ended, too, when the next request is made.
///
/// A new one is started at once, unless the last one ended before it had answered anything: then after 50 ms, 100 ms, and so
/// on up to 2 s. The memory stays the same. A worker that is being ended has still mapped it, so the next one is started
/// when it is reaped, which takes some milliseconds.
final class WorkerKeeper: @unchecked Sendable {
  // Everything is used on the loop's thread alone: the owners' methods are called there, and watches and timers call there.

  /// What the owner is told.
  enum Event {
    case result(UInt64, DecodeResult)
    /// A frame that was to be shown, after its result; `nil` where it cannot be.
    case shown(UInt64, GreyPicture?)
    case spoilt(UInt64, PictureFault)
    /// A worker ended. The request that it had is lost; `nil` where it had none.
    case ended(DecodeFault, lost: UInt64?)
    case noise(Int)
  }

  enum Phase {
    case resting
    case starting(WorkerProcess)
    case ready(WorkerProcess)
    case busy(WorkerProcess, UInt64)
    case ending(WorkerProcess)
    case stopped

    /// The process that is still listened to.
    var heard: WorkerProcess? {
      switch self {
      case .starting(let worker), .ready(let worker), .busy(let worker, _): worker
      case .resting, .ending, .stopped: nil
      }
    }

    /// The process, also one that is being ended.
    var worker: WorkerProcess? { if case .ending(let worker) = self { worker } else { heard } }

    /// The request that is being answered.
    var asked: UInt64? { if case .busy(_, let number) = self { number } else { nil } }
  }

  /// How far a frame is that somebody wants to see.
  enum Showing {
    /// Nobody wants to see it.
    case nothing
    /// It is being read first.
    case asked
    /// It was read; it comes at this size.
    case due(ShownSize)
  }

  /// How long a worker may take until its fence is closed; long, for a machine that is starting.
  private static let startLimit: Duration = .seconds(10)
  private static let firstDelay: Duration = .milliseconds(50)
  private static let lastDelay: Duration = .seconds(2)

  /// How long a worker may be silent however little of the processor it had: then it waits for something that never comes.
  private static let patience: Duration = .seconds(2)

  /// How long an excuse for being late counts.
  private static let nextLook: Duration = .milliseconds(50)

  /// How much of the processor a worker may use without a request: none, but for what it does around its answer.
  private static let idleLimit: Duration = .milliseconds(100)

  let counters = Counters()
  /// Called when a worker has closed its fence.
  var onReady: () -> Void = {}
  let loop: DeviceLoop
  let program: String
  let settings: DecodeSettings
  private let deadline: Duration
  let tell: (Event) -> Void
  let time = SystemTime()

  private var memory: Memory?
  var phase = Phase.resting
  var watches: [DeviceLoop.Watch] = []
  private var alarm: DeviceLoop.Timer?
  /// When the worker was asked, and how much of the processor it had used by then.
  private var requestedAt = MonotonicTime(nanoseconds: 0)
  private var spentBefore = Duration.zero
  /// How much of the processor the worker had used when it had nothing more to do.
  var spentAtRest = Duration.zero
  /// What is told of a worker when it has ended.
  private var untold: DecodeFault?
  /// Bytes on the worker's standard error since it was asked.
  var heard = 0
  /// How many frames the file can hold that the worker was asked about, from the one on that it was asked for.
  var framesLeft = 0
  /// What is still to come of the frame that the worker has, and that is to be shown.
  var showing = Showing.nothing
  var noiseAlarm: DeviceLoop.Timer?
  var noise = 0
  /// Workers in a row that ended without an answer.
  var failures = 0
  /// It was told that none can be started.
  var isFaultTold = false
  /// The first words of a worker that has seen no picture yet.
  var words: [UInt8] = []

  /// The counters, which the owner shows.
  final class Counters { var values = DecodeCounters() }

  private final class Memory {
    let pictures: SealedMemory
    let returns: SealedMemory
    init(_ settings: DecodeSettings) throws(SystemError) {
      pictures = try SealedMemory(bytes: settings.sharedBytes, writers: .here)
      returns = try SealedMemory(bytes: settings.returnedBytes, writers: .everybody)
    }
  }

  init(
    loop: DeviceLoop, program: String, settings: DecodeSettings, deadline: Duration, tell: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.program = program
    self.settings = settings
    self.deadline = deadline
    self.tell = tell
    // On the loop's thread, whoever makes the keeper: a worker dies with the thread that started it.
    alarm = loop.at(time.now()) { self.start() }
  }

  // MARK: For the owner

  /// A request would be taken now.
  var isReady: Bool { if case .ready = phase { true } else { false } }

  var process: pid_t? { phase.worker?.id }

  /// How many bytes fit into the memory.
  var capacity: Int { settings.sharedBytes }

  /// Puts bytes where the worker sees them; only while it has no request.
  /// - Returns: whether they fit and are there.
  func fill(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= capacity, let memory = obtainMemory(), phase.asked == nil else { return false }
    guard let start = bytes.baseAddress else { return true }
    memory.pictures.bytes.baseAddress?.copyMemory(from: start, byteCount: bytes.count)
    return true
  }

  /// Hands a request over.
  /// - Returns: whether it was taken.
  func request(_ request: DecodeRequest, number: UInt64) -> Bool {
    guard case .ready(let worker) = phase else { return false }
    spentBefore = worker.processorTime
    guard spentBefore - spentAtRest <= Self.idleLimit else {
      // Told when it is gone, not from within the owner's call.
      untold = .lied("it went on working after its answer")
      kill(worker)
      return false
    }
    guard worker.socket.send(request.bytes) else {
      // It is dying: the kernel tells how in a moment.
      return false
    }
    counters.values.taken += 1
    phase = .busy(worker, number)
    requestedAt = time.now()
    heard = 0
    framesLeft = request.framesLeft
    if case .frame(_, let layout) = request, layout.isShown { showing = .asked } else { showing = .nothing }
    setAlarm(deadline) { self.late() }
    return true
  }

  /// What a worker put into the second memory.
  func returned(_ count: Int) -> [UInt8] {
    guard let memory, count > 0 else { return [] }
    return Array(memory.returns.bytes.prefix(count))
  }

  /// Ends the worker; nothing is told any more.
  func stop() {
    if let worker = phase.worker {
      unwatch()
      worker.endAndWait()
    }
    phase = .stopped
    if let alarm { loop.cancel(alarm) }
    if let noiseAlarm { loop.cancel(noiseAlarm) }
  }

  // MARK: The worker's life

  private func obtainMemory() -> Memory? {
    if memory == nil { memory = try? Memory(settings) }
    return memory
  }

  private func start() {
    guard case .resting = phase else { return }
    guard let memory = obtainMemory() else { return cannotStart("no memory can be shared") }
    words = []
    heard = 0
    do throws(SystemError) {
      let worker = try WorkerProcess(
        program: program, settings: settings, pictures: memory.pictures, returns: memory.returns)
      phase = .starting(worker)
      watches = [
        loop.watch(worker.socket.number, for: .readable) { _ in self.receive() },
        loop.watch(worker.handle.number, for: .readable) { _ in self.ended() },
        loop.watch(worker.noise.number, for: .readable) { _ in self.listen() },
      ]
      setAlarm(Self.startLimit) { self.late() }
    } catch {
      cannotStart("\(program): \(error.words)")
    }
  }

  private func cannotStart(_ words: String) {
    phase = .resting
    if !isFaultTold { tell(.ended(.cannotStart(words), lost: nil)) }
    isFaultTold = true
    startLater()
  }

  private func startLater() {
    guard case .resting = phase else { return }
    failures += 1
    // The first of a row is replaced at once.
    if failures == 1 { return start() }
    let delay = min(Self.lastDelay, Self.firstDelay * (1 << min(failures - 2, 8)))
    setAlarm(delay) { self.start() }
  }

  private func late() {
    switch phase {
    case .starting(let worker):
      end(worker, .cannotStart("\(program) does not close its fence"), lost: nil)
    case .busy(let worker, let number):
      // On a busy machine it may not have had the processor for so long: that is not its fault. One that was stopped has no
      // such excuse.
      let isExcused =
        time.now() - requestedAt < Self.patience && worker.processorTime - spentBefore < deadline && !worker.isStopped
      if isExcused {
        setAlarm(Self.nextLook) { self.late() }
      } else {
        end(worker, .hung(deadline), lost: number)
      }
    case .resting, .ready, .ending, .stopped: break
    }
  }

  /// Ends a worker that is not to be trusted any more.
  func end(_ worker: WorkerProcess, _ fault: DecodeFault, lost: UInt64?) {
    kill(worker)
    told(fault, lost: lost)
  }

  private func kill(_ worker: WorkerProcess) {
    worker.kill()
    // Nothing more of it is heard but its end.
    unwatch()
    watches = [loop.watch(worker.handle.number, for: .readable) { _ in self.ended() }]
    phase = .ending(worker)
  }

  private func told(_ fault: DecodeFault, lost: UInt64?) {
    if lost != nil { counters.values.dropped += 1 }
    counters.values.replaced += 1
    if case .cannotStart = fault {
      if isFaultTold { return }
      isFaultTold = true
    }
    tell(.ended(fault, lost: lost))
  }

  /// The process is gone. What it had said before still counts.
  func ended() {
    listen()
    receive()
    if case .ending(let worker) = phase {
      guard worker.reap() != nil else { return }
      if let untold { told(untold, lost: nil) }
      untold = nil
      return replace()
    }
    let lost = phase.asked
    guard let worker = phase.heard, let ending = worker.reap() else { return }
    let fault: DecodeFault =
      switch ending {
      case .signal(let signal): .died(signal: signal, status: 0)
      case .status(let status): .died(signal: nil, status: status)
      }
    unwatch()
    if case .starting = phase {
      let said = String(decoding: words.prefix(200).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
      phase = .ending(worker)
      told(.cannotStart(words.isEmpty ? "\(program): \(fault)" : said), lost: nil)
    } else {
      phase = .ending(worker)
      told(fault, lost: lost)
    }
    replace()
  }

  /// After the old one is reaped.
  private func replace() {
    guard case .ending = phase else { return }
    unwatch()
    phase = .resting
    startLater()
  }

  // MARK: Timers and watches

  private func setAlarm(_ delay: Duration, _ handler: @escaping @Sendable () -> Void) {
    cancelAlarm()
    alarm = loop.at(time.now() + delay, handler)
  }

  func cancelAlarm() {
    if let alarm { loop.cancel(alarm) }
    alarm = nil
  }

  func unwatch() {
    for watch in watches { loop.unwatch(watch) }
    watches = []
    cancelAlarm()
  }
}
