/// Text of a server, made fit for staff to read: nothing in it can steer a terminal or fill a screen.
public enum StaffText {
  /// The longest text that is passed on, in characters; an ellipsis marks what was cut.
  public static let longest = 200

  /// `text` without control, format and private characters, with runs of blanks as one, cut to `longest`.
  /// - Returns: `nil` if nothing readable is left.
  public static func clean(_ text: String) -> String? {
    var scalars = String.UnicodeScalarView()
    var isBlankDue = false
    var count = 0
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: isBlankDue = !scalars.isEmpty
      // Direction marks and their like can make a text read as another one.
      case .format, .privateUse, .surrogate, .unassigned: break
      default:
        // A stack of marks on one letter is one character, and can still be endless: count scalars, not characters.
        if count >= longest - 1 {
          scalars.append("…")
          return String(scalars)
        }
        if isBlankDue {
          scalars.append(" ")
          count += 1
          isBlankDue = false
        }
        scalars.append(scalar)
        count += 1
      }
    }
    return scalars.isEmpty ? nil : String(scalars)
  }
}
