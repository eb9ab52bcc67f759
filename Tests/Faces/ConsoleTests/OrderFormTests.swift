import Expectations
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing
import WireText

@testable import Console

/// What is taken for an order, and what is not.
@Suite struct OrderFormTests {
  private func read(_ text: String) -> Result<OrderForm, OrderForm.Fault> {
    do throws(OrderForm.Fault) { return .success(try OrderForm([UInt8](text.utf8))) } catch { return .failure(error) }
  }

  private func form(_ text: String) -> OrderForm? { try? read(text).get() }

  private func fault(_ text: String) -> OrderForm.Fault? {
    if case .failure(let fault) = read(text) { fault } else { nil }
  }

  /// One of each kind, as it is written and as it is meant.
  static let orders: [(text: String, action: StationOrder.Action)] = [
    (#""order":"maintenance","gate":"north","on":true"#, .maintenance(GateID("north"), isOn: true)),
    (#""order":"openOnce","gate":"north""#, .openOnce(GateID("north"))),
    (#""order":"annul","gate":"north""#, .annul(GateID("north"))),
    (#""order":"present","gate":"north","code":" good-ticket-1\n""#, .present(GateID("north"), Code("good-ticket-1"))),
    (#""order":"search","text":"Smith""#, .search("Smith")),
    (#""order":"outboxHold","on":false"#, .outboxHold(isOn: false)),
    (#""order":"outboxRetry""#, .outboxRetry),
    (#""order":"listRefresh""#, .listRefresh(nil)),
    (#""order":"listRefresh","ticket_system":"venue""#, .listRefresh(TicketSystemID("venue"))),
    (#""order":"arming","minutes":60"#, .arming(minutes: 60)),
    (#""order":"signalTest","gate":"north","signal":"refuse.unpaid""#, .signalTest(GateID("north"), .refuse(.unpaid))),
    (#""order":"journalAccept""#, .journalAccept),
    (#""order":"status","status":"lunch""#, .status(.lunch)),
    (#""order":"status","status":null"#, .status(nil)),
    (
      #""order":"acknowledge","conflict":"000102030405060708090a0b0c0d0e0f""#,
      AttemptID(bytes: Array(0...15)).map { .acknowledge($0) } ?? .outboxRetry
    ),
  ]

  @Test func everyOrderCanBeWritten() {
    expectEqual(Set(Self.orders.map(\.action.kind)), Set(OrderKind.ofTokens))
    expect(form(#"{"order":"picture","reader":"door"}"#) == nil)
    for (text, action) in Self.orders {
      expectEqual(form("{\(text)}")?.action, action, "\(text)")
      let whole = form("{\(text),\"why\":\"because\",\"id\":\"0123456789abcdef0123456789ABCDEF\"}")
      expectEqual(whole?.why, "because", "\(text)")
      expectEqual(whole?.id.description, "0123456789abcdef0123456789abcdef", "\(text)")
      expectEqual(fault("{\(text),\"how\":\"so\"}")?.isMalformed, false, "\(text)")
    }
  }

  /// Each without a number is one of its own.
  @Test func anOrderWithoutANumberGetsOne() {
    let text = "{\"order\":\"outboxRetry\"}"
    expect(form(text)?.id != form(text)?.id)
  }

  @Test(arguments: [
    "", "{", "[", "{\"order\":\"annul\",\"gate\":\"north\"",
    "{\"order\":\"annul\",\"order\":\"annul\",\"gate\":\"north\"}",
    "{\"order\":\"annul\",\"gate\":\"north\"} x", "{'order':'annul'}", String(repeating: "[", count: 100_000),
  ]) func whatIsNoJSONIsMalformed(_ text: String) {
    expectEqual(fault(text)?.isMalformed, true)
    expectEqual(fault(text)?.words.contains("no JSON"), true)
  }

  @Test(arguments: [
    "[]", "null", "7", "\"annul\"", "{}", #"{"order":"selfDestruct"}"#, #"{"order":7}"#, #"{"order":"annul"}"#,
    #"{"order":"annul","gate":""}"#, #"{"order":"annul","gate":7}"#, #"{"order":"annul","gate":null}"#,
    #"{"order":"annul","gate":"north","on":true}"#, #"{"order":"maintenance","gate":"north"}"#,
    #"{"order":"maintenance","gate":"north","on":"true"}"#, #"{"order":"present","gate":"north","code":"  "}"#,
    #"{"order":"present","gate":"north"}"#, #"{"order":"arming","minutes":0}"#, #"{"order":"arming","minutes":61}"#,
    #"{"order":"arming","minutes":"5"}"#, #"{"order":"arming","minutes":5.0}"#, #"{"order":"arming","minutes":-1}"#,
    #"{"order":"arming","minutes":99999999999999999999999}"#, #"{"order":"signalTest","gate":"north","signal":"x"}"#,
    #"{"order":"annul","gate":"north","id":"0123"}"#, #"{"order":"annul","gate":"north","id":7}"#,
    #"{"order":"annul","gate":"north","why":7}"#, #"{"order":"annul","gate":"north","why":null}"#,
    #"{"order":"search","text":""}"#, #"{"order":"listRefresh","ticket_system":null}"#,
  ]) func whatIsNoOrderIsToldSo(_ text: String) {
    expectEqual(fault(text)?.isMalformed, false)
    expectEqual(fault(text)?.words.isEmpty, false)
  }

  @Test func textsAreBounded() {
    func order(gate: Int = 5, why: Int = 0, code: Int = 5) -> OrderForm? {
      func text(_ count: Int) -> String { String(repeating: "x", count: count) }
      return form(
        "{\"order\":\"present\",\"gate\":\"\(text(gate))\",\"code\":\"\(text(code))\",\"why\":\"\(text(why))\"}")
    }
    expect(order(gate: 255, why: 400, code: 4_096) != nil)
    expect(order(gate: 256) == nil && order(why: 401) == nil && order(code: 4_097) == nil)
  }

  /// What staff will read of it moves no cursor.
  @Test func aReasonIsClean() throws {
    let form = try #require(
      self.form("{\"order\":\"outboxRetry\",\"why\":\(JSONText.string(SampleStation.hostile))}"))
    expect(form.why.unicodeScalars.allSatisfy(TerminalText.isHarmless), "\(form.why.debugDescription)")
    expect(form.why.contains("evil"))
  }

  /// What is damaged is an order or a fault, and no fault repeats what was sent.
  @Test(arguments: 0..<extent(landing: 200, release: 20_000)) func damageIsNoTrap(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let order = Self.orders[Int.random(in: 0..<Self.orders.count, using: &random)]
    var bytes = [UInt8]("{\(order.text),\"why\":\"tell-tale\"}".utf8)
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[at] = .random(in: 0...255, using: &random)
      case 1 where bytes.count > 1: bytes.remove(at: at)
      default: bytes.insert(.random(in: 0...255, using: &random), at: at)
      }
    }
    do throws(OrderForm.Fault) {
      let form = try OrderForm(bytes)
      expect(form.why.unicodeScalars.allSatisfy(TerminalText.isHarmless), "seed \(seed)")
      expectEqual(form.kind, form.action.kind, "seed \(seed)")
    } catch {
      expect(!error.words.contains("tell-tale") && !error.words.contains("good-ticket"), "seed \(seed)")
      expect(error.words.unicodeScalars.allSatisfy(TerminalText.isHarmless), "seed \(seed)")
    }
  }
}
