import HTTPTypes
import Hummingbird
import NIOCore
import StationProtocol
import WireText

extension ConsoleRoutes {
  /// `/healthz` and `/readyz`: without sign-in, and with no name of anything in them.
  func addHealth(to router: Router<ConsoleContext>) {
    answer("/healthz", of: router, \.isWell)
    answer("/readyz", of: router, \.isReady)
  }

  private func answer(
    _ path: String, of router: Router<ConsoleContext>, _ isGood: @escaping @Sendable (StationHealth) -> Bool
  ) {
    let answer: @Sendable (Request, ConsoleContext) async throws -> Response = { _, _ in
      let (text, status): (String, HTTPResponse.Status)
      do throws(StationAbsence) {
        let health = StationHealth(try await mirror.snapshot(notOlderThan: .seconds(1)), program: setting.version)
        (text, status) = (health.json, isGood(health) ? .ok : .serviceUnavailable)
      } catch {
        (text, status) = (StationHealth.absent, .serviceUnavailable)
      }
      return Response(
        status: status, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
    }
    router.get(RouterPath(path), use: answer)
    router.head(RouterPath(path), use: answer)
    router.refuse(RouterPath(path), but: [.get, .head])
  }
}

extension RouterMethods where Context == ConsoleContext {
  /// Answers each method but some: 405, with those in `Allow`.
  func refuse(_ path: RouterPath, but allowed: [HTTPRequest.Method]) {
    for method in StationAPI.usualMethods where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in
        throw ConsoleAnswer(
          .methodNotAllowed, "methodNotAllowed",
          "This is asked by \(allowed.map(\.rawValue).joined(separator: " or ")).",
          [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
      }
    }
  }
}
