package import Reading
package import ScanModel

/// A type of ticket system: all that the station knows of it. A system's folder exports this one value, the registry lists
/// it, and nothing else names it.
///
/// What its sections have read is typed in its folder alone; elsewhere it is handed back as it was given.
package struct TicketSystemType: Sendable {
  /// What settings are called in words.
  package struct SettingNames: Sendable, Equatable {
    /// The address.
    package var address: String
    /// Which key it is; `nil` where it has none.
    package var key: String?
    /// Where the file says the address; `nil` where it does not.
    package var place: SourcePosition?
    /// What else the key opens than gates, a clause that follows "the key"; `nil` where it opens nothing else.
    package var keyReach: String?

    package init(address: String, key: String?, place: SourcePosition?, keyReach: String? = nil) {
      self.address = address
      self.key = key
      self.place = place
      self.keyReach = keyReach
    }
  }

  /// What is wrong in a file of lines that a section names.
  package struct FileProblem: Sendable, Equatable {
    /// The file.
    package var path: String
    /// `FILE:LINE:COLUMN: what, and what to do`, without a word of what it holds.
    package var words: String

    package init(path: String, words: String) {
      self.path = path
      self.words = words
    }
  }

  /// The word after `type:`.
  package let name: String
  /// The keys of `ticketSystems.<name>` besides those that every system has.
  package let systemSchema: SectionSchema
  /// The keys of `gates.<name>.ticket`.
  package let gateSchema: SectionSchema
  /// What its codes look like: what a gate takes that says nothing of it.
  package let accept: AcceptFilter
  /// For how long "once" may hold for its tickets.
  package let scopes: ScopeRule
  /// How old what the list says of a ticket may be, where the file says nothing.
  package let listAge: Duration
  /// Whether how a code looks may be enough to open offline, where the file says so.
  package let mayOpenByForm: Bool
  /// A section to begin with, a line each.
  package let example: [String]
  /// The key of its section that is `true` where a set-up code is awaited; `nil` where none brings it.
  package let enrolKey: String?
  /// The own form of a code, without a connection: what its `recognise` makes of it at a gate.
  package let recognise: @Sendable (Code) -> Code
  /// The code under which lists name a code in its own form, likewise: what its `listedCode` gives at a gate.
  package let listed: @Sendable (Code) -> Code
  /// What it may take for one another's spelling, likewise: what its `foldedKey` gives at a gate.
  package let foldedKey: @Sendable (Code) -> TicketKey?

  private let system: @Sendable (SectionReader) -> (any Sendable)?
  private let gate: @Sendable (SectionReader) -> (any Sendable)?
  private let pair: @Sendable ((any Sendable)?, (any Sendable)?) -> GateContradiction?
  private let server: @Sendable (any Sendable) -> String?
  private let rate: @Sendable (any Sendable) -> Int?
  private let freshness: @Sendable (any Sendable) -> Duration?
  private let names: @Sendable (any Sendable) -> SettingNames?
  private let faultyLines: @Sendable (any Sendable) -> [FileProblem]
  private let connection: Connection
  private let enrolment: TicketSystemEnrolment<any Sendable, any Sendable>?

  private typealias Connection =
    @Sendable (
      TicketSystemID, any Sendable, ConnectionUse, ListOnBoard?, CredentialResolver, any TimeSource
    ) throws(SetupError) -> TicketSystemConnection

  /// Makes a type of what it does with what its sections have read.
  /// - Parameters:
  ///   - section: its part of the configuration.
  ///   - example: keys to begin with, below `type`, a line each.
  ///   - recognise: the code of `TicketSystem.recognise`.
  ///   - listed: as `TicketSystem.listedCode`.
  ///   - foldedKey: as `TicketSystem.foldedKey`.
  ///   - server: which server a section names, for the ledger that belongs to it; `nil` as long as none is known.
  ///   - budget: how many requests a minute this station may send; `nil` where nothing bounds them.
  ///   - freshFor: for how long what it has said of one ticket decides while it is offline; `nil` where it keeps none of that.
  ///   - settingNames: what its address and key are called; `nil` as long as none is known.
  ///   - fileProblems: what is wrong in the files of lines that a section names.
  ///   - enrolment: how set-up codes bring it; `nil` where none does.
  ///   - connect: makes the connection, to which its list on board may be the answer; reads keys and connects nowhere.
  package init<Section: TicketSystemSection>(
    _ section: Section.Type, example: [String],
    recognise: @escaping @Sendable (Code) -> Code = { $0 },
    listed: @escaping @Sendable (Code) -> Code = { $0 },
    foldedKey: @escaping @Sendable (Code) -> TicketKey? = { _ in nil },
    server: @escaping @Sendable (Section.System) -> String?,
    budget: @escaping @Sendable (Section.System) -> Int? = { _ in nil },
    freshFor: @escaping @Sendable (Section.System) -> Duration? = { _ in nil },
    settingNames: @escaping @Sendable (Section.System) -> SettingNames? = { _ in nil },
    fileProblems: @escaping @Sendable (Section.System) -> [FileProblem] = { _ in [] },
    enrolment: TicketSystemEnrolment<Section.System, Section.Gate>? = nil,
    connect:
      @escaping @Sendable (
        TicketSystemID, Section.System, ConnectionUse, ListOnBoard?, CredentialResolver, any TimeSource
      ) throws(SetupError) -> TicketSystemConnection
  ) {
    let name = section.type
    self.name = name
    systemSchema = section.systemSchema
    gateSchema = section.gateSchema
    accept = section.accept
    scopes = section.scopes
    listAge = section.listAge
    mayOpenByForm = section.mayOpenByForm
    self.example = ["type: \(name)"] + example
    enrolKey = enrolment?.key
    self.recognise = recognise
    self.listed = listed
    self.foldedKey = foldedKey
    system = { section.readSystem($0) }
    gate = { section.readGate($0) }
    pair = { section.contradiction($0 as? Section.Gate, $1 as? Section.Gate) }
    self.server = { ($0 as? Section.System).flatMap(server) }
    freshness = { ($0 as? Section.System).flatMap(freshFor) }
    rate = { ($0 as? Section.System).flatMap(budget) }
    names = { ($0 as? Section.System).flatMap(settingNames) }
    faultyLines = { ($0 as? Section.System).map(fileProblems) ?? [] }
    connection = { id, settings, use, list, credentials, time throws(SetupError) in
      guard let settings = settings as? Section.System else {
        throw SetupError("Ticket system \(id): nothing here speaks \(name).")
      }
      return try connect(id, settings, use, list, credentials, time)
    }
    self.enrolment = enrolment.map { TicketSystemEnrolment(untyped: $0) }
  }
}

