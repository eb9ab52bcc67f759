import ScanModel
import StationProtocol

/// Packets of the station's socket, and snapshots in pieces.
///
/// The input: a byte that says what the rest is read as.
func fuzzStation(_ input: inout FuzzInput) {
  let kind = input.byte() % 4
  let bytes = input.remainder()
  switch kind {
  case 0:
    guard let message = try? ListenerMessage(bytes: bytes) else { return }
    property(try ListenerMessage(bytes: message.bytes) == message, "what is written again reads the same")
    if case .order(let order) = message { look(at: order) }
  case 1:
    guard let message = try? StationMessage(bytes: bytes) else { return }
    property(try StationMessage(bytes: message.bytes) == message, "what is written again reads the same")
    if case .answer(_, .picture(let view)) = message {
      property(view.jpeg.count <= StationLimits.maximumPicture, "a picture is bounded")
      property(
        view.seen.count <= StationLimits.maximumSeen
          && view.seen.allSatisfy { $0.corners.count <= StationLimits.maximumCorners }, "so is what was read in it")
    }
    if case .event(let event) = message {
      property(event.line.utf8.count <= StationLimits.maximumLine, "an event's line is bounded")
    }
  case 2:
    guard let snapshot = try? StationSnapshot(bytes: bytes) else { return }
    property(try StationSnapshot(bytes: snapshot.bytes) == snapshot, "what is written again reads the same")
    var assembly = SnapshotAssembly()
    let parts = snapshot.parts
    for part in parts.dropLast() {
      property(try assembly.take(part) == nil, "a snapshot is whole with its last piece alone")
    }
    if let last = parts.last {
      property(try assembly.take(last) == snapshot, "the snapshot comes out of its pieces")
    }
  default:
    // Pieces as they come: each a length, then so many bytes.
    var assembly = SnapshotAssembly()
    var rest = bytes[...]
    var index: UInt16 = 0
    while let head = rest.popFirst() {
      let piece = SnapshotPart(index: index, isLast: head & 1 == 1, bytes: Array(rest.prefix(Int(head >> 1))))
      rest = rest.dropFirst(Int(head >> 1))
      do {
        let snapshot = try assembly.take(piece)
        index = snapshot == nil ? index &+ 1 : 0
      } catch {
        return
      }
    }
  }
}

/// An order shows no code, and its texts are bounded.
private func look(at order: StationOrder) {
  property(order.why.utf8.count <= StationLimits.maximumWhy, "a reason is bounded")
  if case .present(_, let code) = order.action {
    let shown = order.action.detail ?? ""
    property(shown.unicodeScalars.count <= 5, "a code is shown by at most four characters")
    property(code.bytes.count <= StationLimits.maximumCode, "a code is bounded")
  }
  if case .signalTest(_, let signal) = order.action {
    property(Signal(text: signal.text) == signal, "a signal is found by its text")
  }
}
