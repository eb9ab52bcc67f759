package import ScanModel
package import WireCoding

/// What whoever administers a fleet says to all its stations at once: that they are in maintenance, or no more. Nothing else can be said
/// so, and nothing of it opens a gate.
package struct FleetOrder: Hashable, Sendable {
  /// What a name and a reason have at most, in bytes.
  package static let longestName = 64
  package static let longestReason = 240

  /// Greater than that of each earlier one: of two the greater holds.
  package var number: UInt64
  /// Whether the fleet's stations are in maintenance by it.
  package var isMaintenance: Bool
  /// Who says so, and why, in their own words; the second may be empty where it ends.
  package var who: String
  package var why: String
  /// When, by the clock of whoever says it. Nothing is decided by that.
  package var at: WallTime

  package init(number: UInt64, isMaintenance: Bool, who: String, why: String, at: WallTime) {
    self.number = number
    self.isMaintenance = isMaintenance
    self.who = who
    self.why = why
    self.at = at
  }

  /// The number of one that follows another: the time, so that it is greater also where nobody knows of the other, and never one that was.
  /// - Parameter earlier: the number of the last one that is known of; `nil` of none.
  /// - Returns: `nil` after the greatest.
  package static func number(after earlier: UInt64?, at now: WallTime) -> UInt64? {
    let time = UInt64(clamping: now.nanoseconds)
    guard let earlier else { return time }
    guard earlier < .max else { return nil }
    return max(time, earlier + 1)
  }

  /// Why it cannot be said, for whoever asked for it; `nil` where it can.
  package var flaw: String? {
    guard who.contains(where: { $0 != " " }) else { return "who says so is missing" }
    guard Self.isWords(who, Self.longestName) else {
      return "who says so has at most \(Self.longestName) bytes, and no character that a screen does not show"
    }
    guard Self.isWords(why, Self.longestReason) else {
      return "why has at most \(Self.longestReason) bytes, and no character that a screen does not show"
    }
    return !isMaintenance || why.contains { $0 != " " } ? nil : "why is missing"
  }

  private static func isWords(_ text: String, _ longest: Int) -> Bool {
    text.utf8.count <= longest && text.unicodeScalars.allSatisfy(TerminalText.isHarmless)
  }

  /// What is said of it, for staff.
  package var words: String {
    let reason = why.isEmpty ? "." : ": \(why)"
    let time = at.iso8601Seconds
    return isMaintenance
      ? "The whole fleet is in maintenance, by \(who) since \(time)\(reason)"
      : "The fleet's maintenance was ended by \(who) at \(time)\(reason)"
  }

  // MARK: As bytes

  /// Puts it into what is signed, or into a station's journal.
  package func put(into writer: inout WireWriter) {
    writer.put(number)
    writer.put(isMaintenance)
    writer.put(who)
    writer.put(why)
    writer.put(at.nanoseconds)
  }

  /// Takes it from there: nothing that could not be said.
  package init(_ reader: inout WireReader) throws(WireError) {
    self.init(
      number: try reader.take(), isMaintenance: try reader.takeFlag(),
      who: try reader.takeText(limit: Self.longestName), why: try reader.takeText(limit: Self.longestReason),
      at: WallTime(nanoseconds: try reader.take()))
    if let flaw { throw WireError(flaw) }
  }
}
