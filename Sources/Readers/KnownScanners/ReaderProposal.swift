extension ScannerCandidate.Kind {
  /// The technology of a reader that reads it.
  fileprivate var readerType: String {
    switch self {
    case .serial: "serial"
    case .camera: "camera"
    case .wedge, .hidPOS: "wedge"
    }
  }
}

/// The configuration of a reader for a device that is plugged in, to be pasted.
package struct ReaderProposal: Hashable, Sendable {
  /// The device.
  package var candidate: ScannerCandidate
  /// The reader's name; unlike that of any other proposal, and of the readers that are there.
  package var reader: String
  /// The fields of `match`, in order; as narrow as the device allows.
  package var match: [Field]

  /// A field of `match`.
  package struct Field: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its value, without quotation marks.
    package var value: String
  }

  /// Proposes readers: one for each device, however many nodes it has. HID point-of-sale scanners get none.
  /// - Parameters:
  ///   - candidates: what is plugged in and belongs to no reader.
  ///   - present: everything that is plugged in; what two have alike does not tell them apart.
  ///   - taken: names of readers that the configuration has.
  package static func proposals(
    for candidates: [ScannerCandidate], among present: [ScannerCandidate], taken: Set<String> = []
  ) -> [ReaderProposal] {
    var names = taken
    var seen: Set<String> = []
    var proposals: [ReaderProposal] = []
    for candidate in candidates where candidate.kind != .hidPOS && seen.insert(candidate.physicalPath).inserted {
      guard let match = match(candidate, among: present) else { continue }
      let name = freeName(candidate, names)
      names.insert(name)
      proposals.append(ReaderProposal(candidate: candidate, reader: name, match: match))
    }
    return proposals
  }

  /// Whether keyboards or other gadgets have the same id.
  package var isShared: Bool { candidate.model?.isShared == true }

  /// The block, indented to stand under `readers:`; ends with a line feed.
  package var yaml: String {
    var lines = ["  \(reader):"]
    lines.append("    type: \(candidate.kind.readerType)")
    let fields = match.map { "\($0.key): \(Self.quoted($0.value))" }.joined(separator: ", ")
    lines.append("    match: { \(fields) }")
    if candidate.kind == .wedge {
      lines.append("    # keymap: de  # the layout that the scanner types in; us if left out")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Several blocks under `readers:`.
  package static func yaml(_ proposals: [ReaderProposal]) -> String {
    "readers:\n" + proposals.map(\.yaml).joined()
  }

  /// In double quotes: a serial number such as 0012 or 1e5 stays text, and nothing in it ends the value.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
          quoted += escape(scalar)
        default: quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return quoted + "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    func hex(_ width: Int) -> String {
      let digits = String(scalar.value, radix: 16)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return scalar.value < 0x100 ? "\\x" + hex(2) : scalar.value < 0x10000 ? "\\u" + hex(4) : "\\U" + hex(8)
  }

  // MARK: How narrow, and called what

  /// Ids, then the serial number where it tells the device from the others, else the port where one is alike. A shared id
  /// without a serial number always gets the port: anything could be plugged in with it.
  private static func match(_ candidate: ScannerCandidate, among present: [ScannerCandidate]) -> [Field]? {
    var fields: [Field] = []
    if let vendor = candidate.vendor { fields.append(Field(key: "vendor", value: hex(vendor))) }
    if let product = candidate.product { fields.append(Field(key: "product", value: hex(product))) }
    let alike = present.filter {
      $0.physicalPath != candidate.physicalPath && $0.vendor == candidate.vendor && $0.product == candidate.product
    }
    if let serial = candidate.serial, isUsable(serial), !alike.contains(where: { $0.serial == serial }) {
      fields.append(Field(key: "serial", value: serial))
    } else if let port = candidate.port, !alike.isEmpty || candidate.model?.isShared == true || fields.isEmpty {
      fields.append(Field(key: "port", value: port))
    } else if fields.isEmpty, let name = candidate.name, !name.isEmpty {
      fields.append(Field(key: "name", value: name))
    }
    return fields.isEmpty ? nil : fields
  }

  /// Many cheap scanners have one serial number for all of their kind.
  private static func isUsable(_ serial: String) -> Bool {
    let count = serial.unicodeScalars.count
    guard (1...128).contains(count), serial.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else {
      return false
    }
    return Set(serial).subtracting("0-. ").isEmpty == false
  }

  private static func hex(_ value: UInt16) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func freeName(_ candidate: ScannerCandidate, _ taken: Set<String>) -> String {
    var base = ""
    // Where an id stands for several models, the first is name enough.
    let title = candidate.title.split(separator: "/").first.map(String.init) ?? candidate.title
    for character in title.lowercased().unicodeScalars {
      let isWord = ("a"..."z").contains(character) || ("0"..."9").contains(character)
      if isWord {
        base.unicodeScalars.append(character)
      } else if !base.isEmpty, base.last != "-" {
        base += "-"
      }
      if base.utf8.count == 26 { break }
    }
    while base.last == "-" { base.removeLast() }
    if base.isEmpty { base = "scanner" }
    var name = base
    var number = 2
    while taken.contains(name) {
      name = "\(base)-\(number)"
      number += 1
    }
    return name
  }
}
