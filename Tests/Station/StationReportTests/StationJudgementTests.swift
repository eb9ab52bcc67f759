import Expectations
import ScanModel
import StationProtocol
import StationReport
import StationTesting
import Testing

/// Whether all is well: each trouble is told once, with its weight and its cure.
@Suite struct StationJudgementTests {
  private func remarks(_ change: (inout StationSnapshot) -> Void) -> [StationRemark] {
    var station = SampleStation.snapshot()
    let installed = station.version
    change(&station)
    return StationJudgement.remarks(on: station, program: installed)
  }

  @Test func whereAllIsWellNothingIsSaid() { expectEqual(remarks { _ in }, []) }

  /// What is no trouble: an absent list, a clock of nobody, times of the future.
  @Test func whatNobodyKnowsIsNoTrouble() {
    expectEqual(
      remarks {
        $0.ticketSystems[0].list = nil
        $0.ticketSystems[0].clockAhead = nil
        $0.ticketSystems[0].budget = nil
        $0.outbox.owed = 1
        $0.outbox.oldest = SampleStation.now + .seconds(900)
        $0.reload = .init(outcome: .init(state: "applied"), at: SampleStation.now)
      }, [])
  }

  private static let troubles:
    [(name: String, weight: StationRemark.Weight, place: String, word: String, cure: String?, Change)] = [
      (
        "fault", .cannotAdmit, "gate north", "keyRefused", nil,
        Change {
          $0.gates[0].condition = .init(state: "fault", detail: "venue.example does not know our key")
          $0.gates[0].reason = .keyRefused
        }
      ),
      (
        "not set up", .cannotAdmit, "gate north", "code", nil,
        Change {
          $0.gates[0].condition = .init(state: "notSetUp", detail: "it awaits its set-up code")
        }
      ),
      ("output", .cannotAdmit, "gate north", "relay", nil, Change { $0.gates[0].outputFault = "the relay is gone" }),
      (
        "maintenance", .warning, "gate north", "maintenance", "scangate maintenance off north",
        Change {
          $0.gates[0].condition = .init(state: "maintenance")
          $0.gates[0].isMaintenanceOrdered = true
        }
      ),
      (
        "maintenance by a key", .warning, "gate north", "by its input", nil,
        Change {
          $0.gates[0].condition = .init(state: "maintenance")
        }
      ),
      (
        "maintenance of all", .warning, "gate north", "by Anna", "scangate fleet maintenance off FOLDER",
        Change {
          $0.gates[0].condition = .init(state: "maintenance", detail: "The whole fleet is in maintenance, by Anna")
        }
      ),
      (
        "closed", .warning, "gate north", "kiosk", nil,
        Change {
          $0.gates[0].condition = .init(state: "closed", detail: "the kiosk service says maintenance")
        }
      ),
      (
        "reservation", .warning, "gate north", "429", nil,
        Change {
          $0.gates[0].condition = .init(state: "ready", detail: "venue answers 429. It is asked again.")
        }
      ),
      (
        "list", .warning, "list of venue", "old", "scangate tickets status --system venue",
        Change {
          $0.ticketSystems[0].list?.age = .seconds(90_000)
        }
      ),
      (
        "refresh", .warning, "list of venue", "half", "scangate tickets status --system venue",
        Change {
          $0.ticketSystems[0].list?.refresh = .init(state: "heldBack", detail: "less than half")
        }
      ),
      (
        "budget", .warning, "ticket system venue", "none of its 60", nil,
        Change {
          $0.ticketSystems[0].budget?.left = 0
        }
      ),
      (
        "clock", .warning, "ticket system venue", "5 min behind", "timedatectl",
        Change {
          $0.ticketSystems[0].clockAhead = .seconds(-300)
        }
      ),
      ("held", .warning, "outbox", "hold", "scangate outbox retry", Change { $0.outbox.isHeld = true }),
      (
        "waiting", .warning, "outbox", "2 h", "scangate outbox status",
        Change {
          $0.outbox.owed = 3
          $0.outbox.oldest = SampleStation.now - .seconds(7_201)
        }
      ),
      ("conflicts", .warning, "outbox", "2 of", "scangate journal conflicts", Change { $0.outbox.conflicts = 2 }),
      (
        "journal", .warning, "journal", "full", nil,
        Change {
          $0.journal = .init(state: "failing", detail: "the disk is full")
        }
      ),
      (
        "doubt", .warning, "journal", "not relied on", "scangate journal accept",
        Change {
          $0.journal = .init(state: "doubted", detail: "it is older than the ticket system's word")
        }
      ),
      (
        "reload", .warning, "configuration", "a; b", "scangate config check",
        Change {
          $0.reload = .init(outcome: .init(state: "kept", detail: "a\nb"), at: SampleStation.now)
        }
      ),
      (
        "control", .warning, "control service", "token", "scangate kiosk status",
        Change {
          $0.control = .init()
          $0.control?.words = ["the token is not accepted"]
        }
      ),
      ("untrusted", .warning, "clock", "vouches", "timedatectl", Change { $0.isClockTrusted = false }),
      (
        "certificate", .warning, "certificate of venue", "ends in 29 days (2026-12-21T18:42:06Z): have it renewed", nil,
        Change { $0.ticketSystems[0].certificateEnds = $0.at + .seconds(30 * 86_400 - 1) }
      ),
      (
        "certificate that is over", .cannotAdmit, "certificate of venue", "ended at 2026-11-21T18:42:07Z", nil,
        Change { $0.ticketSystems[0].certificateEnds = $0.at }
      ),
      (
        "disk", .warning, "disk", "filling up: 255 of 1000 MB", "scangate doctor",
        Change { $0.disk = .init(free: 255_999_999, size: 1_000_000_000) }
      ),
      (
        "great disk", .warning, "disk", "filling up: 1999 of 100000 MB", "scangate doctor",
        Change { $0.disk = .init(free: 1_999_999_999, size: 100_000_000_000) }
      ),
      (
        "full disk", .warning, "disk", "is full: 31 of 1000 MB", "scangate doctor",
        Change { $0.disk = .init(free: 31_999_999, size: 1_000_000_000) }
      ),
      (
        "alone", .warning, "fleet", "goes on by fleet.alone: No majority", "scangate fleet status",
        Change { $0.fleet = .init(name: "summer", condition: .init(state: "alone", detail: "No majority.")) }
      ),
      (
        "unusable", .cannotAdmit, "fleet", "nobody is let in", "scangate fleet status",
        Change { $0.fleet = .init(name: "summer", condition: .init(state: "unusable", detail: "It was closed.")) }
      ),
      (
        "fleet's clock", .warning, "fleet", "clock is 5.0 s behind the fleet's", "timedatectl",
        Change {
          $0.fleet = .init(name: "summer", condition: .init(state: "together"))
          $0.fleet?.clockAhead = .seconds(-5)
        }
      ),
      (
        "names", .warning, "fleet", "south has another scope", "scangate fleet status",
        Change {
          $0.fleet = .init(name: "summer", condition: .init(state: "together"))
          $0.fleet?.differences = ["south has another scope"]
        }
      ),
      ("version", .warning, "service", "0.0.9 runs", "systemctl restart scangate", Change { $0.version = "0.0.9" }),
    ]

