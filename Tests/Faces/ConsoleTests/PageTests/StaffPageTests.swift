import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// Technicians' and organisers' pages, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct StaffPageTests {
  private static func station() -> StationSnapshot {
    var station = SampleStation.snapshot()
    station.throughput.from = station.at - .seconds(43_200)
    station.throughput.series = [
      .init(
        gate: station.gates[0].id, verdict: "admit", reason: nil, counts: (0..<144).map { UInt32($0 % 7) }),
      .init(
        gate: station.gates[0].id, verdict: "refuse", reason: "unpaid", counts: (0..<144).map { UInt32($0 % 3) }),
    ]
    station.outbox.conflicts = 1
    station.outbox.open = [
      .init(
        id: AttemptID(), system: station.ticketSystems[0].id, gate: station.gates[0].id, code: "…1234",
        admitted: station.at, state: "contradicted", reason: "refunded", words: "it was refunded")
    ]
    station.ticketSystems[0].branding = .init(name: "The Hall", logoText: "HALL")
    station.ticketSystems[0].event = "The Tempest"
    station.ticketSystems[0].seats = .init(
      capacity: 500, sold: 420, kinds: [.init(name: "Stalls", capacity: 300, sold: 280)])
    return station
  }

  @Test func eachRoleHasItsPageAndNoOther() async throws {
    try await withPages(Self.station()) { bench in
      for (role, path, isAllowed) in [
        ("technician", "/technician", true), ("technician", "/organiser", false), ("organiser", "/organiser", true),
        ("organiser", "/technician", false), ("attendant", "/technician", false), ("attendant", "/organiser", false),
        ("organiser", "/technician/journal", false), ("technician", "/organiser/report", false),
      ] {
        let page = try await bench.get(path, as: try await bench.signIn(role))
        expectEqual(page.status, isAllowed ? 200 : 403, "\(role) \(path)")
      }
      // Who has not signed in is led there.
      for path in ["/technician", "/technician/journal", "/organiser", "/organiser/report"] {
        let page = try await bench.get(path)
        expect(page.status != 200 && !page.body.contains("data-part"), "\(page.status) \(path)")
      }
    }
  }

  @Test func technicianSeesReadersAndWhatIsWrong() async throws {
    var station = Self.station()
    station.readers[0].reads = 4_711
    station.readers[0].refusals = 17
    station.readers[0].condition = .init(state: "failed", detail: "no permission for /dev/input/event7")
    try await withPages(station) { bench in
      let page = try await bench.get("/technician", as: try await bench.signIn("technician"))
      for words in [
        "4711", "17", "no permission for /dev/input/event7", "What is wrong", station.readers[0].id.name, "…1234",
      ] {
        expect(page.body.contains(words), "\(words)")
      }
      expect(page.body.utf8.count < 100_000, "\(page.body.utf8.count)")
    }
  }

  /// What the gateway calls by a name is said in the page's language; words of others stay as they are.
  @Test func whatIsFoundIsSaidInThePagesLanguage() async throws {
    var station = Self.station()
    station.gates[0].condition = .init(state: "fault", detail: "venue.example says 403")
    station.gates[0].reason = .keyRefused
    station.readers[0].condition = .init(state: "parked")
    station.ticketSystems[0].offline = .timeOut
    station.outbox.isHeld = true
    (station.outbox.owed, station.outbox.oldest) = (2, station.at - .seconds(5 * 86_400))
    station.isClockTrusted = false
    station.disk = .init(free: 8_000_000_000, size: 16_000_000_000)
    try await withPages(station, react: { _ in .answer(.refused(.nothingToAnnul, "Nobody is in on that ticket.")) }) {
      bench in
      let technician = try await bench.signIn("technician")
      let page = try await bench.get("/technician", as: technician, ["Accept-Language": "de"])
      for words in [
        "Er kann nicht entscheiden: Das Ticketsystem weist unseren Schlüssel ab.", "venue.example says 403",
        "Durchgang north",
        "nicht angeschlossen", "keine Antwort in der Zeit", "das Personal hält sie an",
        "2 Einlässe, der älteste seit 5 Tage",
        "bürgt noch niemand", "MB sind frei",
      ] {
        expect(page.body.contains(words), "\(words)")
      }
      for words in ["cannot decide", "keyRefused", "timeOut", "not plugged in", "counts as", "staff hold", "days"] {
        expect(!page.body.contains(words), "\(words)")
      }
      let organiser = try await bench.signIn("organiser")
      let house = try await bench.get("/organiser", as: organiser, ["Accept-Language": "fr"])
      expect(house.body.contains("pas de réponse à temps") && house.body.contains("À transmettre : 2 admissions"))
      // One reason, and in this language.
      let attendant = try await bench.signIn("attendant")
      let form = try PageBench.fields(
        of: "annul", in: try await bench.get("/attendant/north", as: attendant).body)
      let answer = try await bench.post("/attendant/north", as: attendant, form)
      let shown = try await bench.get(
        answer.fields["location"] ?? "", as: attendant, ["Accept-Language": "es"])
      expect(shown.body.contains("Aquí no hay ninguna admisión que retirar"), "\(shown.body)")
      expect(!shown.body.contains("Nobody is in"), "\(shown.body)")
    }
  }

  /// The gateway's end is told to pages of staff as it is to doors; and to nobody who may not see them.
  @Test func whetherTheGatewayIsThereIsToldAtOnce() async throws {
    try await withPages(Self.station()) { bench in
      let path = "/pages/station/events"
      expectEqual(try await bench.get(path).status, 401)
      expectEqual(try await bench.get(path, as: try await bench.signIn("attendant")).status, 403)
      for role in ["technician", "organiser"] {
        let page = try await bench.get("/\(role)", as: try await bench.signIn(role))
        expect(page.body.contains("data-watch=\"\(path)\""))
      }
      let client = try await bench.follow(path: path, as: try await bench.signIn("organiser"))
      await client.await("\"kind\":\"station\"")
      await client.await("event: beat")
      bench.station.end()
      await client.await("\"kind\":\"away\"")
    }
  }

  @Test func howManyAreInTheHouseIsToldOverAllStations() async throws {
    var station = Self.station()
    station.fleet = .init(name: "summer", condition: .init(state: "together"))
    station.fleet?.inHouse = 1_160
    station.fleet?.inHouseHere = -3
    try await withPages(station) { bench in
      let page = try await bench.get("/organiser", as: try await bench.signIn("organiser"))
      expect(page.body.contains("Over all stations: 1160. By this one: -3."), "\(page.body)")
      let technician = try await bench.get("/technician", as: try await bench.signIn("technician"))
      expect(technician.body.contains("summer · together"))
    }
    station.fleet?.inHouse = nil
    station.fleet?.alone = 2
    try await withPages(station) { bench in
      let page = try await bench.get("/organiser", as: try await bench.signIn("organiser"))
      expect(
        page.body.contains("Over all stations: not known now.") && page.body.contains("does not know of them yet: 2"))
    }
  }

  @Test func lampsAreTriedInMaintenanceAlone() async throws {
    var station = Self.station()
    let ready = station
    station.gates[0].condition = .init(state: "maintenance")
    try await withPages(ready) { bench in
      let page = try await bench.get("/technician", as: try await bench.signIn("technician"))
      expect(!page.body.contains("value=\"signalTest\""))
    }
    try await withPages(station) { bench in
      let technician = try await bench.signIn("technician")
      let page = try await bench.get("/technician", as: technician)
      let form = try PageBench.fields(of: "signalTest", in: page.body)
      for _ in 0..<2 {
        let answer = try await bench.post("/technician", as: technician, form)
        expectEqual(answer.status, 303)
        expect(answer.fields["location"]?.hasPrefix("/technician?done=") == true, "\(answer.fields)")
        let shown = try await bench.get(answer.fields["location"] ?? "", as: technician)
        expect(shown.body.contains("The signal is shown."))
      }
      expectEqual(bench.station.orders.first?.action, .signalTest(station.gates[0].id, .admit))
      expectEqual(Set(bench.station.orders.map(\.id)).count, 1)
      // A gate is opened from the attendant's page alone.
      var other = form
      other["order"] = "openOnce"
      expectEqual(try await bench.post("/technician", as: technician, other).status, 400)
    }
  }

  @Test func conflictsAreAcknowledged() async throws {
    let station = Self.station()
    try await withPages(station) { bench in
      let organiser = try await bench.signIn("organiser")
      let page = try await bench.get("/organiser", as: organiser)
      let form = try PageBench.fields(of: "acknowledge", in: page.body)
      expectEqual(try await bench.post("/organiser", as: organiser, form).status, 303)
      expectEqual(bench.station.orders.map(\.action), [.acknowledge(station.outbox.open[0].id)])
      expectEqual(bench.station.orders.map(\.who), ["organiser"])
      var other = form
      (other["order"], other["text"]) = ("search", "…1234")
      _ = try await bench.post("/organiser", as: organiser, other)
      expectEqual(bench.station.orders.count, 1)
    }
  }

  @Test func organiserSeesChartsAndTheirTables() async throws {
    try await withPages(Self.station()) { bench in
      let page = try await bench.get("/organiser", as: try await bench.signIn("organiser"))
      for words in [
        "<svg class=\"chart\"", "<title id=\"throughput-0-t\">", "<desc id=\"throughput-0-d\">", "The Hall", "HALL",
        "The Tempest", "420", "500", "Stalls", "Not paid", "<details>",
      ] {
        expect(page.body.contains(words), "\(words)")
      }
      expect(!page.body.contains("style="))
      expect(page.body.utf8.count < 100_000, "\(page.body.utf8.count)")
    }
  }

  @Test func whoMakesNoReportsIsSaid() async throws {
    try await withPages(Self.station()) { bench in
      let organiser = try await bench.signIn("organiser")
      expectEqual(try await bench.get("/organiser/report?from=x&until=y&form=csv", as: organiser).status, 400)
      let page = try await bench.get("/technician/journal?before=7", as: try await bench.signIn("technician"))
      expectEqual(page.status, 200)
    }
  }

  /// Whatever stands where, no page has an element that its template has not.
  @Test(arguments: Hostile.texts) func nothingFromOutsideIsMarkup(_ text: String) throws {
    func page(_ text: String) throws -> String {
      var station = Self.station()
      station.station = text
      for index in station.gates.indices { station.gates[index].condition = .init(state: "maintenance", detail: text) }
      for index in station.readers.indices { station.readers[index].condition = .init(state: "failed", detail: text) }
      station.ticketSystems[0].branding = .init(name: text, logoText: text)
      station.ticketSystems[0].event = text
      station.ticketSystems[0].fault = .init(reason: .keyRefused, detail: text)
      station.ticketSystems[0].seats = .init(capacity: 1, sold: 1, kinds: [.init(name: text, capacity: 1, sold: 1)])
      station.outbox.open[0].words = text
      let texts = PageTexts.of(.de)
      let time = PageTime(now: SampleStation.now)
      var html = ""
      var model: PageModel = ["isThere": true, "path": "/organiser", "form": "f"]
      OrganiserRoutes.fill(&model, station, texts, time, [.acknowledge])
      html += try #require(PageLayout("organiser", title: text, kind: "organiser", model).html(texts))
      model = ["isThere": true, "path": "/technician", "form": "f"]
      TechnicianModel(
        station: station, texts: texts, time: time, orders: Set(OrderKind.allCases), program: station.version
      ).fill(&model)
      html += try #require(PageLayout("technician", title: text, kind: "technician", model).html(texts))
      return html
    }
    let hostile = try page(text)
    expect(hostile.utf8.count < 200_000, "\(hostile.utf8.count)")
    expectEqual(PageTemplatesTests.skeleton(hostile), PageTemplatesTests.skeleton(try page("x")))
  }
}
