internal import Glibc
internal import LinuxIO

/// Runs an actor's work on a thread of its own, one piece after the other: work that may wait for a disk, and must not hold up
/// the threads that everybody shares.
final class ThreadExecutor: SerialExecutor {
  /// What the thread and those who give it work share.
  private final class Queue: @unchecked Sendable {
    // `jobs` and `isStopped` are touched with the lock held only; lock and condition do not move, and outlive both users.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isStopped = false

    init() {
      pthread_mutex_init(lock, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(lock)
      condition.deallocate()
      lock.deallocate()
    }

    func add(_ job: UnownedJob) {
      pthread_mutex_lock(lock)
      jobs.append(job)
      pthread_cond_signal(condition)
      pthread_mutex_unlock(lock)
    }

    func stop() {
      pthread_mutex_lock(lock)
      isStopped = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(lock)
    }

    /// Waits for work; `nil` once it was stopped and nothing is left.
    func next() -> [UnownedJob]? {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      while jobs.isEmpty {
        if isStopped { return nil }
        pthread_cond_wait(condition, lock)
      }
      defer { jobs.removeAll(keepingCapacity: true) }
      return jobs
    }
  }

  private let queue = Queue()

  /// Starts the thread.
  /// - Throws: the system's error where none can be had.
  init(_ name: String) throws(SystemError) {
    let queue = queue
    // The thread has to know the executor that its work belongs to, and must not keep it: the owner's end is the thread's.
    let own = asUnownedSerialExecutor()
    try SystemThread.start(name) {
      while let jobs = queue.next() {
        for job in jobs { job.runSynchronously(on: own) }
      }
    }
  }

  deinit { queue.stop() }

  func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job)) }
}
