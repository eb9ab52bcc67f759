import Hummingbird

/// What the control socket does about signed tickets. Bodies are lines of `name=value`, answers lines of JSON.
///
/// `GET /signed-tickets` lists, `POST /signed-tickets` issues one (`org`, `jti`, `order`, `performance`, `seat`, `issued`, `expires`), `PUT
/// /signed-tickets` revokes one (`jti`), `POST /ticket-keys` makes a key (`kid`), `PUT /ticket-keys` withdraws one (`kid`), `POST
/// /ticket-tokens` makes a token known (`token`), `DELETE /ticket-tokens` refuses all.
extension VenueControl {
  func addSignedTickets(to router: Router<BasicRequestContext>) {
    router.get("/signed-tickets") { _, _ in await Self.lines { try await venue.issuedSignedTickets() } }
    router.post("/signed-tickets") { request, _ in
      try await answer(request) { lines in
        let usual = NewSignedTicket()
        let issued = try await venue.issueSignedTicket(
          NewSignedTicket(
            jti: lines.value("jti"), order: lines.value("order") ?? usual.order,
            performance: lines.value("performance") ?? usual.performance, seat: lines.value("seat") ?? usual.seat,
            issued: lines.value("issued"), expires: lines.value("expires")),
          of: lines.value("org") ?? VenueServer.organisation)
        let told: JSONText = ["jti": .string(issued.jti), "token": .string(issued.token)]
        return told.text()
      }
    }
    router.put("/signed-tickets") { request, _ in
      try await answer(request) { lines in
        try await venue.revokeSignedTicket(lines.value("jti") ?? "")
        return nil
      }
    }
    router.post("/ticket-keys") { request, _ in
      try await answer(request) { lines in
        try await venue.addTicketKey(lines.value("kid") ?? "")
        return nil
      }
    }
    router.put("/ticket-keys") { request, _ in
      try await answer(request) { lines in
        try await venue.withdrawTicketKey(lines.value("kid") ?? "")
        return nil
      }
    }
    router.post("/ticket-tokens") { request, _ in
      try await answer(request) { lines in
        let told: JSONText = ["token": .string(try await venue.issueTicketToken(lines.value("token")))]
        return told.text()
      }
    }
    router.delete("/ticket-tokens") { request, _ in
      try await answer(request) { _ in
        try await venue.revokeTicketTokens()
        return nil
      }
    }
  }
}
