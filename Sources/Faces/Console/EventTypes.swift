/// The types of events by which a stream can be filtered: those of `docs/events.md`, and the stream's own.
enum EventTypes {
  /// By the alphabet.
  static let known = [
    "attempt", "clock", "configuration", "conflict", "control", "device", "discarded", "dropped", "fleet",
    "gate", "house",
    "identityChanged", "input", "journal", "list", "mirror", "order", "presence", "repeat", "scan", "setUp",
    "ticketSystem",
  ]

  /// What whoever asks for another one is told: such a stream would be silent for ever.
  static let words =
    "type= wants types of events, with commas between: \(known.joined(separator: ", ")). There is no other."
}
