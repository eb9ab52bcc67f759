package import ScanModel

/// What a station tells for pages alone: nothing in it decides anything.
extension StationSnapshot {
  /// How a ticket system wants to be shown, as it told last. Colours are `0xRRGGBB`; whether text can be read on one is for whoever shows it.
  package struct Branding: Hashable, Sendable {
    /// Its name for people; `nil` where it tells none.
    package var name: String?
    /// What stands in its logo's place. The picture itself is fetched by nobody.
    package var logoText: String?
    /// What a page stands on.
    package var background: UInt32
    /// Text on it.
    package var text: UInt32
    /// The first colour, and text on it.
    package var primary: UInt32
    package var onPrimary: UInt32
    /// What is to be noticed, and text on it.
    package var accent: UInt32
    package var onAccent: UInt32

    package init(
      name: String? = nil, logoText: String? = nil, background: UInt32 = 0xFFFFFF, text: UInt32 = 0,
      primary: UInt32 = 0x1F2937, onPrimary: UInt32 = 0xFFFFFF, accent: UInt32 = 0x374151, onAccent: UInt32 = 0xFFFFFF
    ) {
      self.name = name
      self.logoText = logoText
      self.background = background
      self.text = text
      self.primary = primary
      self.onPrimary = onPrimary
      self.accent = accent
      self.onAccent = onAccent
    }

    /// Such as `#1F2937`.
    package static func hexadecimal(_ colour: UInt32) -> String {
      let digits = String(colour & 0xFFFFFF, radix: 16, uppercase: true)
      return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
  }

  /// How many may come, as far as a ticket system or its list tells.
  package struct Seats: Hashable, Sendable {
    /// One type of tickets.
    package struct Kind: Hashable, Sendable {
      /// What it is called.
      package var name: String
      /// How many there are to be had; `nil` where that is not told.
      package var capacity: UInt64?
      /// How many are sold; likewise.
      package var sold: UInt64?

      package init(name: String, capacity: UInt64? = nil, sold: UInt64? = nil) {
        self.name = name
        self.capacity = capacity
        self.sold = sold
      }
    }

    /// How many there are to be had; `nil` where that is not told.
    package var capacity: UInt64?
    /// How many are sold, or are on the list; likewise.
    package var sold: UInt64?
    /// By types, where they are told.
    package var kinds: [Kind]

    package init(capacity: UInt64? = nil, sold: UInt64? = nil, kinds: [Kind] = []) {
      self.capacity = capacity
      self.sold = sold
      self.kinds = kinds
    }
  }

  /// An admission that a ticket system has not confirmed, and that no member of staff has acknowledged.
  package struct Conflict: Hashable, Sendable {
    /// By which it is acknowledged, see `StationOrder.Action.acknowledge`.
    package var id: AttemptID
    /// The ticket system.
    package var system: TicketSystemID
    /// Where somebody was admitted.
    package var gate: GateID
    /// The last characters of the code, after an ellipsis; `nil` where it is not kept.
    package var code: String?
    /// When somebody was admitted.
    package var admitted: WallTime
    /// How it ended: `contradicted`, `unsettled`, `tooLate`.
    package var state: String
    /// Why the ticket system refuses it, by the names of events.
    package var reason: String?
    /// What it said, or what happened.
    package var words: String?

    package init(
      id: AttemptID, system: TicketSystemID, gate: GateID, code: String?, admitted: WallTime, state: String,
      reason: String? = nil, words: String? = nil
    ) {
      self.id = id
      self.system = system
      self.gate = gate
      self.code = code
      self.admitted = admitted
      self.state = state
      self.reason = reason
      self.words = words
    }
  }

  /// What the control service has to be shown of a station, and how the station stands there.
  package struct Board: Hashable, Sendable {
    /// A text for a status.
    package struct StatusText: Hashable, Sendable {
      package var status: StationStatus
      package var text: String

      package init(status: StationStatus, text: String) {
        self.status = status
        self.text = text
      }
    }

    /// The station's name there.
    package var name: String?
    /// Its room.
    package var room: String?
    /// Where that is.
    package var location: String?
    /// What greets people.
    package var welcomeMessage: String?
    /// What is said where somebody needs help.
    package var helpMessage: String?
    /// What the station tells the service that it is; `nil` before it told anything.
    package var status: StationStatus?
    /// What staff have set by hand in its place.
    package var manualStatus: StationStatus?
    /// The texts for statuses that have one.
    package var statusTexts: [StatusText] = []

    package init() {}

    /// What holds: staff's word before the station's.
    package var shownStatus: StationStatus? { manualStatus ?? status }

    /// The text for what holds; `nil` where there is none.
    package var statusText: String? { statusTexts.first { $0.status == shownStatus }?.text }
  }
}
