import Foundation
import LinuxIO
import ScanModel
import Synchronization

/// Looks a code up in the file each time; the gateway's ledger alone knows who is in.
struct CodeFileTicketSystem: TicketSystem {
  let id: TicketSystemID
  let path: String
  let time: any TimeSource

  func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }

  func foldedKey(of code: Code) -> TicketKey? { nil }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let start = time.now()
    guard start < request.deadline else {
      return AttemptOutcome(
        fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false, sentAt: nil,
        endedAt: start)
    }
    return await withCheckedContinuation { continuation in
      let waiting = Waiting(continuation)
      Task {
        let answer = await SystemThread.run("code file") { self.answer(request.code) }
        let outcome = AttemptOutcome(
          fate: .answered, answer: answer, mayHaveRedeemed: false, sentAt: start, endedAt: time.now())
        if !waiting.end(with: outcome) { late(outcome) }
      }
      Task {
        try? await Task.sleep(for: request.deadline - start)
        _ = waiting.end(
          with: AttemptOutcome(
            fate: .pending, answer: .undecided(.unreachable, detail: "\(path) is slow."), mayHaveRedeemed: true,
            sentAt: start, endedAt: time.now(), offline: .timeOut))
      }
    }
  }

  func reach(deadline: MonotonicTime) async -> Reach {
    FileManager.default.isReadableFile(atPath: path)
      ? .answers(date: nil) : .fault(.badAnswer, detail: "\(path) cannot be read.")
  }

  private func answer(_ code: Code) -> TicketAnswer {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      return .undecided(.badAnswer, detail: "\(path) cannot be read.")
    }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.first.map(String.init) == code.text, let last = words.last else { continue }
      let count = words.count == 3 ? asked(at: String(last)) : String(last)
      guard let quantity = count.flatMap(Int.init), quantity > 0 else {
        return .undecided(.badAnswer, detail: "\(path) does not say how many the code admits.")
      }
      return .valid(Entitlement(quantity: quantity, details: TicketDetails()))
    }
    return .refused(.notFound, detail: nil)
  }

  /// What somebody writes into a pipe; waits for it.
  private func asked(at pipe: String) -> String? {
    let bytes = try? FileHandle(forReadingAtPath: pipe)?.readToEnd()
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Who waits for the answer, until the first end.
private final class Waiting: Sendable {
  private let continuation: Mutex<CheckedContinuation<AttemptOutcome, Never>?>

  init(_ continuation: CheckedContinuation<AttemptOutcome, Never>) { self.continuation = Mutex(continuation) }

  /// - Returns: whether it was the first end.
  func end(with outcome: AttemptOutcome) -> Bool {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: outcome)
    return waiting != nil
  }
}
