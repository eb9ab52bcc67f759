internal import LinuxIO
internal import ScanModel

/// All that somebody needs who helps from afar, in one text: the report, the configuration, the last log, the machine. Without codes, names,
/// keys and tokens: whatever the station knows of these is taken out, and what would be written is searched for all of it once more.
package struct StationBundle: Sendable {
  /// Why there is none.
  package struct Fault: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// A part of it.
  struct Section: Sendable, Equatable {
    var title: String
    var text: String
  }

  private let bytes: [UInt8]

  /// Puts it together.
  /// - Throws: that a secret would be in it all the same.
  init(_ sections: [Section], at time: WallTime, version: String, without secrets: [KnownSecret]) throws(Fault) {
    let search = SecretSearch(secrets)
    var text =
      "scangate bundle 1, made \(time.iso8601Seconds) by scangate \(version). What the station knows of codes, names, keys and "
      + "tokens is taken out of it; read it before you send it.\n"
    for section in sections {
      text += "\n=== \(section.title)\n\(section.text)"
      if !section.text.hasSuffix("\n") { text += "\n" }
    }
    let bytes = search.removed(from: [UInt8](text.utf8))
    // What was taken out may have joined what stood beside it.
    if let left = search.matches(in: bytes).first {
      throw Fault(description: "A \(left.kind.rawValue) of the station would be in it: nothing was written. Tell us.")
    }
    self.bytes = bytes
  }

  /// Writes it, for whoever asks alone; a file that was there is replaced.
  /// - Throws: why it cannot be written.
  package func write(to path: String) throws(Fault) {
    do throws(SystemError) {
      try SmallFile.replace(path, with: bytes)
    } catch {
      throw Fault(description: "\(path) cannot be written: \(error.words).")
    }
  }

  /// The text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension CheckUp {
  /// How much of the log is looked at: lines, and bytes.
  private static let logLines = 2_000, logBytes = 2 << 20

  /// A bundle with a report.
  /// - Throws: that it cannot be searched for secrets, or that one would be in it.
  package func bundle(_ report: Report, without secrets: StationSecrets) async throws(StationBundle.Fault)
    -> StationBundle
  {
    let (machine, file) = (machine, file)
    let log = await SystemThread.run("journalctl") { Self.log(machine) }
    let configuration = (try? SmallFile.read(file, limit: 1 << 20)).map {
      ConfigurationText.shown(String(decoding: $0, as: UTF8.self), credentials: secrets.credentials)
    }
    let facts = ["/etc/os-release", "/proc/version", "/proc/uptime", "/proc/loadavg", "/proc/device-tree/model"]
      .compactMap {
        name in machine.text(of: name).map { TerminalText.clean("\(name): \($0)", limit: 1_000) + "\n" }
      }
    return try StationBundle(
      [
        .init(title: "report", text: report.lines().joined(separator: "\n")),
        .init(title: "report as JSON", text: report.json),
        .init(title: "configuration \(file)", text: configuration ?? "It cannot be read."),
        .init(title: "machine", text: facts.joined()),
        .init(title: "log", text: log),
      ], at: report.at, version: version, without: secrets.all)
  }

  private static func log(_ machine: Machine) -> String {
    let arguments = [
      "--unit=\(UnitLook.gateway)", "--unit=\(UnitLook.holder)", "--lines=\(logLines)", "--output=short-iso",
      "--no-pager",
      "--quiet",
    ]
    do throws(SystemError) {
      let output = try SystemProgram.output(
        of: machine.path("/usr/bin/journalctl"), arguments, upTo: logBytes, within: .seconds(10))
      return LogText.shown(output.text)
    } catch {
      return "It cannot be read: \(error.words)."
    }
  }
}
