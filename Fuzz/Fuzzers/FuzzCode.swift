import ScanModel
import Reading

private func matches(_ pattern: String, _ text: String) -> Bool? {
  do throws(PatternError) { return try CodePattern(pattern).matches(text) } catch {
    property(
      (1...pattern.unicodeScalars.count + 1).contains(error.column), "an error of a pattern is at one of its characters"
    )
    property(!error.what.isEmpty, "an error of a pattern says what is wrong")
    return nil
  }
}

/// Raw bytes → normaliser → accept filter with a pattern.
///
/// The input: a byte that chooses the alphabet, one for the length of the pattern, the pattern, the raw bytes.
func fuzzCode(_ input: inout FuzzInput) {
  let alphabet = input.choice(CodeAlphabet.allCases)
  let pattern = String(decoding: input.bytes(Int(input.byte() & 0x3F)), as: UTF8.self)
  let raw = input.remainder()

  guard let code = Normaliser.normalise(raw) else {
    // What is no code is not UTF-8, or nothing but what is trimmed.
    if let text = String(validating: raw, as: UTF8.self) {
      property(
        text.unicodeScalars.allSatisfy { !(0x21...0x7E).contains($0.value) && $0.value != 0x1D },
        "what can be shown is a code"
      )
    }
    return
  }
  property(!code.bytes.isEmpty, "a code is not empty")
  property(String(validating: code.bytes, as: UTF8.self) != nil, "a code is UTF-8")
  property(Normaliser.normalise(code.bytes) == code, "normalising twice changes nothing")
  property(Normaliser.normalise([0x20, 0x0D] + code.bytes + [0x0A]) == code, "framing of white space changes nothing")
  property(
    raw.indices.contains { raw[$0...].starts(with: code.bytes) }, "a code is a part of what was read, as it is")

  let shown = code.shortened.unicodeScalars
  property(shown.count <= 5 && shown.count - 1 <= code.text.unicodeScalars.count / 2, "it is shown in part")
  property(shown.allSatisfy { (0x21...0x7E).contains($0.value) || $0 == "…" || $0 == "·" }, "what is shown is plain")

  let scalars = code.text.unicodeScalars
  let plain = AcceptFilter(length: 2...40, alphabet: alphabet)
  if plain.accepts(code) {
    property((2...40).contains(scalars.count), "a code that passes has a length that passes")
    property(scalars.allSatisfy { alphabet.contains($0) }, "a code that passes has characters that pass")
    property(
      scalars.allSatisfy { $0.value == 0x1D || $0.properties.generalCategory != .control }, "nothing that steers passes"
    )
  } else if case .alphabet(let offset) = plain.rejection(of: code) {
    property(!alphabet.contains(scalars[scalars.index(scalars.startIndex, offsetBy: offset)]), "it is the one at fault")
  }

  // The repeats of a pattern may be many: bounded here, so that the engine spends its time on new ones.
  guard let match = matches(pattern, code.text), scalars.count <= 256 else { return }
  property(matches("(\(pattern))", code.text) ?? match == match, "a group changes nothing")
  property(matches("(\(pattern)){1}", code.text) ?? match == match, "once is once")
  property(matches("\(pattern)|\(pattern)", code.text) ?? match == match, "an alternative to itself changes nothing")
  if match {
    property(matches("(\(pattern))*", code.text) ?? true, "what matches once matches any number of times")
    property(matches("(\(pattern))?", code.text) ?? true, "what matches once matches at most once")
    property(matches(".*", code.text) == true, "any characters are what matches")
  }
}
