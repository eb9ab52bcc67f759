import CLinux
import Glibc
package import ScanModel
import Synchronization

/// A thread of its own that waits in `poll` for descriptors, timers and jobs, and the executor of the actors that live on it.
///
/// An actor that returns this loop as its `unownedExecutor` runs on this thread alone: device handlers and the actor's
/// methods never race, and no slow work of the rest of the process can delay them. Handlers are called on the thread, so
/// they may use `assumeIsolated` of such an actor. A task that prefers `DeviceLoop.tasks` runs there wherever it is on no actor, so
/// that a call through several rooms wakes no thread.
package final class DeviceLoop: SerialExecutor, Sendable {
  /// What a descriptor is waited for; the values of `poll(2)`.
  package struct Readiness: OptionSet, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }
    /// Data can be read.
    package static let readable = Readiness(rawValue: Int16(POLLIN))
    /// An exceptional condition (GPIO edge files, kernfs attributes).
    package static let priority = Readiness(rawValue: Int16(POLLPRI))
    /// Data can be written.
    package static let writable = Readiness(rawValue: Int16(POLLOUT))
    /// The device is gone or in error; always reported, never asked for.
    package static let gone = Readiness(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))

    /// Whether the device is gone or in error, however the kernel says so: one of three bits, hardly ever all.
    package var isGone: Bool { !isDisjoint(with: .gone) }
  }

  /// A registered descriptor; `DeviceLoop.unwatch` ends it.
  package struct Watch: Hashable, Sendable { fileprivate let id: UInt64 }

  /// A timer that has been set; `DeviceLoop.cancel` ends it.
  package struct Timer: Hashable, Sendable { fileprivate let id: UInt64 }

  private struct Source {
    var descriptor: Int32
    var interest: Readiness
    var handler: @Sendable (Readiness) -> Void
  }

  private struct Alarm {
    var at: MonotonicTime
    var handler: @Sendable () -> Void
  }

  private enum Work {
    /// Of an actor that lives on the loop.
    case actor(UnownedJob)
    /// Of a task that prefers the loop and is on no actor.
    case task(UnownedJob)
  }

  /// The loop as tasks prefer it. An executor of its own, so that it is known of each job whether it is an actor's: one that is run as
  /// the other is put back into the queue wherever it could be suspended.
  package final class Tasks: TaskExecutor, Sendable {
    private let loop: DeviceLoop
    fileprivate init(_ loop: DeviceLoop) { self.loop = loop }
    package func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(.task(UnownedJob(job))) }
  }

  private struct Inbox {
    var jobs: [Work] = []
    var isStopped = false
    /// Whether the thread sleeps, or is about to: whoever brings something has to wake it, and once is enough.
    var isAsleep = false
  }

  /// Registrations, used on the loop's own thread only. The lock is never contended: it is there so that the compiler,
  /// not a comment, proves that the state is safe to share.
  private struct Registry {
    var nextID: UInt64 = 1
    var sources: [UInt64: Source] = [:]
    var alarms: [UInt64: Alarm] = [:]
    /// When the next alarm is due at the earliest; one that was cancelled may have been it.
    var next: MonotonicTime?
  }

  /// How many rounds of jobs go before descriptors are looked at.
  private static let mostRounds = 8

  private let inbox = Mutex(Inbox())
  private let registry = Mutex(Registry())
  private let thread = Mutex<pthread_t?>(nil)
  private let wake: OwnedDescriptor
  private let time = SystemTime()
  private let ownTasks = Mutex<Tasks?>(nil)

  /// Makes the loop and starts its thread.
  /// - Parameters:
  ///   - name: the thread's name as `ps -L` shows it, at most 15 characters.
  ///   - runsTasks: whether tasks prefer it, and its actors are entered by such tasks. A task that enters an actor of a thread that it
  ///     does not prefer is put back into the queue wherever it could be suspended: what the actor asks before it waits may be
  ///     otherwise when it does.
  /// - Throws: the system's error where no event descriptor or thread can be had.
  package init(name: String, runsTasks: Bool = false) throws(SystemError) {
    wake = try OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), by: "eventfd")
    if runsTasks { ownTasks.withLock { $0 = Tasks(self) } }
    do throws(SystemError) {
      try SystemThread.start(name) {
        self.thread.withLock { $0 = pthread_self() }
        self.run()
      }
    } catch {
      // They hold one another.
      ownTasks.withLock { $0 = nil }
      throw error
    }
  }

  /// Ends the thread once the jobs that are queued have run. Registrations are dropped; descriptors stay their owners'.
  package func stop() {
    inbox.withLock { $0.isStopped = true }
    rouse()
  }

  // MARK: Executor

  /// The loop as tasks prefer it; `nil` where none does.
  package var tasks: Tasks? { ownTasks.withLock { $0 } }

  package func enqueue(_ job: consuming ExecutorJob) { enqueue(.actor(UnownedJob(job))) }

  private func enqueue(_ work: Work) {
    let sleeps = inbox.withLock { inbox in
      inbox.jobs.append(work)
      return exchange(&inbox.isAsleep, with: false)
    }
    if sleeps { signalWake() }
  }

  package func checkIsolated() { precondition(isCurrent, "this code belongs on the device loop's own thread") }

  /// Whether the caller runs on the loop's thread.
  package var isCurrent: Bool { thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

  // MARK: Registrations (from the loop's own thread)

  /// Calls `handler` on the loop's thread whenever `descriptor` is ready, until `unwatch`. The descriptor stays the caller's,
  /// who ends the watch before closing it.
  package func watch(
    _ descriptor: Int32, for interest: Readiness, _ handler: @escaping @Sendable (Readiness) -> Void
  ) -> Watch {
    let id = registry.withLock { registry in
      let id = registry.nextID
      registry.nextID += 1
      registry.sources[id] = Source(descriptor: descriptor, interest: interest, handler: handler)
      return id
    }
    if !isCurrent { rouse() }
    return Watch(id: id)
  }

  /// Ends a watch; its handler is not called again (from the loop's thread: not even for readiness already seen).
  package func unwatch(_ watch: Watch) { registry.withLock { _ = $0.sources.removeValue(forKey: watch.id) } }

  /// Calls `handler` once on the loop's thread, at `time` or as soon after it as the machine can.
  package func at(_ time: MonotonicTime, _ handler: @escaping @Sendable () -> Void) -> Timer {
    let id = registry.withLock { registry in
      let id = registry.nextID
      registry.nextID += 1
      registry.alarms[id] = Alarm(at: time, handler: handler)
      registry.next = registry.next.map { min($0, time) } ?? time
      return id
    }
    if !isCurrent { rouse() }
    return Timer(id: id)
  }

  /// Returns once the thread has run a job that is given to it now: while a handler or a job keeps it, it does not. Not to be asked of a stopped loop.
  package func heartbeat() async {
    await withCheckedContinuation { continuation in _ = at(time.now()) { continuation.resume() } }
  }

  /// Ends a timer that has not fired; harmless for one that has.
  package func cancel(_ timer: Timer) { registry.withLock { _ = $0.alarms.removeValue(forKey: timer.id) } }

  // MARK: The thread

  /// Has the thread look again at what it waits for.
  private func rouse() { if inbox.withLock({ exchange(&$0.isAsleep, with: false) }) { signalWake() } }

  private func signalWake() {
    var one: UInt64 = 1
    // A full counter means that a wake-up is pending already.
    _ = write(wake.number, &one, 8)
  }

  private func run() {
    var descriptors: [pollfd] = []
    var identifiers: [UInt64] = []
    /// Rounds of jobs since it was waited for descriptors.
    var rounds = 0
    let serial = asUnownedSerialExecutor()
    // `ownTasks` holds it as long as the thread lives.
    let tasks = tasks?.asUnownedTaskExecutor()
    while true {
      let (jobs, isStopped) = inbox.withLock { (exchange(&$0.jobs, with: []), $0.isStopped) }
      for job in jobs { run(job, serial, tasks) }
      if isStopped, jobs.isEmpty { break }

      // After each round of jobs, however many there are: a relay's end waits for nobody.
      fireAlarms()
      // From here on whoever brings something wakes the thread. What came before is seen below: registrations are read after this.
      let isIdle = inbox.withLock { inbox in
        inbox.isAsleep = inbox.jobs.isEmpty && !inbox.isStopped
        return inbox.isAsleep
      }
      // Jobs that jobs brought need no look at descriptors each time; those that never end must not keep devices waiting.
      rounds = isIdle ? 0 : rounds + 1
      if !isIdle, rounds % Self.mostRounds != 0 { continue }
      lookAtDescriptors(&descriptors, &identifiers, isIdle: isIdle)
    }
    ownTasks.withLock { $0 = nil }
    registry.withLock { registry in
      registry.sources.removeAll()
      registry.alarms.removeAll()
    }
  }

  private func run(_ job: Work, _ serial: UnownedSerialExecutor, _ tasks: UnownedTaskExecutor?) {
    switch (job, tasks) {
    case (.actor(let job), nil): job.runSynchronously(on: serial)
    case (.actor(let job), let tasks?): job.runSynchronously(isolatedTo: serial, taskExecutor: tasks)
    case (.task(let job), let tasks?): job.runSynchronously(on: tasks)
    // A loop without such tasks gets none.
    case (.task(let job), nil): job.runSynchronously(on: serial)
    }
  }

  private func lookAtDescriptors(_ descriptors: inout [pollfd], _ identifiers: inout [UInt64], isIdle: Bool) {
    descriptors.removeAll(keepingCapacity: true)
    identifiers.removeAll(keepingCapacity: true)
    descriptors.append(pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0))
    let next = registry.withLock { registry in
      for (id, source) in registry.sources {
        identifiers.append(id)
        descriptors.append(pollfd(fd: source.descriptor, events: source.interest.rawValue, revents: 0))
      }
      return registry.next
    }
    wait(&descriptors, until: isIdle ? next : time.now())
    inbox.withLock { $0.isAsleep = false }
    if descriptors[0].revents != 0 {
      var count: UInt64 = 0
      _ = read(wake.number, &count, 8)
    }
    for (index, id) in identifiers.enumerated() {
      let happened = Readiness(rawValue: descriptors[index + 1].revents)
      if happened.isEmpty { continue }
      let handler = registry.withLock { $0.sources[id]?.handler }
      handler?(happened)
    }
  }

  private func wait(_ descriptors: inout [pollfd], until next: MonotonicTime?) {
    guard let next else {
      _ = ppoll(&descriptors, nfds_t(descriptors.count), nil, nil)
      return
    }
    let left = max(0, (next - time.now()).saturatedNanoseconds)
    var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
    _ = ppoll(&descriptors, nfds_t(descriptors.count), &timeout, nil)
  }

  private func fireAlarms() {
    let due = registry.withLock { registry -> [UInt64] in
      guard let next = registry.next else { return [] }
      let now = time.now()
      guard next <= now else { return [] }
      registry.next = registry.alarms.values.lazy.filter { $0.at > now }.map(\.at).min()
      // Those of one moment in the order in which they were set: what is handed over by them keeps its order.
      return registry.alarms.filter { $0.value.at <= now }.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
        .map(\.key)
    }
    for id in due {
      // Taken one by one: an earlier handler may have cancelled a later one.
      let handler = registry.withLock { $0.alarms.removeValue(forKey: id)?.handler }
      handler?()
    }
  }
}