  /// What is changed of a station.
  struct Change: Sendable {
    let make: @Sendable (inout StationSnapshot) -> Void
    init(_ make: @escaping @Sendable (inout StationSnapshot) -> Void) { self.make = make }
  }

  @Test(arguments: troubles.indices) func eachTroubleIsToldOnceWithItsCure(_ index: Int) {
    let (name, weight, place, word, cure, change) = Self.troubles[index]
    let found = remarks(change.make)
    expectEqual(found.count, 1, "\(name): \(found)")
    expectEqual(found.first?.weight, weight, "\(name)")
    expectEqual(found.first?.place, place, "\(name)")
    expectEqual(found.first?.words.contains(word), true, "\(name): \(found)")
    expectEqual(found.first?.cure, cure, "\(name)")
  }

  @Test func aGateWithoutAReaderThatReadsCannotAdmit() {
    let found = remarks { $0.readers[0].condition = .init(state: "parked") }
    expectEqual(found.map(\.place), ["gate north", "reader north-reader"])
    expectEqual(found.map(\.weight), [.cannotAdmit, .warning])
    expectEqual(found.last?.cure, "scangate devices")
    // A second reader makes it a warning.
    let second = remarks {
      $0.readers[0].condition = .init(state: "failed", detail: "permission denied")
      $0.readers.append(.init(id: ReaderID("spare"), condition: .init(state: "reading", detail: "COM scanner")))
      $0.gates[0].readers.append(ReaderID("spare"))
    }
    expectEqual(second.map(\.weight), [.warning])
    expectEqual(second.first?.words, "it is out of order: permission denied")
  }

