import Expectations
import ScanConfiguration
import StationTesting
import Testing

@testable import Console

/// The page of metrics, asked for.
@Suite struct MetricsRouteTests {
  private static let events = "Authorization: Bearer \(ConsoleBench.otherToken)"
  private static let metrics = "Authorization: Bearer \(ConsoleBench.token)"

  private static var setting: BenchSetting {
    var setting = BenchSetting()
    setting.add("prometheus", ConsoleBench.token, [.metrics])
    setting.add("wall", ConsoleBench.otherToken, [.events, .orders])
    return setting
  }

  @Test func thisMachineNeedsNoToken() async throws {
    try await withConsole(Self.setting) { console in
      let answer = try await console.ask("GET /metrics")
      expectEqual(answer.status, 200)
      expectEqual(answer.field("Content-Type"), "text/plain; version=0.0.4; charset=utf-8")
      let page = try PrometheusText(answer.body)
      expectEqual(page.value("scangate_up"), "1")
      expectEqual(page.value("scangate_passed_total", ["gate": "north"]), "412")
      expectEqual(page.value("scangate_series_omitted"), "0")
      let head = try await console.ask("HEAD /metrics")
      expectEqual(head.status, 200)
      expectEqual(head.body, "")
      let other = try await console.ask("POST /metrics")
      expectEqual(other.status, 405)
      expectEqual(other.field("Allow"), "GET, HEAD")
    }
  }

  /// Whoever comes by a proxy of this machine comes from elsewhere.
  @Test func elsewhereATokenIsNeededThatIsGoodForIt() async throws {
    try await withConsole(Self.setting) { console in
      let forwarded = "X-Forwarded-For: 10.0.0.7"
      try await expectEqual(console.ask("GET /metrics", forwarded).status, 401)
      try await expectEqual(console.ask("GET /metrics", forwarded, Self.events).status, 403)
      try await expectEqual(console.ask("GET /metrics", forwarded, Self.metrics).status, 200)
      // A token that is shown counts, on this machine as well.
      try await expectEqual(console.ask("GET /metrics", Self.events).status, 403)
      try await expectEqual(console.ask("GET /metrics", "Authorization: Bearer nobody-knows-this-token").status, 401)
    }
  }

  @Test func itAnswersWithoutTheStation() async throws {
    try await withConsole(Self.setting) { console in
      console.station.end()
      try await until {
        try await PrometheusText(console.ask("GET /metrics").body).value("scangate_up") == "0"
      }
      let answer = try await console.ask("GET /metrics")
      expectEqual(answer.status, 200)
      let page = try PrometheusText(answer.body)
      expect(page.value("process_resident_memory_bytes") != nil)
      expectEqual(page["scangate_gate_state"]?.name, nil)
    }
  }
}
