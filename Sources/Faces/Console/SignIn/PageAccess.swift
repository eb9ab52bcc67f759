import LibCrypto
import LinuxIO
package import Logging
package import ScanModel
import Synchronization

/// Who may see the console's pages: the users and door screens of root's two files, as they are now, who of them has signed in, and who
/// waits for having guessed.
package final class PageAccess: Sendable {
  /// What became of signing in.
  enum SignIn: Sendable, Equatable {
    /// The browser shows this from now on.
    case done(secret: String)
    /// Name and password do not belong together, or the code is none.
    case wrong
    /// This client has to wait, so many seconds.
    case wait(seconds: Int)
    /// This account takes nothing for so many seconds.
    case shut(seconds: Int)
    /// Too many try at the same time, or nothing can be written down.
    case busy
  }

  private struct State {
    var userFile: WatchedFile
    var deviceFile: WatchedFile
    var users = PageUsers()
    var devices = PageDevices()
    var screens: KnownScreens
    var sessions = PageSessions()
    var waits = SignInWaits()
    /// What everybody who has no password is compared with.
    var decoy: PasswordHash?
    var timeout: Duration?
    var isWriting = false
  }

  let hashes = HashQueue()
  private let slotKey = HMACSHA256(key: SymmetricKey(size: .bits256))
  private let time: any TimeSource
  private let logger: Logger
  private let state: Mutex<State>

  /// - Parameters:
  ///   - folder: where the users' and the devices' files lie.
  ///   - stateFolder: where door screens that have signed in are written down; `nil` for nowhere.
  package init(
    folder: String = AccessFile.usual, stateFolder: String?, time: any TimeSource = SystemTime(), logger: Logger
  ) {
    self.time = time
    self.logger = logger
    state = Mutex(
      State(
        userFile: WatchedFile(AccessFile.users(in: folder), limit: PageUsers.longest),
        deviceFile: WatchedFile(AccessFile.devices(in: folder), limit: PageDevices.longest),
        screens: KnownScreens(in: stateFolder), decoy: PasswordHash()))
  }

  /// Goes on while the machine sleeps: who shuts a lid has not stopped twelve hours.
  private var now: MonotonicTime { time.now() + time.asleep() }

  // MARK: Who asks

  /// Whose session this is.
  /// - Parameter isUse: whether its user asks, rather than a page that shows by itself how things are.
  func caller(session secret: String, isUse: Bool) -> PageCaller? {
    guard PageSecret.isOne(secret) else { return nil }
    return state.withLock { state in
      refresh(&state)
      return state.sessions.session(of: secret, at: now, timeout: state.timeout, isUse: isUse)
        .map { PageCaller(name: $0.user.name, role: $0.user.role, sign: .session($0.id)) }
    }
  }

  /// Whose door screen this is.
  func caller(device secret: String) -> PageCaller? {
    guard PageSecret.isOne(secret) else { return nil }
    return state.withLock { state in
      refresh(&state)
      guard let id = state.screens.device(showing: secret, at: time.wall()),
        let device = state.devices.device(numbered: id)
      else { return nil }
      return PageCaller(name: device.name, role: .door, sign: .device(id), gate: device.gate)
    }
  }

  /// Whether who asked is still who may: to be looked at from time to time by what is told for long. Looking is no use.
  func isCurrent(_ caller: PageCaller) -> Bool {
    state.withLock { state in
      refresh(&state)
      switch caller.sign {
      case .loopback: return true
      case .device(let id): return state.screens.isKnown(id) && state.devices.device(numbered: id) != nil
      case .session(let id): return state.sessions.holds(id, at: now, timeout: state.timeout)
      }
    }
  }

  /// The control service's session time-out: sessions without use end after it; `nil` for none.
  func heed(sessionTimeout timeout: Duration?) { state.withLock { $0.timeout = timeout } }

  // MARK: Signing in

  /// Somebody signs in by name and password. It takes as long whether there is such a user or not.
  func signIn(
    _ typed: String, password: String, client: SignInWaits.Client, address: String
  ) async -> SignIn {
    let name = PageUser.typed(typed)
    let slot = slot(of: "user \(name)")
    let began = now
    let (answer, user, decoy) = state.withLock { state in
      refresh(&state)
      return (state.waits.begin(client, slot: slot, at: began), state.users[name], state.decoy)
    }
    if let refusal = Self.refusal(answer) { return refusal }
    guard let hash = user?.hash ?? decoy, let isRight = await hashes.run({ hash.matches(password) }) else {
      end(client, slot, began, .unjudged)
      return .busy
    }
    let outcome: SignIn = state.withLock { state in
      // Who was changed meanwhile signs in anew.
      refresh(&state)
      let isStill = isRight && user != nil && state.users[name] == user
      state.waits.end(client, slot: slot, began: began, isStill ? .right : .wrong, at: now)
      guard isStill, let user else { return .wrong }
      return .done(secret: state.sessions.begin(user, from: address, at: now, wall: time.wall()))
    }
    if outcome == .wrong { logger.notice("Somebody at \(address) could not sign in: a wrong name or password.") }
    if case .done = outcome { logger.notice("\(name) has signed in from \(address).") }
    return outcome
  }

  /// A door screen signs in by its code, which is then used.
  func signIn(code typed: String, client: SignInWaits.Client, address: String) async -> SignIn {
    // A code is no account, and too long to be found by trying.
    let began = now
    let answer = state.withLock { state in
      refresh(&state)
      return state.waits.begin(client, slot: nil, at: began)
    }
    if let refusal = Self.refusal(answer) { return refusal }
    let digest = DeviceCode(typed)?.digest ?? []
    let found: (device: PageDevice, made: (screens: KnownScreens, secret: String))?
    let isBusy: Bool
    (found, isBusy) = state.withLock { state in
      let wall = time.wall()
      var device: PageDevice?
      for one in state.devices.devices
      where areEqualInConstantTime(one.code, digest) && wall < one.codeEnds && !state.screens.isKnown(one.id) {
        device = one
      }
      guard let device else { return (nil, false) }
      guard !state.isWriting else { return (nil, true) }
      state.isWriting = true
      return ((device, state.screens.adding(device, of: state.devices, at: wall)), false)
    }
    guard let (device, made) = found else {
      end(client, nil, began, isBusy ? .unjudged : .wrong)
      return isBusy ? .busy : .wrong
    }
    let fault: SystemError? = await SystemThread.run("screens") {
      do throws(SystemError) {
        try made.screens.write()
        return nil
      } catch { return error }
    }
    state.withLock { state in
      state.isWriting = false
      if fault == nil { state.screens = made.screens }
      state.waits.end(client, slot: nil, began: began, fault == nil ? .right : .unjudged, at: now)
    }
    if let fault {
      logger.error("The door screen \(device.name) cannot be written down: \(fault.words). It has not signed in.")
      return .busy
    }
    logger.notice("The door screen \(device.name) has signed in from \(address).")
    return .done(secret: made.secret)
  }

  /// How many signed-in sessions there are.
  var sessionCount: Int { state.withLock { $0.sessions.count } }

  /// The sessions of a user, the oldest first.
  func sessions(of user: String) -> [PageSessions.Session] {
    state.withLock { state in
      refresh(&state)
      return state.sessions.sessions(of: user, at: now, timeout: state.timeout)
    }
  }

  /// Ends a session of a user.
  @discardableResult
  func end(session id: String, of user: String) -> Bool { state.withLock { $0.sessions.end(id, of: user) } }

  private func end(
    _ client: SignInWaits.Client, _ slot: Int?, _ began: MonotonicTime, _ result: SignInWaits.Result
  ) {
    state.withLock { $0.waits.end(client, slot: slot, began: began, result, at: now) }
  }

  private static func refusal(_ answer: SignInWaits.Answer) -> SignIn? {
    switch answer {
    case .go: nil
    case .wait(let seconds): .wait(seconds: seconds)
    case .shut(let seconds): .shut(seconds: seconds)
    }
  }

  /// Which account a name is, of those that are told apart; nobody outside can know which names share one.
  private func slot(of subject: String) -> Int {
    slotKey.authenticationCode(for: [UInt8](subject.utf8)).prefix(4).reduce(0) { $0 << 8 | Int($1) } % SignInWaits.slots
  }

  // MARK: The files

  /// Heeds the files as they are now. What cannot be read, or not wholly, gives nobody anything.
  private func refresh(_ state: inout State) {
    if let users = look(&state.userFile, PageUsers(), { bytes throws(AccessFileFault) in try PageUsers(bytes) }) {
      for user in state.users.users where users[user.name] != user {
        state.waits.forget(slot: slot(of: "user \(user.name)"))
      }
      state.users = users
      state.sessions.keep(users)
      state.decoy = users.users.first.map { PasswordHash(like: $0.hash) } ?? PasswordHash()
    }
    if let devices = look(&state.deviceFile, PageDevices(), { bytes throws(AccessFileFault) in try PageDevices(bytes) })
    {
      state.devices = devices
    }
  }

  /// - Returns: `nil` where nothing has changed.
  private func look<Content>(
    _ file: inout WatchedFile, _ none: Content, _ read: ([UInt8]) throws(AccessFileFault) -> Content
  ) -> Content? {
    switch file.look() {
    case .same: return nil
    case .absent: return none
    case .failed(let fault):
      logger.error("\(file.path) cannot be read: \(fault.words). Nobody whom it names is let in.")
      return none
    case .changed(let bytes):
      do throws(AccessFileFault) {
        return try read(bytes)
      } catch {
        logger.error("\(file.path):\(error.line) \(error.words). Nobody whom the file names is let in.")
        return none
      }
    }
  }
}
