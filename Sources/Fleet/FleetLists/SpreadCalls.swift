internal import FleetBook
internal import ScanModel
internal import LinuxIO

/// What all who spread something over a fleet ask of its servers: one piece at a time, and then nothing for as long as it took, for claims go
/// first.
struct SpreadCalls: Sendable {
  /// How long a call may take.
  private static let patience = Duration.seconds(5)

  let store: any ListStore
  let clock: @Sendable () -> JournalTime
  /// Nothing is asked for so long between two pieces at least.
  let rest: Duration

  /// When an answer to what is asked now is lost.
  var end: MonotonicTime { clock().monotonic + Self.patience }

  /// What lies where a manifest says that a piece is.
  enum Piece {
    case there([UInt8])
    /// Another one, or none, as while it is given anew; or nobody has answered.
    case another
    /// Not what the station has signed.
    case unproven
  }

  /// - Returns: whether it is there. Where not it is given again with the next look.
  func put(_ value: [UInt8], _ place: ListPlace) async -> Bool {
    let began = clock().monotonic
    do throws(ClaimFault) { try await store.put(place, value, until: end) } catch { return false }
    await pause(since: began)
    return !Task.isCancelled
  }

  func piece(_ place: ListPlace, _ digest: [UInt8], _ seal: ListSeal) async -> Piece {
    let began = clock().monotonic
    var stored: StoredListPart?
    do throws(ClaimFault) { stored = try await store.get(place, until: end) } catch { return .another }
    await pause(since: began)
    guard !Task.isCancelled, let stored else { return .another }
    do throws(ListSeal.Fault) {
      let text = try seal.open(stored.value, in: place)
      return ListManifest.digest(of: text) == digest ? .there(text) : .another
    } catch { return .unproven }
  }

  /// What a station gives under a name, or why its manifest is not believed; `nil` where it gives nothing.
  func offer<Manifest: AgedManifest>(
    of station: StationID, _ name: [UInt8],
    read: @Sendable (_ value: [UInt8], _ place: ListPlace) throws(ListSeal.Fault) -> Manifest
  ) async throws(ClaimFault) -> Result<SpreadOffer<Manifest>, ListSeal.Fault>? {
    let place = ListPlace(station: station, list: name, .manifest)
    guard let stored = try await store.get(place, until: end) else { return nil }
    do throws(ListSeal.Fault) {
      return .success(SpreadOffer(station: station, manifest: try read(stored.value, place), time: stored.time))
    } catch { return .failure(error) }
  }

  private func pause(since began: MonotonicTime) async {
    try? await Task.sleep(for: max(rest, clock().monotonic - began))
  }
}

/// What a manifest says of everything that is given: how old it was when it was written, by the clocks of the station that wrote it.
protocol AgedManifest {
  var age: Duration { get }
}

extension ListManifest: AgedManifest {}
extension KnowledgeManifest: AgedManifest {}

/// What a station gives.
struct SpreadOffer<Manifest: AgedManifest> {
  var station: StationID
  var manifest: Manifest
  /// When the leader took the manifest, by its clock.
  var time: WallTime

  /// How old it is: as old as it was when it was given, and the time since by the servers' own clock.
  func age(at now: WallTime) -> Duration { manifest.age + max(.zero, now - time) }
}

/// What a spreader says: what is wrong once, and again once it was over.
struct ToldOnce {
  /// Words, and whether somebody should look.
  let tell: @Sendable (_ isProblem: Bool, String) -> Void
  /// What was told last, by what it is about.
  private var told: [String: String] = [:]

  init(tell: @escaping @Sendable (_ isProblem: Bool, String) -> Void) { self.tell = tell }

  /// - Parameter problem: what is wrong with the subject; `nil` where nothing is.
  mutating func say(_ subject: String, _ problem: String?) {
    guard let problem else {
      told[subject] = nil
      return
    }
    if told.updateValue(problem, forKey: subject) != problem { tell(true, problem) }
  }

  /// What is offered, where it is believed; else tells why not.
  mutating func told<Manifest>(
    _ offer: Result<SpreadOffer<Manifest>, ListSeal.Fault>?, _ what: String, of system: TicketSystemID,
    from station: StationID
  ) -> SpreadOffer<Manifest>? {
    let subject = "\(system) of \(station)"
    switch offer {
    case nil: return nil
    case .success(let offer):
      say(subject, nil)
      return offer
    case .failure(let fault):
      say(subject, fault.words(what, of: system, from: station))
      return nil
    }
  }

  /// - Parameter what: such as `list`.
  static func unprovenPiece(_ what: String, of system: TicketSystemID, from station: StationID) -> String {
    "A piece of the \(what) of \(system) that the station \(station) gives is not what it has signed: the list is not taken."
  }
}

extension ListSeal.Fault {
  /// Why what a station gives is not taken, and what to do.
  /// - Parameter what: such as `list`.
  func words(_ what: String, of system: TicketSystemID, from station: StationID) -> String {
    switch self {
    case .laterVersion:
      "The \(what) of \(system) that the station \(station) gives is of a later version: it is not taken. Update scangate here."
    case .unproven:
      "What is given as the \(what) of \(system) of the station \(station) is not what that station has signed: it is not taken. Who can write to the fleet's servers?"
    case .garbage(let words):
      "The \(what) of \(system) that the station \(station) gives cannot be read (\(words)): it is not taken."
    }
  }
}
