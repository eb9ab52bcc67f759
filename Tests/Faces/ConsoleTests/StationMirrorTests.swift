import Expectations
import Foundation
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// The console's picture of the station.
@Suite(.timeLimit(.minutes(2))) struct StationMirrorTests {
  /// Where it is not there, that is said at once; where it comes, it is asked.
  @Test func whoIsNotThereIsFoundWhenHeComes() async throws {
    let place = try APIBench.place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let mirror = try StationMirror(path: place.socket)
    await mirror.start()
    await #expect(throws: StationAbsence.self) { try await mirror.snapshot(notOlderThan: .zero) }
    let station = try ScriptedStation(at: place.socket)
    await until { (try? await mirror.snapshot(notOlderThan: .zero))?.station == "door" }
    station.end()
    await until { (try? await mirror.snapshot(notOlderThan: .seconds(60))) == nil }
    await mirror.stop()
  }

  /// Two who give one order, the first without patience: the second is answered by what became of it.
  @Test func oneOrderMayBeGivenTwiceAtATime() async throws {
    let place = try APIBench.place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let mirror = try StationMirror(path: place.socket)
    await mirror.start()
    let order = StationOrder(.annul(GateID("north")), who: "desk")
    let other = StationOrder(.openOnce(GateID("north")), who: "desk", id: order.id)
    async let second = mirror.perform(order, within: .seconds(60))
    await #expect(throws: StationAbsence.self) { try await mirror.perform(order, within: .milliseconds(50)) }
    await until { (try? await mirror.perform(other, within: .milliseconds(50)))?.refusal == .numberUsed }
    let station = try ScriptedStation(at: place.socket)
    try await expectEqual(second.name, "done")
    expectEqual(station.orders.map(\.id), [order.id])
    await mirror.stop()
    station.end()
  }

  /// What a hundred ask at once is one question; what is asked later is another.
  @Test func oneQuestionAnswersAllWhoAsk() async throws {
    let place = try APIBench.place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let station = try ScriptedStation(at: place.socket)
    let mirror = try StationMirror(path: place.socket)
    await mirror.start()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await mirror.snapshot(notOlderThan: .seconds(60)).station } }
      for try await name in group { expectEqual(name, "door") }
    }
    // Nobody has asked before.
    expectEqual(station.questions, 1)
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 { group.addTask { try await mirror.snapshot(notOlderThan: .zero).station } }
      for try await name in group { expectEqual(name, "door") }
    }
    // Each that begins while one is under way waits for the next one, together with all others.
    expect(station.questions > 1)
    await mirror.stop()
    station.end()
  }

  /// What an order has changed is in what is seen after it.
  @Test func afterAnOrderNothingOldIsShown() async throws {
    let place = try APIBench.place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let station = try ScriptedStation(at: place.socket)
    let mirror = try StationMirror(path: place.socket)
    await mirror.start()
    expect(!(try await mirror.snapshot(notOlderThan: .seconds(60)).outbox.isHeld))
    var held = SampleStation.snapshot()
    held.outbox.isHeld = true
    station.become(held)
    let outcome = try await mirror.perform(StationOrder(.outboxHold(isOn: true), who: "desk"))
    expectEqual(outcome, .done("done as scripted"))
    expect(try await mirror.snapshot(notOlderThan: .seconds(60)).outbox.isHeld)
    await mirror.stop()
    station.end()
  }

  /// A service that ends before it has answered is given the order again when it is there again, under the same number.
  @Test func anOrderOutlivesTheServicesRestart() async throws {
    let place = try APIBench.place()
    defer { try? FileManager.default.removeItem(at: place.folder) }
    let first = try ScriptedStation(at: place.socket, react: { _ in .end })
    let mirror = try StationMirror(path: place.socket)
    await mirror.start()
    _ = try await mirror.snapshot()
    let order = StationOrder(.openOnce(GateID("north")), who: "desk")
    async let outcome = mirror.perform(order)
    await until { !first.orders.isEmpty }
    first.end()
    let second = try ScriptedStation(at: place.socket, react: { _ in .answer(.unknown("It ended in between.")) })
    expectEqual(try await outcome, .unknown("It ended in between."))
    expect(first.orders.map(\.id) == [order.id] && second.orders.map(\.id) == [order.id])
    await mirror.stop()
    second.end()
  }
}
