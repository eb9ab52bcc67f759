import FirstRun
import FirstRunPage
import LinuxIO
import ScanModel
import Synchronization

/// The page of a first run, as the terminal's process has it: who may use it is decided here.
final class SetupPage: Sendable {
  /// What comes from it.
  enum News: Sendable {
    /// It listens at this port.
    case ready(Int)
    /// Somebody has answered a question; to be confirmed by `done`.
    case answer(Int, question: Int, String)
    /// Somebody has sent a key; to be confirmed by `done`.
    case key(Int, question: Int, [UInt8])
    /// Somebody is admitted.
    case admitted
    /// It is to end, in words.
    case over(FirstRunText)
    /// Its process has ended.
    case gone
    /// The end was shown.
    case seen
  }

  private let process: PageProcess
  private let admission: Mutex<PageAdmission>
  private let time = SystemTime()
  /// The code to be shown.
  let code: String

  /// Starts its process; `start` has it listen.
  init(for duration: Duration) throws(SystemError) {
    code = PageAdmission.newCode()
    admission = Mutex(PageAdmission(code: code, at: time.now(), for: duration))
    process = try PageProcess()
  }

  /// Has it listen, and tells what comes of it.
  func start(_ host: String, _ port: Int, tell: @escaping @Sendable (News) -> Void) throws(SystemError) {
    try process.link.listen { [weak self] message in
      guard let self else { return }
      switch message {
      case .ready(let port)?:
        tell(self.process.isConfined ? .ready(port) : .over(.own(.pageRights)))
      case .code(let id, let code)?: self.judge(id, code, tell)
      case .answer(let id, let number, let text)? where self.isOpen: tell(.answer(id, question: number, text))
      case .key(let id, let number, let key)? where self.isOpen:
        tell(.key(id, question: number, [UInt8](key.utf8)))
      case .answer(let id, _, _)?, .key(let id, _, _)?: self.done(id)
      case .seen? where self.isOpen: tell(.seen)
      case nil: tell(.gone)
      default: break
      }
    }
    process.link.send(.listen(host: host, port: port))
  }

  func show(_ view: FirstRunView) { process.link.send(.view(view)) }

  /// An answer was dealt with: what came of it is shown.
  func done(_ id: Int) { process.link.send(.done(id, words: nil)) }

  /// Has it show the end to whoever looks, and end by itself: `gone` is told then.
  func finish(_ view: FirstRunView) { process.link.send(.end(view)) }

  /// Ends it at once.
  func end() { process.end() }

  private var isOpen: Bool {
    let now = time.now()
    return admission.withLock { $0.isOpen && !$0.isOver(at: now) }
  }

  private func judge(_ id: Int, _ code: String, _ tell: (News) -> Void) {
    let now = time.now()
    switch admission.withLock({ $0.take(code, at: now) }) {
    case .admitted:
      process.link.send(.done(id, words: nil))
      tell(.admitted)
    case .wrong(let left):
      process.link.send(
        .done(id, words: .own(.pageWrong, "\(left)")))
    case .over:
      process.link.send(.done(id, words: .own(.pageEnded)))
      tell(.over(.own(.pageTries)))
    }
  }
}
