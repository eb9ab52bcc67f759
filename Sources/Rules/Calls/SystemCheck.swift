package import ScanModel

/// When a ticket system is asked whether it would decide a scan, by a request that redeems nothing, and what that found. Pure:
/// time is an argument.
///
///     begin ─▶ being asked ──answers──▶ proven ──a scan meets a fault──▶ faulty
///                   │ └──a fault──▶ faulty ──asked again: answers, or a scan is decided──▶ proven
///                   └──nothing can be told, or offline──▶ open ──asked again──▶ …
///
/// It is asked again at growing intervals. From the third on they are longer than 60 s: servers that count until a pause of 60 s
/// would never see one. A refused key is asked with more seldom still: ten refusals with no 15 min between them block it, and
/// `AuthenticationGuard` stops at five, which people at gates need to find out that it was mended.
package struct SystemCheck: Sendable, Equatable {
  /// Why nobody can be admitted.
  package struct Fault: Sendable, Equatable {
    /// The reason.
    package var reason: UndecidedReason
    /// What happened, to which host, and what to do.
    package var detail: String

    package init(_ reason: UndecidedReason, _ detail: String) {
      self.reason = reason
      self.detail = detail
    }
  }

  /// How long it is waited before it is asked again; the last one stays. Never empty.
  package struct Waits: Sendable, Equatable {
    /// While our key may not scan.
    package var key: [Duration]
    /// Otherwise.
    package var other: [Duration]
    /// Between two questions that scans gave reason for, at least.
    package var spacing: Duration

    package init(
      key: [Duration] = [.seconds(60), .seconds(300), .seconds(900)],
      other: [Duration] = [.seconds(5), .seconds(20), .seconds(65), .seconds(130), .seconds(300)],
      spacing: Duration = .seconds(65)
    ) {
      self.key = key
      self.other = other
      self.spacing = spacing
    }
  }

  /// What was found to be wrong; `nil` where nothing is, as far as is known.
  package private(set) var fault: Fault?
  /// Why that cannot be told although it answers; `nil` where it can, or where it was not asked.
  package private(set) var doubt: String?
  /// Whether the first word since the beginning is still out.
  package private(set) var isBeingAsked = false
  /// When it is to be asked; `nil` while there is no reason to.
  package private(set) var nextProbe: MonotonicTime?

  private let waits: Waits
  private var tries = 0
  /// Gates whose own parameters may be at fault: what is decided at another does not spare the question.
  private var doubted: Set<GateID> = []
  private var lastProbe: MonotonicTime?

  /// Makes the check of a system of which nothing is known, and that nobody asks.
  package init(waits: Waits = Waits()) { self.waits = waits }

  /// Begins anew, at a start or a reload: what was found before may be mended.
  package mutating func begin(at time: MonotonicTime) {
    fault = nil
    doubt = nil
    doubted = []
    isBeingAsked = true
    nextProbe = time
    tries = 0
  }

  /// Takes what a probe has found.
  package mutating func take(_ found: Reach, at time: MonotonicTime) {
    let isSlow = found == .offline(.timeOut) || found == .offline(.gatewayFault)
    // One answer that is slow is no word yet, as for `ServerReach`.
    if !(isBeingAsked && isSlow && tries == 0) { isBeingAsked = false }
    lastProbe = time
    if found != .unknown { doubt = nil }
    switch found {
    case .answers:
      doubted = []
      return prove()
    case .fault(let reason, let detail):
      // That nothing is sent for a while, and for how long still, is no news.
      if !(reason.isOfKey && fault?.reason == reason) { fault = Fault(reason, detail) }
    case .offline:
      // The gate's policy decides, except on a key that may not scan.
      if fault?.reason.isOfKey == false { fault = nil }
    case .unclear(let detail): doubt = detail
    case .unknown: break
    }
    nextProbe = time + wait()
    tries += 1
  }

  /// Told that a scan met something of which a probe can tell more: a fault that is the system's or the key's for sure, or
  /// `nil` for one that may be that ticket's, or that gate's, alone.
  package mutating func suspect(_ found: Fault?, by gate: GateID, at time: MonotonicTime) {
    if found == nil { doubted.insert(gate) }
    if let found, !(found.reason.isOfKey && fault?.reason == found.reason) { fault = found }
    guard nextProbe == nil else { return }
    nextProbe = max(time + wait(), lastProbe.map { $0 + waits.spacing } ?? time)
    tries += 1
  }

  /// Told that a scan was decided: nothing is wrong, as far as that gate can tell.
  package mutating func prove(by gate: GateID) {
    doubted.remove(gate)
    prove()
  }

  private mutating func prove() {
    fault = nil
    doubt = nil
    isBeingAsked = false
    if doubted.isEmpty { nextProbe = nil }
    tries = 0
  }

  /// Puts off what is due, without having asked: others find out whether it is offline.
  package mutating func postpone(at time: MonotonicTime) { nextProbe = time + (waits.other.first ?? waits.spacing) }

  private func wait() -> Duration {
    let steps = fault?.reason.isOfKey == true ? waits.key : waits.other
    return steps.isEmpty ? waits.spacing : steps[min(tries, steps.count - 1)]
  }
}
