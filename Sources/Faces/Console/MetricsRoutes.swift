import Alerts
import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol

extension ConsoleRoutes {
  /// How old a station's figures may be: several who scrape at once are one question.
  private static var age: Duration { .milliseconds(500) }

  /// `/metrics`: for who has a token with that scope, and for this machine. It answers without the station, too.
  func addMetrics(to group: ConsoleGroup) {
    let answer: @Sendable (Request, ConsoleContext) async throws -> Response = { [self] _, context in
      try context.requires(.metrics)
      let page = await metrics()
      return Response(
        status: .ok, headers: [.contentType: MetricsPage.mediaType], body: .init(byteBuffer: ByteBuffer(string: page)))
    }
    group.get("/metrics", use: answer)
    group.head("/metrics", use: answer)
    group.refuse("/metrics", but: [.get, .head])
  }

  private func metrics() async -> String {
    let station: Result<StationSnapshot, StationAbsence>
    do throws(StationAbsence) {
      station = .success(try await mirror.snapshot(notOlderThan: Self.age))
    } catch {
      station = .failure(error)
    }
    var figures = ConsoleFigures(version: setting.version, startedAt: setting.startedAt, process: .now())
    figures.alerts = await setting.alerts?.figures
    figures.certificateEnds = setting.identity.map { WallTime(seconds: $0.end) }
    return MetricsPage.text(station, figures)
  }
}
