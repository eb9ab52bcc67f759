internal import Glibc
internal import Journal
internal import ScanModel
internal import Sealing
internal import StationProtocol
internal import StationReport

/// Looks into the journal: whether it can be read and relied on, what waits in the outbox, and what a ticket system did not confirm.
struct JournalLook {
  /// What it says.
  struct State: Sendable, Equatable {
    /// Its file.
    var path: String
    /// Whether there is one.
    var isThere = true
    /// Whether whoever asks may not see whether there is one.
    var isHidden = false
    /// Why it cannot be read.
    var fault: JournalFault?
    /// Why it is not relied on; `nil` where it is, or where that is the running gateway's to say.
    var doubt: String?
    /// Whether it opens with the station's key; `nil` where that could not be had.
    var opens: Bool?
    /// Admissions that wait to be told.
    var outbox = StationSnapshot.Outbox()
    /// How many conflicts it has, and how many of them are younger than a day.
    var conflicts = 0, recent = 0
    /// Whether the last run ended as it should, or runs; `nil` where there was none.
    var endedWell: Bool?
  }

  let keys: SealKeySource
  /// Whether a gateway runs with it.
  let isRunning: Bool
  /// Whether that gateway has told of its outbox.
  var isOutboxTold = false

  private static let aDay = Duration.seconds(86_400)

  func findings() -> [Finding] {
    Self.judge(look(), isRunning: isRunning, at: SystemTime().wall())
      .filter { !isOutboxTold || $0.area != .outbox }
  }

  private func look() -> State {
    var state = State(path: "\(keys.state)/journal.sqlite")
    guard access(state.path, F_OK) == 0 else {
      (state.isThere, state.isHidden) = (errno != ENOENT, errno == EACCES)
      return state
    }
    do throws(JournalFault) {
      let key = try? keys.open(making: false).key
      let reader = try Journal.Reader(path: state.path, key: key)
      if key != nil { state.opens = try reader.opensSealed() }
      let waiting = try reader.outbox(.waiting)
      let conflicts = try reader.outbox(.conflicts)
      let now = SystemTime().wall()
      (state.outbox.owed, state.outbox.oldest) = (UInt64(waiting.count), waiting.map(\.at.wall).min())
      state.conflicts = conflicts.count
      state.recent = conflicts.count { now - ($0.ending?.at.wall ?? $0.at.wall) < Self.aDay }
      let standing = try reader.standing()
      state.outbox.isHeld = try reader.isOutboxHeld()
      state.endedWell = standing.started.map { _ in isRunning || standing.stopped != nil }
    } catch {
      state.fault = error
    }
    // Of one that is in use the gateway itself says so.
    if !isRunning, state.fault == nil {
      state.doubt = JournalTrust(of: state.path).doubt
    }
    return state
  }

  static func judge(_ state: State, isRunning: Bool, at now: WallTime) -> [Finding] {
    func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
      Finding(severity, .journal, state.path, words, cure: cure)
    }
    guard state.isThere else { return [finding(.note, "There is no journal yet: the first start makes it.")] }
    if state.isHidden {
      return [finding(.note, "You may not look into it: outbox and conflicts are not told.", "sudo scangate doctor")]
    }
    if let fault = state.fault {
      let found =
        switch fault.kind {
        case .damaged: finding(.fault, fault.description, "scangate journal verify")
        case .full, .disk: finding(.fault, fault.description, "df -h \(state.path); dmesg | tail -n 50")
        case .newer: finding(.fault, fault.description, "Install the program that wrote it.")
        case .unavailable: finding(.warning, fault.description, "sudo scangate doctor")
        }
      return [found]
    }
    var findings: [Finding] = []
    if state.opens == false {
      findings.append(
        finding(.fault, "It was sealed with another key than this station's.", "Put the right key back: docs/backup.md")
      )
    }
    if let doubt = state.doubt {
      findings.append(
        finding(
          .warning, "\(doubt) Gates admit only whom the ticket system vouches for.", "sudo scangate journal accept"))
    }
    if state.endedWell == false {
      findings.append(finding(.note, "The last run did not end as it should: it was killed, or the power went."))
    }
    if findings.allSatisfy({ $0.severity < .warning }) {
      findings.append(finding(.good, isRunning ? "It is in use, and can be read." : "It can be read."))
    }
    return findings + ServiceLook.outbox(state.outbox, at: now) + conflicts(state)
  }

  private static func conflicts(_ state: State) -> [Finding] {
    guard state.conflicts > 0 else { return [] }
    if state.recent > 0 {
      return [
        Finding(
          .warning, .conflicts, "conflicts",
          "The ticket system does not confirm \(state.recent) admissions of the last day.",
          cure: "sudo scangate journal conflicts --from -1d")
      ]
    }
    return [
      Finding(
        .note, .conflicts, "conflicts", "There are \(state.conflicts) conflicts, none of the last day.",
        cure: "sudo scangate journal conflicts")
    ]
  }
}
