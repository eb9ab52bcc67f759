@testable import Console
import ScanModel
import StationProtocol

/// Orders as they are written to the console, and ids of events that come back.
///
/// The input: the body, which is read as an id as well.
func fuzzOrder(_ input: inout FuzzInput) {
  let body = input.remainder()
  if let id = EventID(String(decoding: body.prefix(64), as: UTF8.self)) {
    property(EventID(id.description) == id, "an id that is written again reads the same")
  }
  do throws(OrderForm.Fault) {
    let form = try OrderForm(body)
    property(form.why.utf8.count <= 3 * StationLimits.maximumWhy, "a reason is bounded")
    property(form.why.unicodeScalars.allSatisfy(TerminalText.isHarmless), "a reason steers no terminal")
    property(form.action.kind == form.kind, "an order is of its kind")
    if case .present(_, let code) = form.action {
      property(!code.bytes.isEmpty && code.bytes.count <= OrderForm.longestCode, "a code is bounded")
      property((form.action.detail ?? "").unicodeScalars.count <= 5, "a code is shown by at most four characters")
    }
    if case .arming(let minutes) = form.action { property((1...60).contains(minutes), "minutes are bounded") }
    let order = StationOrder(form.action, who: "desk", id: form.id, givenAt: MonotonicTime(nanoseconds: 1))
    property(
      try ListenerMessage(bytes: ListenerMessage.order(order).bytes) == .order(order),
      "what is given reads the same at the station")
  } catch {
    property(
      error.words.utf8.allSatisfy { (0x20...0x7E).contains($0) } && error.words.utf8.count < 400,
      "a fault holds nothing of the body")
  }
}
