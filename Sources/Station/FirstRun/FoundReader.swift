package import KnownScanners
internal import ScanModel

/// A reader that the station may get.
package struct FoundReader: Sendable, Equatable {
  /// Its technology; the raw values are the words of the file.
  package enum Kind: String, Sendable, CaseIterable {
    case wedge, serial, camera
  }

  /// Its technology.
  package var kind: Kind
  /// The device's node, such as `/dev/input/event5`.
  package var node: String
  /// What it is called, for people; clean.
  package var title: String
  /// Its name in the file.
  package var name: String
  /// What `match` holds in the file.
  package var match: String

  package init(kind: Kind, node: String, title: String, name: String, match: String) {
    self.kind = kind
    self.node = node
    self.title = title
    self.name = name
    self.match = match
  }

  /// The reader that is proposed for a device.
  package init(_ proposal: ReaderProposal) {
    switch proposal.candidate.kind {
    case .serial: kind = .serial
    case .camera: kind = .camera
    case .wedge, .hidPOS: kind = .wedge
    }
    node = proposal.candidate.node
    title = TerminalText.clean(proposal.candidate.title)
    name = proposal.reader
    match = proposal.match.map { "\($0.key): \(ReaderProposal.quoted($0.value))" }.joined(separator: ", ")
  }

  /// A serial line of which nothing but its path is known.
  package init(line path: String) {
    kind = .serial
    node = path
    title = TerminalText.clean(path)
    name = "scanner"
    match = "path: \(ReaderProposal.quoted(path))"
  }
}
