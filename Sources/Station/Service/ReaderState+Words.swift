package import ScanModel

extension ReaderState {
  /// What staff read after "the reader is"; the detail follows, where there is one.
  package var spoken: String {
    switch self {
    case .parked: "not plugged in"
    case .waiting: "waiting for"
    case .reading: "reading:"
    case .failed: "out of order:"
    }
  }
}
