import HTTPTypes
import Hummingbird
import NIOCore
import StationProtocol
import WireText

extension ConsoleRoutes {
  /// `/healthz` and `/readyz`: without sign-in, and with no name of anything in them.
  func addHealth(to router: Router<ConsoleContext>) {
    answer("/healthz", of: router) { StationHealth($0, program: setting.version).isWell }
    answer("/readyz", of: router) { StationHealth($0, program: setting.version).isReady }
  }

  private func answer(
    _ path: String, of router: Router<ConsoleContext>, _ isGood: @escaping @Sendable (StationSnapshot) -> Bool
  ) {
    let answer: @Sendable (Request, ConsoleContext) async throws -> Response = { request, _ in
      let (text, status): (String, HTTPResponse.Status)
      do throws(StationAbsence) {
        let snapshot = try await mirror.snapshot(notOlderThan: .seconds(1))
        status = isGood(snapshot) ? .ok : .serviceUnavailable
        text = StationHealth(snapshot, program: setting.version).json
      } catch {
        (text, status) = (StationHealth.absent, .serviceUnavailable)
      }
      var response = Response(
        status: status, headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
      if request.method == .head { response = response.createHeadResponse() }
      return response
    }
    router.get(RouterPath(path), use: answer)
    router.head(RouterPath(path), use: answer)
    router.refuse(RouterPath(path), but: [.get, .head])
  }
}

extension RouterMethods where Context == ConsoleContext {
  /// Answers each method but some: 405, with those in `Allow`.
  func refuse(_ path: RouterPath, but allowed: [HTTPRequest.Method]) {
    for method: HTTPRequest.Method in [.get, .head, .post, .put, .patch, .delete, .options]
    where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in
        throw ConsoleAnswer(
          .methodNotAllowed, "methodNotAllowed",
          "This is asked by \(allowed.map(\.rawValue).joined(separator: " or ")).",
          [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
      }
    }
  }
}
