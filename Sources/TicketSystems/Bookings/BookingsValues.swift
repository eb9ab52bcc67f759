internal import LinuxIO
internal import TicketSystemKit

extension ValueKind where Value == String {
  /// What a server calls something: 1 to 128 printable characters without blanks.
  static func identifier(example: String) -> Self {
    text("identifier", example: example, expected: "write 1 to 128 printable ASCII characters without blanks") {
      (1...128).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }

  /// A venue's name in an address.
  static var slug: Self {
    text(
      "name of small letters", example: "hamilton", expected: "write 1 to 64 of a to z, 0 to 9, - and _"
    ) {
      (1...64).contains($0.utf8.count)
        && $0.utf8.allSatisfy { isLetterOrDigit($0) && !(0x41...0x5A).contains($0) || "-_".utf8.contains($0) }
    }
  }

  /// An account's address; the server decides whether it is one.
  static var email: Self {
    text("e-mail address", example: "door@example.org", expected: "write an address such as door@example.org") {
      let parts = $0.split(separator: "@", omittingEmptySubsequences: false)
      return (3...254).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }
  }
}

extension ValueKind where Value == (String, ZoneRules) {
  /// A time zone, by its name.
  static var zone: Self {
    let example = "Europe/London"
    return Self(summary: "IANA time zone", example: example) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      guard let rules = ZoneRules.named(text) else {
        node.refuse(text, "write a zone that this machine knows (package tzdata), such as \(example)", findings)
        return nil
      }
      return (text, rules)
    }
  }
}

extension ValueKind where Value == BookingsSection.Shows {
  /// `tonight`, or ids.
  static var shows: Self {
    let ids = ValueKind<[String]>.list(of: .identifier(example: "8f14e45f"), count: 1...64, noun: "shows")
    let example = "tonight"
    return Self(
      summary: "`tonight`, or \(ids.summary)", example: example,
      show: { shows in
        switch shows {
        case .tonight: example
        case .ids(let ids): "[" + ids.joined(separator: ", ") + "]"
        }
      },
      parse: { node, findings in
        if case .sequence = node.content { return ids.parse(node, findings).map { .ids($0) } }
        guard let text = node.text(like: example, findings) else { return nil }
        guard text == example else {
          node.refuse(text, "write tonight, or a list of ids: \(ids.example)", findings)
          return nil
        }
        return .tonight
      })
  }
}
