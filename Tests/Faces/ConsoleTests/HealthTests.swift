import Expectations
import ScanModel
import StationProtocol
import StationTesting
import Testing
import WireText

@testable import Console

@Suite struct HealthTests {
  private static func json(_ answer: RawAnswer) throws -> JSONValue { try JSONValue([UInt8](answer.body.utf8)) }

  @Test func aStationThatIsWellSaysSo() async throws {
    var setting = BenchSetting()
    var control = StationSnapshot.Control()
    (control.isActivated, control.isConnected, control.isTokenValid, control.isCurrent) = (true, true, true, true)
    control.server = "kiosks.example.org"
    setting.snapshot.control = control
    try await withConsole(setting) { console in
      let answer = try await console.ask("GET /healthz")
      expectEqual(answer.status, 200)
      expectEqual(answer.field("Content-Type"), "application/json")
      let json = try Self.json(answer)
      for key in ["running", "server_connected", "token_valid", "config_current"] {
        expectEqual(json[key], .bool(true), "\(key)")
      }
      expectEqual(json["gates"]?.integer, 2)
      expectEqual(json["gates_deciding"]?.integer, 2)
      expectEqual(json["journal_failing"], .bool(false))
      try await expectEqual(console.ask("GET /readyz").status, 200)
      let head = try await console.ask("HEAD /healthz")
      expectEqual(head.status, 200)
      expectEqual(head.body, "")
      let other = try await console.ask("DELETE /healthz")
      expectEqual(other.status, 405)
      expectEqual(other.field("Allow"), "GET, HEAD")
    }
  }

  @Test func whatIsWrongIsIll() {
    func health(_ change: (inout StationSnapshot) -> Void) -> StationHealth {
      var snapshot = SampleStation.snapshot()
      change(&snapshot)
      return StationHealth(snapshot, program: "0.1.0")
    }
    func verdict(_ change: (inout StationSnapshot) -> Void) -> [Bool] {
      let health = health(change)
      return [health.isWell, health.isReady]
    }
    var control = StationSnapshot.Control()
    (control.isConnected, control.isTokenValid, control.isCurrent) = (true, true, true)
    expectEqual(verdict { _ in }, [true, true])
    expectEqual(verdict { $0.control = control }, [true, true])
    for path in [\StationSnapshot.Control.isConnected, \.isTokenValid, \.isCurrent] {
      expectEqual(
        verdict {
          $0.control = control
          $0.control?[keyPath: path] = false
        }, [false, true])
    }
    expectEqual(verdict { $0.journal = .init(state: "failing") }, [false, true])
    // One gate of two.
    expectEqual(verdict { $0.gates[0].condition = .init(state: "fault") }, [false, true])
    expectEqual(verdict { $0.gates[0].outputFault = "no holder" }, [false, true])
    expectEqual(verdict { $0.readers[0].condition = .init(state: "parked") }, [false, true])
    expectEqual(verdict { $0.gates[0].condition = .init(state: "starting") }, [false, true])
    // Whom somebody has taken out of service is not ill.
    expectEqual(verdict { $0.gates[0].condition = .init(state: "maintenance") }, [true, true])
    expectEqual(
      verdict { for gate in $0.gates.indices { $0.gates[gate].condition = .init(state: "maintenance") } },
      [true, false])
    expectEqual(
      verdict { for gate in $0.gates.indices { $0.gates[gate].condition = .init(state: "fault") } }, [false, false])
    expectEqual(verdict { $0.gates = [] }, [true, false])
  }

  @Test func aStationThatDoesNotAnswerIsIll() async throws {
    try await withConsole { console in
      console.station.end()
      for path in ["/healthz", "/readyz"] {
        try await until { try await console.ask("GET \(path)").status == 503 }
        let json = try Self.json(try await console.ask("GET \(path)"))
        expectEqual(json["running"], .bool(false))
        expectEqual(json["gates"], .null)
      }
    }
  }

  /// Nobody signs in for it, so nobody learns from it what anything is called.
  @Test func noNameIsInIt() async throws {
    var setting = BenchSetting()
    var control = StationSnapshot.Control()
    control.server = "kiosks.example.org"
    control.words = ["kiosks.example.org does not answer"]
    setting.snapshot.control = control
    setting.snapshot.gates[0].condition = .init(state: "fault", detail: "venue.example does not answer")
    try await withConsole(setting) { console in
      for path in ["/healthz", "/readyz"] {
        let text = try await console.ask("GET \(path)").text
        for name in ["door", "north", "south", "reader", "venue", "example", "Honeywell", "eventschedule", "0.1.0"] {
          expect(!text.contains(name), "\(name)")
        }
      }
    }
  }
}
