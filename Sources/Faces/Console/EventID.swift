internal import ScanModel

/// Which event of the station: the epoch, which is another one each time that the console has found the station, and the event's number
/// in it. Written `EPOCH-NUMBER`, such as `5f0c11d29a4e7b36-412`; whoever was told it can go on behind it.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
  /// The epoch.
  package var epoch: UInt64
  /// The number; rises by one with each event of the station.
  package var number: UInt64

  package init(epoch: UInt64, number: UInt64) {
    self.epoch = epoch
    self.number = number
  }

  /// Reads one as `description` writes it; `nil` of everything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 16, (1...20).contains(parts[1].utf8.count),
      parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let epoch = UInt64(parts[0], radix: 16), let number = UInt64(parts[1])
    else { return nil }
    self.init(epoch: epoch, number: number)
  }

  package var description: String { "\(String(epoch, digits: 16, radix: 16))-\(number)" }
}
