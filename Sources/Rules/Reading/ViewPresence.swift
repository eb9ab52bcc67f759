package import ScanModel

/// Makes presentations of what a camera sees: a code is read once however long it is held into the view, and anew when it
/// has been out of it.
///
/// ```
///             sights that agree             told `inView` now and then
///   (unseen) ───▶ candidate ───▶ held: read ──────────────┐
///      ▲              │           │  ▲                    │
///      │  not seen    │           │  └────────────────────┘
///      │  for `leaves`│           │ not seen for `leaves`
///      └──────────────┴───────────┴──▶ told `left`
/// ```
/// Only time in which pictures were looked at counts as not seen: a camera or decoder that pauses has not seen that nobody is
/// there. A code is known by its text: one text in two kinds of code is one code.
///
/// Of several codes that come together, the one nearest to the centre is read and the others wait until it has left. A code
/// that comes later than that (a ticket in front of a poster) is read when it is the nearest.
package struct ViewPresence: Sendable {
  /// What to do with several codes at once.
  package enum Several: String, Sendable, CaseIterable {
    /// Read the one nearest to the centre of the picture.
    case nearest
    /// Read none of them.
    case refuse
  }

  /// How presentations are told apart.
  package struct Settings: Sendable, Equatable {
    /// How long a code must be out of view before it counts as shown anew.
    package var leaves: Duration
    /// What is done with several codes at once.
    package var several: Several
    /// How many looks must agree on kinds of code that have no strong check, before one is believed. 1 or more.
    package var agree: Int

    package init(leaves: Duration = .seconds(1), several: Several = .nearest, agree: Int = 2) {
      self.leaves = leaves
      self.several = several
      self.agree = agree
    }
  }

  private struct Entry {
    var kind: Symbology
    var identifier: AIMIdentifier?
    /// Order of appearance, for what came in one picture.
    var order: UInt64
    var firstSeen: MonotonicTime
    var lastSeen: MonotonicTime
    /// Time looked at without it, since it was last seen.
    var unseen = Duration.zero
    /// Pictures that were looked at and had it.
    var looks = 0
    /// Pictures that had it, those that were not looked at again included.
    var sights = 0
    /// When the gate last heard of it; `nil` for a candidate.
    var toldAt: MonotonicTime?
    /// Whether the gate was told its text; too long a text is held, and never told.
    var isTold = false
    /// Held codes that it came together with.
    var companions: Set<String> = []
  }

  private let reader: ReaderID
  private let settings: Settings
  private var entries: [String: Entry] = [:]
  private var lastLook: MonotonicTime?
  private var nextOrder: UInt64 = 0
  /// When as many codes as may come at once may come again; at most so many times `pace` away.
  private var restedAt: MonotonicTime?
  /// Time looked at since several codes were last seen at once; `nil` where that is over.
  private var crowd: Duration?

  /// The longest text in characters that a gate takes.
  package static let maximumCharacters = WedgeFraming.maximumCharacters
  /// How often a gate is told that a code is still in view: well within the shortest hold-off.
  static let refresh = Duration.milliseconds(200)
  /// What a pause between two pictures counts for at most.
  static let longestStep = Duration.milliseconds(500)
  /// After this time a picture that does not change is believed as much as one that was looked at again.
  static let patience = Duration.milliseconds(500)
  /// The time between two codes at least, in the long run: people need longer, and a screen that flashes invented codes would use
  /// up what the ticket system may be asked. A few may follow one another at once.
  static let pace = Duration.milliseconds(500)
  static let mostAtOnce = 3
  /// How many codes are remembered: some pictures full of them.
  static let capacity = 256

  package init(reader: ReaderID, settings: Settings = Settings()) {
    self.reader = reader
    self.settings = settings
  }

  /// How many codes are remembered.
  package var count: Int { entries.count }

  /// Takes what was read in one picture.
  /// - Parameters:
  ///   - reading: what was read.
  ///   - width: of the picture, in pixels.
  ///   - height: of the picture, in pixels.
  ///   - time: when it was taken.
  package mutating func take(_ reading: ViewReading, width: Int, height: Int, at time: MonotonicTime) -> [ReaderEvent] {
    let step = max(.zero, min(Self.longestStep, lastLook.map { time - $0 } ?? .zero))
    lastLook = time
    let distances = sight(reading, width: width, height: height, at: time)
    var events = forget(unseen: distances, after: step)
    events += refresh(distances.keys, at: time)
    if settings.several == .refuse {
      if let event = watchCrowd(distances, after: step, at: time) { events.append(event) }
      if crowd != nil { return events }
    }
    if let text = choose(distances, at: time) { events.append(read(text, at: time)) }
    join(distances.keys)
    return events
  }

  // MARK: What is in the picture

  /// Notes what is seen; answers the square of each one's distance from the centre.
  private mutating func sight(
    _ reading: ViewReading, width: Int, height: Int, at time: MonotonicTime
  ) -> [String: Double] {
    var distances: [String: Double] = [:]
    for symbol in reading.symbols where !symbol.text.isEmpty {
      let distance = Self.distance(symbol.points, width: width, height: height)
      let isFirst = distances[symbol.text] == nil
      if entries[symbol.text] == nil {
        guard entries.count < Self.capacity else { continue }
        entries[symbol.text] = Entry(
          kind: symbol.symbology, identifier: symbol.identifier, order: nextOrder, firstSeen: time, lastSeen: time)
        nextOrder &+= 1
      }
      distances[symbol.text] = min(distance, distances[symbol.text] ?? .infinity)
      // The same code twice in one picture is one look.
      guard isFirst else { continue }
      entries[symbol.text]?.lastSeen = time
      entries[symbol.text]?.unseen = .zero
      entries[symbol.text]?.sights += 1
      if !reading.isStill { entries[symbol.text]?.looks += 1 }
    }
    return distances
  }

  private static func distance(_ points: [ViewPoint], width: Int, height: Int) -> Double {
    guard !points.isEmpty else { return .greatestFiniteMagnitude }
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + Double($1.x) } / count - Double(width) / 2
    let y = points.reduce(0) { $0 + Double($1.y) } / count - Double(height) / 2
    let square = x * x + y * y
    return square.isFinite ? square : .greatestFiniteMagnitude
  }

  private mutating func forget(unseen distances: [String: Double], after step: Duration) -> [ReaderEvent] {
    var events: [(UInt64, ReaderEvent)] = []
    for (text, entry) in entries where distances[text] == nil {
      entries[text]?.unseen += step
      guard entry.unseen + step >= settings.leaves else { continue }
      entries[text] = nil
      if entry.isTold { events.append((entry.order, .left(rawRead(text, entry, at: entry.lastSeen)))) }
    }
    return events.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private mutating func refresh(_ seen: some Sequence<String>, at time: MonotonicTime) -> [ReaderEvent] {
    var events: [ReaderEvent] = []
    for text in seen {
      guard let entry = entries[text], let toldAt = entry.toldAt, time - toldAt >= Self.refresh else { continue }
      entries[text]?.toldAt = time
      if entry.isTold { events.append(.inView(rawRead(text, entry, at: time))) }
    }
    return events
  }

  // MARK: Which one is read

  private func isBelieved(_ entry: Entry, at time: MonotonicTime, least: Int = 1) -> Bool {
    let needed = max(least, entry.kind.isWeak ? settings.agree : 1)
    return entry.looks >= needed || entry.sights >= needed && time - entry.firstSeen >= Self.patience
  }

  private mutating func watchCrowd(
    _ distances: [String: Double], after step: Duration, at time: MonotonicTime
  ) -> ReaderEvent? {
    let believed = distances.keys.filter { text in entries[text].map { isBelieved($0, at: time) } ?? false }
    if believed.count > 1 {
      let isNew = crowd == nil
      crowd = .zero
      guard isNew else { return nil }
      let characters = believed.reduce(0) { $0 + $1.unicodeScalars.count }
      return .discarded(reader: reader, reason: .several, characters: characters, at: time)
    }
    if let quiet = crowd { crowd = quiet + step >= settings.leaves ? nil : quiet + step }
    return nil
  }

  private func choose(_ distances: [String: Double], at time: MonotonicTime) -> String? {
    // Who is still in view when it may go on is read then.
    if let restedAt {
      let wait = restedAt - time
      // Longer than it can be: a clock that ran backwards keeps nobody waiting.
      if wait > Self.pace * (Self.mostAtOnce - 1), wait <= Self.pace * Self.mostAtOnce { return nil }
    }
    // Where one is to be shown at a time, a first look alone cannot tell that it is one.
    let least = settings.several == .refuse ? 2 : 1
    var best: (text: String, distance: Double, order: UInt64)?
    for (text, distance) in distances {
      guard let entry = entries[text], entry.toldAt == nil, isBelieved(entry, at: time, least: least) else { continue }
      guard !entry.companions.contains(where: { entries[$0]?.toldAt != nil }) else { continue }
      if let best, (best.distance, best.order) < (distance, entry.order) { continue }
      best = (text, distance, entry.order)
    }
    guard let best else { return nil }
    let isBehindHeld = distances.contains { entries[$0.key]?.toldAt != nil && $0.value <= best.distance }
    return isBehindHeld ? nil : best.text
  }

  /// Who is seen with a held code, and came when it came, belongs to it.
  private mutating func join(_ seen: some Collection<String>) {
    guard seen.count > 1 else { return }
    let held = seen.filter { entries[$0]?.toldAt != nil }
    for text in seen {
      guard let entry = entries[text], entry.toldAt == nil else { continue }
      for other in held {
        guard let first = entries[other]?.firstSeen, entry.firstSeen - first < settings.leaves else { continue }
        entries[text]?.companions.insert(other)
      }
    }
  }

  private mutating func read(_ text: String, at time: MonotonicTime) -> ReaderEvent {
    let characters = text.unicodeScalars.count
    restedAt = min(max(restedAt ?? time, time), time + Self.pace * (Self.mostAtOnce - 1)) + Self.pace
    entries[text]?.toldAt = time
    entries[text]?.isTold = characters <= Self.maximumCharacters
    guard let entry = entries[text], entry.isTold else {
      return .discarded(reader: reader, reason: .tooLong, characters: characters, at: time)
    }
    return .read(rawRead(text, entry, at: time))
  }

  private func rawRead(_ text: String, _ entry: Entry, at time: MonotonicTime) -> RawRead {
    RawRead(reader: reader, bytes: Array(text.utf8), symbology: entry.identifier, readAt: time)
  }
}

extension Symbology {
  /// Whether a picture without such a code is now and then read as one: the kind has no check character, or a weak one.
  package var isWeak: Bool {
    switch self {
    case .itf, .codabar, .code39, .dataBar, .dataBarExpanded: true
    case .qr, .ean13, .ean8, .upcA, .upcE, .code128, .code93: false
    }
  }
}
