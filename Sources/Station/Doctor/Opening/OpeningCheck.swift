internal import LinuxIO
internal import Reading
internal import ScanConfiguration
internal import ScanModel
package import Sealing
internal import Service
package import StationSetUp
internal import TicketLists
internal import TicketSystemKit

/// The check before doors: what the lists on board say of some codes. Nothing is asked and nothing is spent: neither the ticket systems nor
/// the ledgers hear of it.
package struct OpeningCheck: Sendable {
  /// What a list says of a code.
  enum Word: Sendable, Equatable {
    /// It admits so many, now or from a moment of the next day on.
    case admits(Int, from: WallTime?)
    /// It would be turned away.
    case refused(RefuseReason)
    /// The list does not name it.
    case unnamed
    /// The list decides nothing; why.
    case doubtful(String)

    /// What is told of a code that several systems could mean: the one that lets it in.
    fileprivate var rank: Int {
      switch self {
      case .admits: 3
      case .refused: 2
      case .doubtful: 1
      case .unnamed: 0
      }
    }
  }

  /// The clock, and whether it is trusted.
  private let clock: @Sendable () -> JournalTime
  private let keys: SealKeySource
  /// A ticket that admits later than that is not for today's doors.
  private static let aDay = Duration.seconds(86_400)
  /// How many codes are told of one by one.
  private static let most = 20

  package init(keys: SealKeySource) {
    let trust = ClockTrust(time: SystemTime())
    self.init(keys: keys) { trust.now() }
  }

  init(keys: SealKeySource, clock: @escaping @Sendable () -> JournalTime) {
    self.keys = keys
    self.clock = clock
  }

  /// Tries codes.
  /// - Parameter completed: the configuration with what set-up codes have brought.
  package func findings(of codes: OpeningCodes, _ completed: EnrolmentBook.Completed) async -> [Finding] {
    let configuration = completed.configuration
    let lists = configuration.ticketSystems.compactMap { system in list(of: system).map { (system, $0) } }
    guard !lists.isEmpty else {
      return [
        Finding(
          .warning, .opening, "codes", "There is no list on board that could judge a code without spending it.",
          cure: "sudo scangate tickets import FILE --system NAME")
      ]
    }
    let now = clock()
    var words: [(line: OpeningCodes.Line, system: TicketSystemID?, word: Word)] = []
    for line in codes.lines {
      var best: (TicketSystemID?, Word) = (nil, .unnamed)
      for (system, list) in lists {
        let own = system.type.recognise(line.code)
        let gates = configuration.gates.filter { $0.ticketSystem == system.id }
        guard gates.contains(where: { $0.accept.accepts(own) }) else { continue }
        let word = await word(of: system.type.listed(own), list, at: now)
        if best.0 == nil || word.rank > best.1.rank { best = (system.id, word) }
      }
      words.append((line, best.0, best.1))
    }
    return Self.judge(words, unreadable: codes.unreadable)
  }

  private func list(of system: TicketSystemConfiguration) -> ListOnBoard? {
    let place = TicketListPlace(of: system, in: keys.state)
    guard (try? place.isPresent()) == true, let key = try? keys.open(making: false).key,
      let list = try? StoredTicketList(place, key: key)
    else { return nil }
    return ListOnBoard(
      of: system.id, list, maxAge: system.list.maxAge, freshFor: system.list.freshFor, clock: clock)
  }

  private func word(of code: Code, _ list: ListOnBoard, at now: JournalTime) async -> Word {
    do throws(ListOnBoard.Doubt) {
      guard let ticket = try await list.find(code, at: now).ticket else { return .unnamed }
      switch ticket.refusal(at: now) {
      case nil: return .admits(ticket.quantity, from: nil)
      case .tooEarly:
        guard let from = ticket.from, from - now.wall < Self.aDay else { return .refused(.tooEarly) }
        return .admits(ticket.quantity, from: from)
      case .some(let reason): return .refused(reason)
      }
    } catch {
      return .doubtful(error.detail)
    }
  }

  static func judge(
    _ words: [(line: OpeningCodes.Line, system: TicketSystemID?, word: Word)], unreadable: [Int]
  ) -> [Finding] {
    var findings: [Finding] = []
    let admitted = words.count {
      if case .admits = $0.word { true } else { false }
    }
    let all = words.count + unreadable.count
    let later = words.compactMap { if case .admits(_, .some(let from)) = $0.word { from } else { nil } }.min()
    let from = later.map { ", some from \($0.iso8601Seconds) on" } ?? ""
    findings.append(
      Finding(
        admitted == all ? .good : .note, .opening, "codes",
        "\(admitted) of \(all) codes admit by the lists on board\(from). None was spent."))
    var doubts: Set<String> = []
    var turned: [Finding] = []
    func turn(_ number: Int, _ words: String, _ cure: String) {
      turned.append(Finding(.warning, .opening, "code of line \(number)", words, cure: cure))
    }
    for (line, system, word) in words {
      let place = system.map { " at \($0)" } ?? ""
      let code = line.code.shortened
      switch word {
      case .admits: break
      case .refused(let reason):
        turn(line.number, "\(code) would be refused\(place): \(reason.rawValue).", "Look it up at the ticket system.")
      case .unnamed:
        guard system != nil else {
          turn(
            line.number, "\(code) does not look like a code of any gate.",
            "See accept of the gates: scangate config check")
          continue
        }
        turn(
          line.number, "\(code) is on no list.", "Import a newer list: sudo scangate tickets import FILE --system NAME")
      case .doubtful(let words): doubts.insert(words)
      }
    }
    for number in unreadable {
      turn(number, "It is no text that a reader could give.", "Write one code a line, as UTF-8.")
    }
    findings += turned.prefix(Self.most)
    if turned.count > Self.most {
      findings.append(
        Finding(.warning, .opening, "codes", "And \(turned.count - Self.most) codes more would be turned away."))
    }
    findings += doubts.sorted().map {
      Finding(
        .warning, .opening, "codes", $0, cure: "Import a newer list: sudo scangate tickets import FILE --system NAME")
    }
    return findings
  }
}
