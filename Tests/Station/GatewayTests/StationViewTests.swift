import Expectations
import ScanModel
import StationProtocol
import Testing

@testable import Gateway

/// What a station has told last, for whoever asks later.
@Suite struct StationViewTests {
  @Test func sinceWhenATicketSystemIsAwayIsKept() {
    let view = StationView()
    let system = TicketSystemID("main")
    func tell(_ cause: OfflineCause?, at seconds: Int64) {
      view.take(.ticketSystem(system, offline: cause, owed: 0, at: WallTime(seconds: seconds)))
    }
    expectEqual(view.offlineSince(system, by: .timeOut), nil)
    tell(.rateLimited, at: 5)
    expectEqual(view.offlineSince(system, by: .rateLimited), WallTime(seconds: 5))
    // It was there then, and refused.
    expectEqual(view.offlineSince(system, by: .timeOut), nil)
    tell(.timeOut, at: 10)
    tell(.noAddress, at: 20)
    expectEqual(view.offlineSince(system, by: .noAddress), WallTime(seconds: 10))
    expectEqual(view.offlineSince(TicketSystemID("other"), by: .noAddress), nil)
    tell(nil, at: 30)
    expectEqual(view.offlineSince(system, by: .noAddress), nil)
    tell(.timeOut, at: 40)
    expectEqual(view.offlineSince(system, by: .timeOut), WallTime(seconds: 40))
  }

  @Test func sinceWhenAGateIsAsItIsIsTold() {
    let view = StationView()
    let gate = GateID("north")
    expect(view.condition(of: gate).since == nil)
    view.take(.gate(gate, .ready, at: WallTime(seconds: 5)))
    view.take(.gate(gate, .fault(.outOfService, "the relay is gone"), at: WallTime(seconds: 9)))
    expectEqual(view.condition(of: gate).since, WallTime(seconds: 9))
    expectEqual(view.condition(of: gate).condition.state, "fault")
  }
}
