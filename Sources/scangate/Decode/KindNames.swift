import ScanModel

/// Kinds of codes as people write them.
enum KindNames {
  /// The kinds of a list with commas, such as `qr,EAN-13`; white space, hyphens and case do not matter.
  /// - Returns: the kinds, or the first word that names none.
  static func parse(_ list: String) -> Result<SymbologySet, Unknown> {
    var kinds: SymbologySet = []
    for word in list.split(separator: ",") {
      guard let named = names[key(word)] else {
        return .failure(Unknown(word: String(word)))
      }
      kinds.formUnion(named)
    }
    return kinds.isEmpty ? .failure(Unknown(word: list)) : .success(kinds)
  }

  /// A word that names no kind.
  struct Unknown: Error { var word: String }

  /// What can be written, for people.
  static let words = (Symbology.allCases.map(\.rawValue) + ["linear", "all"]).joined(separator: ", ")

  private static func key(_ word: some StringProtocol) -> String {
    String(word.lowercased().unicodeScalars.filter { ("a"..."z").contains($0) || ("0"..."9").contains($0) })
  }

  private static let names: [String: SymbologySet] = {
    var names: [String: SymbologySet] = [
      "all": .all, "linear": .linear, "1d": .linear, "barcode": .linear,
      "ean": SymbologySet([Symbology.ean13, .ean8]), "upc": SymbologySet([Symbology.upcA, .upcE]),
    ]
    let others: [Symbology: [String]] = [
      .qr: ["qrcode"], .code128: ["c128", "gs1128", "ean128"], .code39: ["c39"], .code93: ["c93"],
      .itf: ["i25", "itf14", "2of5", "interleaved2of5"], .codabar: ["nw7"],
      .dataBar: ["gs1databar", "rss14", "databaromnidirectional"],
      .dataBarExpanded: ["databarexp", "gs1databarexpanded", "rssexpanded"],
    ]
    for kind in Symbology.allCases {
      for word in [kind.rawValue] + (others[kind] ?? []) { names[key(word)] = SymbologySet([kind]) }
    }
    return names
  }()
}