extension TicketSystemType {
  /// Reads the section of a system; `nil` only after an error was recorded.
  package func readSystem(_ reader: SectionReader) -> (any Sendable)? { system(reader) }

  /// Reads the section of a gate; `nil` only after an error was recorded.
  package func readGate(_ reader: SectionReader) -> (any Sendable)? { gate(reader) }

  /// Why two gates of one system cannot both be as their sections say; `nil` where they can, and for a gate that has no section.
  package func contradiction(_ earlier: (any Sendable)?, _ later: (any Sendable)?) -> GateContradiction? {
    pair(earlier, later)
  }

  /// Which server a configured system is, of which type: what its ledger belongs to.
  package func address(of id: TicketSystemID, _ settings: any Sendable) -> String {
    server(settings).map { "\(name) \($0)" } ?? "\(name) (\(id) is not enrolled)"
  }

  /// How many requests a minute this station may send to a configured system; `nil` where nothing bounds them.
  package func budget(of settings: any Sendable) -> Int? { rate(settings) }

  /// For how long what a configured system has said of one ticket decides while it is offline; `nil` where that is not kept.
  package func freshFor(of settings: any Sendable) -> Duration? { freshness(settings) }

  /// What a key and an address are called in the configuration of a system, for words.
  package func settingNames(of settings: any Sendable) -> SettingNames? { names(settings) }

  /// What is wrong in the files of lines that the section of a system names; reads them.
  package func fileProblems(of settings: any Sendable) -> [FileProblem] { faultyLines(settings) }

  /// Makes the connection of a configured system. Reads its key; connects nowhere.
  /// - Parameters:
  ///   - list: its list on board, where there is a station that has one.
  ///   - credentials: where keys are that the configuration names.
  /// - Throws: what is wrong with its key, its certificate file or its address.
  package func connect(
    _ id: TicketSystemID, _ settings: any Sendable, for use: ConnectionUse = .gates, list: ListOnBoard? = nil,
    credentials: CredentialResolver, time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    if isAwaitingCode(settings) {
      // Its gates stand and wait; whoever wants a list is told.
      if use == .gates { return TicketSystemConnection(unenrolled: id) }
      throw SetupError("Ticket system \(id): the station is not enrolled. Hold a set-up code to its scanner.")
    }
    return try connection(id, settings, use, list, credentials, time)
  }

  /// Makes the connection of a server of which no file says anything.
  /// - Throws: what is wrong with its address or key.
  package func connect(
    _ id: TicketSystemID, at url: String, key: String, time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    let place = SourcePosition(file: url, line: 1, column: 1)
    guard let settings = enrolled(nil, at: url, key: CredentialReference(name: "\(id)", position: place)) else {
      throw SetupError("Ticket system \(id): \(url) is no address of \(name).")
    }
    return try connection(id, settings, .gates, nil, CredentialResolver { _ in key }, time)
  }

  // MARK: Set-up codes

  /// Whether a configured system's server and key come by a set-up code, and have not come.
  package func isAwaitingCode(_ settings: any Sendable) -> Bool { enrolment?.isAwaited(settings) ?? false }

  /// A system with what a set-up code brought; `nil` where the address is none, or where no code brings it.
  /// - Parameter settings: what its section has read; `nil` where there is none.
  package func enrolled(
    _ settings: (any Sendable)?, at url: String, key: CredentialReference
  ) -> (any Sendable)? { enrolment?.enrolled(settings, url, key) }

  /// A gate's section with what the ticket system says of the gate, where the file says nothing.
  package func enrolled(gate: (any Sendable)?, _ told: EnrolledGate) -> (any Sendable)? {
    enrolment.map { $0.gate(gate, told) } ?? gate
  }

  /// Whether a gate takes one kind of the tickets alone.
  package func isNarrow(gate: (any Sendable)?) -> Bool {
    gate.flatMap { gate in enrolment?.isNarrow(gate) } ?? false
  }
}

extension TicketSystemEnrolment<any Sendable, any Sendable> {
  /// The same for whoever does not know the sections.
  fileprivate init<TypedSystem: Sendable, TypedGate: Sendable>(
    untyped way: TicketSystemEnrolment<TypedSystem, TypedGate>
  ) {
    self.init(
      key: way.key, isAwaited: { ($0 as? TypedSystem).map(way.isAwaited) ?? false },
      enrolled: { way.enrolled($0 as? TypedSystem, $1, $2) }, gate: { way.gate($0 as? TypedGate, $1) },
      isNarrow: { ($0 as? TypedGate).map(way.isNarrow) ?? false })
  }
}
