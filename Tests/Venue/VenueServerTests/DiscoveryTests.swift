import Expectations
import NIOHTTP1
import Testing

@testable import VenueServer

/// How a server is found, in each shape, and what it looks like.
@Suite struct DiscoveryTests {
  private func bare(_ venue: RunningVenue, _ path: String, accept: String = "*/*") async throws -> Reply {
    try await venue.request(.GET, path, headers: [("Accept", accept)])
  }

  @Test func theDocumentsShapeIsFoundWithoutAKey() async throws {
    try await withDesk(.document) { venue in
      let found = try await bare(venue, "/.well-known/eventschedule.json")
      expectEqual(found.status, 200)
      try expectEqual(found.string("api_base_url"), venue.address.url + "/api")
      try expectEqual(
        found.json.names,
        ["api_base_url", "auth", "branding_endpoint", "features", "min_app_version", "rate_limits", "versions"])
      try expectEqual(found.string("auth.endpoints.login"), "/api/login")
      expect(try found.json["features.scanning"] == .bool(true))
      try expectEqual(found.integer("rate_limits.checkins"), 1000)
      let look = try await bare(venue, try #require(try found.string("branding_endpoint")))
      expectEqual(look.status, 200)
      try expectEqual(look.string("primary_hex"), "#007AFF")
      try expectEqual(look.integer("button_radius"), 10)
      try await expectEqual(bare(venue, "/.well-known/planify.json").status, 404)
    }
  }

  @Test func theForkIsFoundAtItsOwnPlace() async throws {
    try await withDesk(.planify) { venue in
      let found = try await bare(venue, "/.well-known/planify.json")
      try expectEqual(found.json.names, ["apiBaseURL", "brandingEndpoint", "features"])
      expect(try found.json["features"] == .array([.string("branding")]))
      let place = try #require(try found.string("brandingEndpoint"))
      expectEqual(place, venue.address.url + "/branding.json")
      let look = try await bare(venue, "/branding.json")
      try expectEqual(look.json.names, ["colors", "defaultLanguage", "logoAlt", "logoUrl"])
      try expectEqual(look.string("colors.onTertiary"), "#FFFFFF")
      let logo = try await bare(venue, "/logo.png")
      expectEqual(logo.headers["Content-Type"], ["image/png"])
      // A browser's page for a browser, and words for whoever wants JSON.
      let page = try await bare(venue, "/.well-known/eventschedule.json")
      expect(page.status == 404 && page.text.hasPrefix("<!DOCTYPE html>"))
      let words = try await bare(venue, "/.well-known/eventschedule.json", accept: "application/json")
      try expectEqual(
        words.string("message"), "The route .well-known/eventschedule.json could not be found.")
    }
  }

  @Test func theOriginalAndTheBareScanningAPIAreNotFound() async throws {
    for shape in [ServerShape.upstream, nil] {
      let configuration = VenueConfiguration(failureDelay: .zero, serverShape: shape)
      try await withVenue(configuration) { venue in
        for path in [
          "/.well-known/eventschedule.json", "/.well-known/planify.json", "/api/meta/branding", "/branding.json",
          "/logo.png",
        ] {
          let reply = try await bare(venue, "\(path)")
          expectEqual(reply.status, 404, "\(path)")
        }
      }
    }
  }

  @Test func thePublicAddressIsTold() async throws {
    let configuration = VenueConfiguration(publicURL: "https://venue.example:8443", serverShape: .document)
    try await withVenue(configuration) { venue in
      try await expectEqual(
        bare(venue, "/.well-known/eventschedule.json").string("api_base_url"), "https://venue.example:8443/api")
    }
  }
}
