/// Text of a server, made fit for staff to read: nothing in it can steer a terminal or fill a screen, and nothing in it
/// shows what is secret.
package enum StaffText {
  /// The longest text that is passed on, in Unicode scalars; an ellipsis marks what was cut.
  package static let longest = 200

  /// How far into a text is looked, in bytes; bounds the work where most of the text is hidden.
  private static let farthest = 4_096

  /// `text` without control, format, private and invisible characters, with runs of blanks as one, with the secrets
  /// hidden, cut to `longest`.
  ///
  /// In this order: a character that is dropped could stand in the middle of a secret, and the cut could leave its
  /// first part.
  /// - Returns: `nil` if nothing readable is left.
  package static func clean(_ text: String, hiding secrets: [Redaction] = []) -> String? {
    let bytes = [UInt8](readable(text).utf8)
    var shown: [UInt8] = []
    // A stack of marks on one letter is one character, and can still be endless: count scalars, not characters.
    var count = 0
    var position = 0
    while position < bytes.count, position < farthest, count <= longest {
      if let found = Redaction.longest(of: secrets, in: bytes, at: position, before: farthest) {
        shown += found.mark.utf8
        count += found.mark.unicodeScalars.count
        position = found.end
      } else {
        shown.append(bytes[position])
        if !UTF8.isContinuation(bytes[position]) { count += 1 }
        position += 1
      }
    }
    guard count > longest || position < bytes.count else {
      return shown.isEmpty ? nil : String(decoding: shown, as: UTF8.self)
    }
    var cut = String.UnicodeScalarView(String(decoding: shown, as: UTF8.self).unicodeScalars.prefix(longest - 1))
    cut.append("…")
    return String(cut)
  }

  /// `text` as it is but for the secrets, whole: for what escapes the rest itself.
  package static func hidden(_ text: String, _ secrets: [Redaction]) -> String {
    guard !secrets.isEmpty else { return text }
    let bytes = [UInt8](text.utf8)
    var shown: [UInt8] = []
    shown.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      if let found = Redaction.longest(of: secrets, in: bytes, at: position, before: bytes.count) {
        shown += found.mark.utf8
        position = found.end
      } else {
        shown.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// `text` with its visible characters only, and one blank for each run of blanks and control characters between them.
  static func readable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var isBlankDue = false
    for scalar in text.unicodeScalars {
      // What is printable ASCII need not be looked up.
      if (0x21...0x7E).contains(scalar.value) {
        if isBlankDue { scalars.append(" ") }
        isBlankDue = false
        scalars.append(scalar)
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: isBlankDue = !scalars.isEmpty
      // Direction marks and their like can make a text read as another one.
      case .format, .privateUse, .surrogate, .unassigned: break
      // Letters and marks that show nothing.
      case _ where scalar.properties.isDefaultIgnorableCodePoint: break
      default:
        if isBlankDue {
          scalars.append(" ")
          isBlankDue = false
        }
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
