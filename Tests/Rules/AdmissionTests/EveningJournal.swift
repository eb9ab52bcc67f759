import ScanModel
import Admission

/// What outlives the process and the machine on an evening: batches in the order in which they were written, each durable some
/// time later. The end of the process loses none of them, that of the machine those that were not durable, or some of these.
struct EveningJournal {
  /// An attempt that was asked.
  struct Asked {
    let attempt: AttemptID
    let code: Int
    let gate: GateID
    let began: MonotonicTime
    let wall: WallTime
    let boot: Int
  }

  /// An admission of which the ticket system has to be told.
  struct Owed {
    let attempt: AttemptID
    let code: Int
    let gate: GateID
  }

  enum Fact {
    case asked(Asked)
    case concluded(AttemptID)
    case owed(Owed)
    case told(AttemptID)
    case learnt(Duration?)
    case suspected([RecordSuspicion])
  }

  struct Contents {
    var memory: [LedgerPlace: (memory: LedgerMemory, boot: Int)] = [:]
    var unconcluded: [Asked] = []
    var owed: [Owed] = []
    var learnt: Duration?
    var suspicions: [RecordSuspicion] = []
  }

  private struct Batch {
    let changes: [LedgerPlace: LedgerMemory?]
    let facts: [Fact]
    let boot: Int
    var durableAt: Int64
  }

  /// What a process reads.
  private(set) var written = Contents()
  private var durable = Contents()
  private var pending: [Batch] = []
  private(set) var boot = 0
  private let canReboot: Bool

  init(canReboot: Bool) { self.canReboot = canReboot }

  mutating func write(_ changes: [LedgerPlace: LedgerMemory?], _ facts: [Fact], durableAt: Int64) {
    guard !changes.isEmpty || !facts.isEmpty else { return }
    let batch = Batch(changes: changes, facts: facts, boot: boot, durableAt: durableAt)
    Self.apply(batch, to: &written)
    guard canReboot else { return }
    // What is durable makes all durable that was written before.
    for index in pending.indices where pending[index].durableAt > durableAt { pending[index].durableAt = durableAt }
    pending.append(batch)
  }

  /// The machine ends.
  /// - Parameter lucky: how many batches survived besides those that were durable, at most.
  mutating func reboot(at time: Int64, lucky: Int) {
    var lucky = lucky
    for batch in pending {
      if batch.durableAt > time {
        lucky -= 1
        if lucky < 0 { break }
      }
      Self.apply(batch, to: &durable)
    }
    pending = []
    written = durable
    boot += 1
  }

  private static func apply(_ batch: Batch, to contents: inout Contents) {
    for (place, memory) in batch.changes {
      if let memory { contents.memory[place] = (memory, batch.boot) } else { contents.memory[place] = nil }
    }
    for fact in batch.facts {
      switch fact {
      case .asked(let asked): contents.unconcluded.append(asked)
      case .concluded(let attempt): contents.unconcluded.removeAll { $0.attempt == attempt }
      case .owed(let owed): contents.owed.append(owed)
      case .told(let attempt): contents.owed.removeAll { $0.attempt == attempt }
      case .learnt(let learnt): contents.learnt = learnt
      case .suspected(let suspicions): contents.suspicions = suspicions
      }
    }
  }
}
