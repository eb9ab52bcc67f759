package import ScanModel

/// Why a station was not enrolled.
package struct EnrolmentFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What the person at the scanner is shown.
  package var refusal: SetUpRefusal
  /// What happened, to which host, and what to do; without secrets, cleaned of what steers terminals.
  package var detail: String
  /// Whether the code may be used up although nothing was given for it. The same station may ask again with it.
  package var mayBeUsed: Bool

  /// Makes a fault.
  package init(_ refusal: SetUpRefusal, _ detail: String, mayBeUsed: Bool = false) {
    self.refusal = refusal
    self.detail = detail
    self.mayBeUsed = mayBeUsed
  }

  package var description: String { detail }
}