  /// Offline is no trouble of a gate whose policy decides, and all of it where nobody passes without the ticket system.
  @Test func whatAnOutageMeansIsThePolicysMatter() {
    let policy = remarks {
      $0.ticketSystems[0].offline = .noConnection
      $0.gates[0].offline = .noConnection
    }
    expectEqual(policy.map(\.place), ["ticket system venue"])
    expectEqual(policy.map(\.weight), [.warning])
    func shut(_ cause: OfflineCause) -> [StationRemark] {
      remarks {
        $0.ticketSystems[0].offline = cause
        $0.gates[0].condition = .init(state: "ready", detail: "by \"refuse\" nobody passes here")
      }
    }
    expectEqual(shut(.noConnection).first?.weight, .cannotAdmit)
    expectEqual(shut(.noConnection).first?.place, "gate north")
    // A gate that was ready when its ticket system went has told nothing of that.
    let untold = remarks { $0.ticketSystems[0].offline = .noConnection }
    expectEqual(untold.map(\.place), ["gate north", "ticket system venue"])
    expectEqual(untold.map(\.weight), [.cannotAdmit, .warning])
    // Where only its rate is spent, it can be asked again in a moment.
    expectEqual(shut(.rateLimited).map(\.weight), [.warning, .warning])
  }

  @Test func whatAGateSaysOfItsTicketSystemIsNotSaidAgain() {
    let found = remarks {
      $0.ticketSystems[0].fault = .init(reason: .keyRefused, detail: "venue.example does not know our key")
      $0.gates[0].condition = .init(state: "fault", detail: "venue.example does not know our key")
      $0.gates[0].reason = .keyRefused
    }
    expectEqual(found.map(\.place), ["gate north"])
  }

  @Test func whatHoldsForLongAndHasRoomIsNothingToSay() {
    expectEqual(
      remarks {
        $0.ticketSystems[0].certificateEnds = $0.at + .seconds(30 * 86_400)
        $0.disk = .init(free: 2_000_000_000, size: 100_000_000_000)
      }, [])
    // By a clock that nobody vouches for no certificate is over.
    expectEqual(
      remarks {
        $0.isClockTrusted = false
        $0.ticketSystems[0].certificateEnds = $0.at - .seconds(1)
      }.map(\.place), ["clock"])
  }

  /// What a peer may send: states of a later version, the ends of all ranges.
  @Test func nothingIsTooMuch() {
    let found = remarks {
      $0.gates[0].condition = .init(state: "levitating", detail: SampleStation.hostile)
      $0.readers[0].condition = .init(state: "levitating")
      $0.gates[0].passed = .max
      $0.uptime = .seconds(Int64.max)
      $0.ticketSystems[0].clockAhead = .nanoseconds(Int64.min)
      $0.ticketSystems[0].budget = .init(left: .max, most: .max)
      $0.ticketSystems[0].list = .init(tickets: .max, age: .nanoseconds(Int64.max), mostAge: .nanoseconds(Int64.min))
      $0.outbox.owed = .max
      $0.outbox.oldest = WallTime(nanoseconds: .min)
      $0.outbox.conflicts = .max
      $0.journal = .init(state: "levitating")
      $0.disk = .init(free: 0, size: .max)
      $0.ticketSystems[0].certificateEnds = WallTime(nanoseconds: .min)
    }
    expectEqual(
      found.map(\.place),
      [
        "certificate of venue", "gate north", "reader north-reader", "ticket system venue", "list of venue", "outbox",
        "outbox", "disk",
      ])
  }
}
