package import ScanModel

/// Something at a station that is not as it should be.
package struct StationRemark: Equatable, Sendable {
  /// How much it matters. The raw values are what `scangate status` ends with.
  package enum Weight: Int32, Comparable, Sendable {
    /// Somebody should look. Gates go on.
    case warning = 1
    /// A gate cannot admit.
    case cannotAdmit = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// What a remark is about.
  package enum Subject: Hashable, Sendable {
    case gate(GateID)
    case reader(ReaderID)
    case ticketSystem(TicketSystemID)
    /// The certificate that a ticket system's server shows.
    case certificate(TicketSystemID)
    /// A ticket system's list on board.
    case list(TicketSystemID)
    case outbox
    case journal
    /// The journal's.
    case disk
    case configuration
    case control
    /// The stations that share its book.
    case fleet
    /// The machine's.
    case clock
    case service

    /// Its name for people and programs, such as `gate north`.
    package var place: String {
      switch self {
      case .gate(let id): "gate \(id)"
      case .reader(let id): "reader \(id)"
      case .ticketSystem(let id): "ticket system \(id)"
      case .certificate(let id): "certificate of \(id)"
      case .list(let id): "list of \(id)"
      case .outbox: "outbox"
      case .journal: "journal"
      case .disk: "disk"
      case .configuration: "configuration"
      case .control: "control service"
      case .fleet: "fleet"
      case .clock: "clock"
      case .service: "service"
      }
    }
  }

  /// How much it matters.
  package var weight: Weight
  /// What it is about.
  package var subject: Subject
  /// What happened.
  package var words: String
  /// The command that cures it, or shows more; `nil` where the words say what to do.
  package var cure: String?
  /// The same as `words`, for whoever says it in another language; `nil` where nobody but the words tells.
  package var finding: StationFinding?

  package init(
    _ weight: Weight, _ subject: Subject, _ words: String, cure: String? = nil, _ finding: StationFinding? = nil
  ) {
    self.weight = weight
    self.subject = subject
    self.words = words
    self.cure = cure
    self.finding = finding
  }

  /// What it is about, by its name.
  package var place: String { subject.place }

  /// The gate that it is about; `nil` where it is about something else.
  package var gate: GateID? { if case .gate(let id) = subject { id } else { nil } }
}
