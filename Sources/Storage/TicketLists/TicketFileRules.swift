internal import ScanModel

/// What somebody says of a file beside it, where it does not say it itself.
package struct TicketFileRules: Sendable, Equatable {
  /// What columns mean.
  package var columns: [ColumnChoice]
  /// What words of states mean.
  package var states: [StateChoice]
  /// Which comes first in 05/11/2026; `nil` for what the language of the header tells.
  package var dates: DateOrder?
  /// Whether names and addresses of holders are read; a station's list has none.
  package var hasHolders: Bool
  /// Whether names of holders are, for a list that keeps them sealed.
  var keepsDetails = false

  /// Makes rules; without any the file is to be understood by itself.
  package init(
    columns: [ColumnChoice] = [], states: [StateChoice] = [], dates: DateOrder? = nil, hasHolders: Bool = false
  ) {
    self.columns = columns
    self.states = states
    self.dates = dates
    self.hasHolders = hasHolders
  }
}

/// Which comes first in a date with strokes. The raw values are the words on the command line.
package enum DateOrder: String, Sendable, CaseIterable {
  case dayFirst = "day-first"
  case monthFirst = "month-first"
}

/// What a column means: `quantity=Anzahl`.
package struct ColumnChoice: Sendable, Equatable {
  let meaning: TicketColumn
  /// The column's name, as somebody wrote it.
  let name: String

  /// The meanings that there are.
  package static var meanings: [String] { TicketColumn.words }

  /// Reads `quantity=Anzahl`; `nil` where the meaning is none, or no column is named.
  package init?(_ text: String) {
    guard let (meaning, name) = halves(text), let known = TicketColumn.said(meaning.lowercased()),
      !FoldedText.key(name).isEmpty
    else { return nil }
    self.meaning = known
    self.name = name
  }
}

/// What a word of a state means: `valid=Eingebucht`.
package struct StateChoice: Sendable, Equatable {
  let status: ListedTicket.Status
  let key: String

  /// Reads `valid=Eingebucht`; the first half is a state or a word that is known for one.
  package init?(_ text: String) {
    guard let (known, word) = halves(text), let status = StatusWords.status(known) else { return nil }
    key = FoldedText.key(word)
    if key.isEmpty { return nil }
    self.status = status
  }
}

/// What stands before and behind the first `=`.
private func halves(_ text: String) -> (String, String)? {
  guard let sign = text.firstIndex(of: "=") else { return nil }
  return (String(text[..<sign]), String(text[text.index(after: sign)...]))
}
