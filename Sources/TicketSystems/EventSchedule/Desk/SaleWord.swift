internal import TicketSystemKit
internal import WireText

/// What the answer to a change of a sale has to say, so that it is believed. 204 says that it was done, and nothing else. Pure.
enum SaleWord: Sendable {
  /// The sale itself: the one that was meant.
  case sale
  /// The same, or a message alone.
  case message
  /// What was written beside the sale, which has an id of its own, or a message alone.
  case note
  /// A sale that is new.
  case new

  /// Why an answer is not believed, after “… answered”; `nil` where it is.
  func doubt(_ document: JSONValue, about id: String) -> String? {
    if document == .null { return nil }
    let data = document["data"]
    let told = if case .object? = data { data } else { document }
    let named = (told?["sale_id"] ?? (self == .note ? nil : told?["id"]))?.identifier
    switch self {
    case .new: return named == nil ? "but names no sale" : nil
    case .sale, .message, .note:
      if let named {
        return PublicID.areSame(named, JSONValue.string(id).identifier ?? id) ? nil : "but speaks of another sale"
      }
      let says = [document["message"], told?["message"]] + (self == .note ? [told?["note"]] : [])
      let isBelieved = self != .sale && says.contains { $0?.string?.isEmpty == false }
      return isBelieved ? nil : "but does not say of which sale"
    }
  }
}
