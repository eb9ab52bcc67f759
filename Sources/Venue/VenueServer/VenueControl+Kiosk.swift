import Hummingbird
import NIOCore

/// What the control socket does about kiosks and enrolment. Bodies are lines of `name=value`, answers lines of JSON.
///
/// `POST /activation-codes` (`for`, `minutes`), `POST /enrolments` (`gate`, `sale-ticket`, `seat`, `for`, `minutes`),
/// `GET /kiosks`, `POST /kiosk` shows one (`id`), `PUT /kiosk` changes its configuration (`id`, then what to set), `PUT
/// /kiosk-state` (`id`, `state`), `POST /kiosk-revoke` (`id`), `GET /kiosk-requests`.
extension VenueControl {
  func addKiosks(to router: Router<BasicRequestContext>) {
    router.get("/kiosks") { _, _ in
      await Self.lines { try await venue.kiosks().map { JSONText.object($0.members).text() } }
    }
    router.get("/kiosk-requests") { _, _ in await Self.lines { venue.kioskRequests.map(\.json) } }
    router.post("/activation-codes") { request, _ in
      try await answer(request) { lines in
        let made = try await venue.makeActivationCode(
          for: lines.value("for"), minutes: try lines.number("minutes", else: 60))
        return try made.line()
      }
    }
    router.post("/enrolments") { request, _ in
      try await answer(request) { lines in
        let made = try await venue.makeEnrolment(
          gate: lines.value("gate") ?? "", saleTicket: try lines.number("sale-ticket").map { Int64($0) },
          seat: lines.value("seat"), for: lines.value("for"), minutes: try lines.number("minutes", else: 1_440))
        return try made.line()
      }
    }
    router.post("/kiosk") { request, _ in
      try await answer(request) { lines in
        let (kiosk, configuration) = try await venue.kiosk(lines.value("id") ?? "")
        return JSONText.object(kiosk.members + [(key: "configuration", value: .json(configuration))]).text()
      }
    }
    router.put("/kiosk") { request, _ in
      try await answer(request) { lines in
        try await venue.configureKiosk(lines.value("id") ?? "", Array(lines.all.dropFirst()))
        return nil
      }
    }
    router.put("/kiosk-state") { request, _ in
      try await answer(request) { lines in
        guard let state = lines.value("state").flatMap(KioskState.init) else {
          throw VenueError.unusable("a state is one of active, inactive, maintenance")
        }
        try await venue.setKioskState(state, of: lines.value("id") ?? "")
        return nil
      }
    }
    router.post("/kiosk-revoke") { request, _ in
      try await answer(request) { lines in
        try await venue.revokeTokens(ofKiosk: lines.value("id") ?? "")
        return nil
      }
    }
  }

  /// The lines of a request's body.
  struct Lines {
    let all: [String]

    func value(_ name: String) -> String? {
      all.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    func number(_ name: String) throws -> Int? {
      guard let text = value(name) else { return nil }
      guard let number = Int(text) else { throw VenueError.unusable("\(name) is a whole number; it got \(text)") }
      return number
    }

    func number(_ name: String, else usual: Int) throws -> Int { try number(name) ?? usual }
  }

  func answer(_ request: Request, _ work: (Lines) async throws -> String?) async throws -> Response {
    let body = String(buffer: try await request.body.collect(upTo: Self.bodyLimit))
    let lines = Lines(all: body.split(separator: "\n").map { String($0) })
    do {
      return Self.text(.ok, try await work(lines).map { $0 + "\n" } ?? "")
    } catch VenueError.unusable(let words) {
      return Self.text(.notFound, words)
    } catch {
      return Self.text(.internalServerError, "\(error)")
    }
  }
}
