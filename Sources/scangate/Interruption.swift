import Dispatch
import Glibc
import LinuxIO

/// What Ctrl-C and the end of a session do to a command that writes: files that are not whole go, and the terminal's line is clean.
struct Interruption {
  private let sources: [(number: Int32, source: any DispatchSourceSignal)]

  /// Watches from here on, and ends the process.
  /// - Parameter words: said then.
  init(_ progress: ProgressLine, saying words: String? = nil) {
    self.init { number in
      progress.end()
      if let words { Terminal.error("scangate: " + words, .error) }
      UnfinishedFiles.removeAll { _exit(128 + number) }
    }
  }

  /// Watches from here on. A signal that whoever started us has ignored stays ignored.
  /// - Parameter stop: called with each signal that comes.
  init(_ stop: @escaping @Sendable (Int32) -> Void) {
    sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      var before = sigaction()
      guard sigaction(number, nil, &before) == 0, !Self.isIgnored(before) else { return nil }
      // A queue has a thread of its own, whatever the command is about.
      let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "interruption"))
      source.setEventHandler { stop(number) }
      // A signal that comes before it is watched ends the process, which has begun nothing; ignored, it would be lost.
      let isWatched = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isWatched.signal() }
      source.activate()
      isWatched.wait()
      return (number, source)
    }
  }

  /// Leaves signals to do what they do.
  func end() {
    for (number, source) in sources {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  /// SIG_IGN is 1 to the kernel, and no function that could be compared.
  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
