import Expectations
import ScanModel
import ScriptedHTTP
import Testing
import TicketSystemKit
import TicketTransport

@testable import EventSchedule

/// What pages are told of how a server wants to look: over real sockets.
@Suite struct BrandingWatchTests {
  private func watch(_ answers: [String: String]) async throws -> (BrandingWatch, ScriptedServer) {
    let server = ScriptedServer { _, request, connection in
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      connection.send(
        answers[path] ?? "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>")
    }
    let address = try ServerAddress("http://127.0.0.1:\(try await server.start())")
    return (try #require(BrandingWatch((InstanceClient(typed: address), address))), server)
  }

  @Test func nameColoursAndWordsAreTold() async throws {
    let (watch, server) = try await watch([
      "/.well-known/eventschedule.json": Answers.response("200 OK", #"{"name":"The Hall","features":["a"]}"#),
      "/api/meta/branding": Answers.response(
        "200 OK",
        ##"{"primary_hex":"#102030","bg_hex":"#FFFFFF","text_hex":"#FEFEFE","logo_alt":"HALL","logo_url":"/l"}"##),
    ])
    expect(watch.branding == nil)
    expect(await watch.ask())
    let branding = try #require(watch.branding)
    expect(branding.name == "The Hall" && branding.logoText == "HALL")
    expectEqual(branding.primary.ground, 0x102030)
    // Text that could not be read on its ground is another one.
    expectEqual(branding.page.text, 0)
    // The picture is nobody's to fetch, and no key goes.
    expect(server.requests.allSatisfy { !$0.contains("/l ") && !$0.lowercased().contains("x-api-key") })
    await server.stop()
  }

  @Test func aServerThatTellsNothingHasNone() async throws {
    let (watch, server) = try await watch([:])
    expect(await watch.ask())
    expect(watch.branding == nil)
    await server.stop()
    expect(await !watch.ask())
    expect(BrandingWatch(nil) == nil)
  }
}
