import CMockDevices
import Foundation
import Glibc
import Testing

/// A scanner on a pseudo-terminal.
final class PseudoScanner {
  private let descriptor: Int32

  /// - Parameter link: where its line is found.
  init(at link: String) throws {
    descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    var name = [CChar](repeating: 0, count: 64)
    // A line that nobody reads is full one day, and holds up nobody.
    try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && grantpt(descriptor) == 0 && unlockpt(descriptor) == 0)
    try #require(ptsname_r(descriptor, &name, name.count) == 0)
    let node = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: node)
  }

  deinit { close(descriptor) }

  /// Shows a code, whoever reads it.
  func show(_ code: String) {
    let line = Array((code + "\r").utf8)
    _ = write(descriptor, line, line.count)
  }

  /// Presents a code, and returns what became of it.
  func present(_ code: String, to station: Station) async -> [String: Any]? {
    while true {
      show(code)
      let told = await station.next { ["scan", "discarded"].contains($0["type"] as? String) }
      // What comes before a line's first silence is thrown away.
      if told?["type"] as? String != "discarded" { return told }
    }
  }
}
