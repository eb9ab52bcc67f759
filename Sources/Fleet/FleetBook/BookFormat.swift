/// In which bytes the claims of an event's book are written.
///
/// A book has one from its making to its end, and stations of all versions that know it read and write the same. So the bytes of a format never
/// change: whatever is new in a claim is a new format, and what is new beside claims has keys of its own, which nobody minds who does not know them.
package enum BookFormat: UInt8, CaseIterable, Comparable, Sendable {
  case first = 1

  /// The one that books are made in.
  package static let newest = Self.first

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
