public import ScanModel

/// Why a station was not enrolled.
public struct EnrolmentFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// What the person at the scanner is shown.
  public var refusal: SetUpRefusal
  /// What happened, to which host, and what to do; without secrets, cleaned of what steers terminals.
  public var detail: String
  /// Whether the code may be used up although nothing was given for it. The same station may ask again with it.
  public var mayBeUsed: Bool

  /// Makes a fault.
  public init(_ refusal: SetUpRefusal, _ detail: String, mayBeUsed: Bool = false) {
    self.refusal = refusal
    self.detail = detail
    self.mayBeUsed = mayBeUsed
  }

  public var description: String { detail }
}
