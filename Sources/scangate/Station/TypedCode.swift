import ScanModel
import StationProtocol

/// A code that somebody types, or has in a pipe.
enum TypedCode {
  /// The code without blanks around it: an argument, or what is asked for without showing it where that is `-`.
  /// - Throws: an exit that has told why there is none; `refusal` where nobody wanted to give one.
  static func given(_ argument: String, otherwise refusal: String) throws -> Code {
    let limit = StationLimits.maximumCode
    let bytes =
      argument != "-"
      ? [UInt8](argument.utf8)
      : try HiddenInput.given(
        nil, asking: "Type or scan the code and press Enter (it is not shown): ", upTo: limit, otherwise: refusal)
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let trimmed = Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    guard !trimmed.isEmpty else { throw failure("There is no code.", Exit.data) }
    guard bytes.count <= limit, trimmed.count <= limit else { throw failure("That is too long for a code.", Exit.data) }
    guard String(validating: trimmed, as: UTF8.self) != nil else { throw failure("That is no text.", Exit.data) }
    return Code(bytes: trimmed)
  }
}
