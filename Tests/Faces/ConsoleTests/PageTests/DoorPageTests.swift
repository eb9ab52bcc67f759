import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// Door pages and their streams, over real sockets.
@Suite(.timeLimit(.minutes(3))) struct DoorPageTests {
  private static func scan(_ verdict: String, gate: String = "north", more: String = "") -> String {
    let at = SystemTime().wall().iso8601
    return
      "{\"type\":\"scan\",\"gate\":\"\(gate)\",\"verdict\":\"\(verdict)\",\"code\":\"…d8vd\",\"read_at\":\"\(at)\"\(more)}"
  }

  /// What a stream's last face was.
  private func face(_ client: APIClient) -> [String: Any]? {
    client.text.components(separatedBy: "event: face\ndata: ").last.flatMap { part in
      let line = part.split(whereSeparator: \.isNewline).first ?? ""
      return (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    }
  }

  private func untilFace(_ client: APIClient, _ kind: String) async {
    await until { face(client)?["kind"] as? String == kind || client.isClosed }
    expectEqual(face(client)?["kind"] as? String, kind)
  }

  @Test func aDoorIsShownToThisMachine() async throws {
    try await withPages { bench in
      let answer = try await bench.get("/door/north", ["Accept-Language": "de-DE,de;q=0.9"])
      expectEqual(answer.status, 200)
      expect(answer.fields["content-type"] == "text/html; charset=utf-8" && answer.fields["content-language"] == "de")
      expect(answer.body.contains("lang=\"de\"") && answer.body.contains("Bitte Ticket zeigen"), "\(answer.body)")
      expect(answer.body.contains("data-stream=\"/pages/door/north/events\"") && answer.body.contains("412 drin"))
      expect(answer.body.contains("<noscript><meta http-equiv=\"refresh\" content=\"2\">"))
      expect(answer.body.utf8.count < 20_000)
      let policy = answer.fields["content-security-policy"] ?? ""
      expect(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe")
      )
      expectEqual(answer.fields["cache-control"], "no-store")
      // What it names is there.
      for part in answer.body.components(separatedBy: "/static/").dropFirst() {
        let file = try await bench.get("/static/\(part.components(separatedBy: "\"")[0])")
        expectEqual(file.status, 200)
        expectEqual(file.fields["cache-control"], "public, max-age=31536000, immutable")
      }
      expectEqual(try await bench.get("/static/pages.css").status, 404)
    }
  }

  /// What the ticket system and the control service have for people; colours where they can be read.
  @Test func anIdleDoorSaysWhatThereIs() async throws {
    var station = SampleStation.snapshot()
    station.gates[0].event = "An Evening of Strings"
    station.ticketSystems[0].branding = .init(
      name: "Town Hall", logoText: "TH", background: 0xFFFFFF, text: 0x111111, primary: 0x777777, onPrimary: 0x888888)
    station.ticketSystems[0].seats = .init(sold: 600)
    var control = StationSnapshot.Control()
    (control.board.welcomeMessage, control.board.room, control.board.status) = ("Good evening", "Hall 1", .available)
    control.board.statusTexts = [.init(status: .available, text: "Come in")]
    station.control = control
    try await withPages(station) { bench in
      let page = try await bench.get("/door/north")
      for word in ["An Evening of Strings", "412 of 600 in", "Good evening", "Hall 1", "Come in", ">TH<"] {
        expect(page.body.contains(word), "\(word): \(page.body)")
      }
      // The first colour cannot be read; the page's own can.
      let style = ":root{--brand:#ffffff;--on-brand:#111111}"
      expect(page.body.contains("<style>\(style)</style>"), "\(page.body)")
      let policy = page.fields["content-security-policy"] ?? ""
      expect(policy.contains(StyleWithin(style).source) && policy.contains(PageStatic.styleWithin.source), "\(policy)")
      // What stands in the header is what stands in the page, and nothing else may.
      expectEqual(page.body.components(separatedBy: "<style").count, 3)
      expectEqual(policy.components(separatedBy: "sha256-").count, 3)
    }
  }

  /// By other programs' words: `printf … | openssl dgst -sha256 -binary | base64`.
  @Test func aStyleIsKnownByItsHash() {
    for (text, hash) in [
      ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
      ("a{}", "X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk="),
    ] { expectEqual(StyleWithin(text).source, "'sha256-\(hash)'") }
    expect(!PageStatic.styleWithin.text.contains("</"))
  }

  @Test func theFilesLanguageStandsAboveTheBrowsers() async throws {
    try await withPages(language: .es) { bench in
      let answer = try await bench.get("/door/north", ["Accept-Language": "fr"])
      expect(answer.body.contains("lang=\"es\"") && answer.body.contains("Muestre su entrada"))
    }
  }

  @Test func verdictsComeInEachLanguage() async throws {
    try await withPages { bench in
      let english = try await bench.follow("north")
      let german = try await bench.follow("north", language: "de")
      let south = try await bench.follow("south")
      for client in [english, german, south] { await untilFace(client, "ready") }
      bench.station.tell(Self.scan("admit", more: ",\"admitted\":2,\"allowance\":4"))
      for (client, word, fact) in [(english, "ADMIT", "2 of 4 in"), (german, "EINLASS", "2 von 4 drin")] {
        await untilFace(client, "admit")
        expectEqual(face(client)?["head"] as? String, word)
        expectEqual(face(client)?["facts"] as? [String], [fact])
        expect((5_000...6_000).contains(face(client)?["left"] as? Int ?? 0), "\(client.text)")
      }
      expectEqual(face(south)?["kind"] as? String, "ready")
      // Whoever comes meanwhile has what is left, and a page without a script has the verdict.
      let page = try await bench.get("/door/north")
      expect(page.body.contains("class=\"face\" data-kind=\"admit\"") && page.body.contains("2 of 4 in"))
      let later = try await bench.follow("north")
      await untilFace(later, "admit")
      expect(face(later)?["left"] as? Int ?? 6_000 < face(english)?["left"] as? Int ?? 0)
      bench.station.tell(Self.scan("refuse", more: ",\"reason\":\"alreadyUsed\""))
      await untilFace(german, "refuse")
      expectEqual(face(german)?["reason"] as? String, "Schon benutzt")
      await untilFace(later, "refuse")
    }
  }

  /// On its screen, on an attendant's telephone, and on a page that loads itself anew.
  @Test func whatIsTakenBackGoesAtOnce() async throws {
    try await withPages { bench in
      let client = try await bench.follow("north", language: "de")
      await untilFace(client, "ready")
      bench.station.tell(Self.scan("admit", more: ",\"id\":\"aa\""))
      await untilFace(client, "admit")
      bench.station.tell(
        "{\"type\":\"order\",\"order\":\"annul\",\"gate\":\"north\",\"outcome\":\"done\",\"scan\":\"aa\"}")
      await untilFace(client, "annulled")
      expectEqual(face(client)?["head"] as? String, "ZURÜCKGENOMMEN")
      expectEqual(face(client)?["reason"] as? String, "Das Ticket lässt wieder ein")
      let page = try await bench.get("/door/north")
      expect(
        page.body.contains("class=\"face\" data-kind=\"annulled\"") && page.body.contains("TAKEN BACK"), "\(page.body)")
    }
  }

  @Test func aVerdictFades() async throws {
    try await withPages { bench in
      let client = try await bench.follow("north")
      await untilFace(client, "ready")
      let began = ContinuousClock.now
      bench.station.tell(Self.scan("admit"))
      await untilFace(client, "admit")
      await untilFace(client, "ready")
      expect(ContinuousClock.now - began >= .milliseconds(5_900))
    }
  }

  @Test func everyStreamIsWrittenToEachSecond() async throws {
    try await withPages { bench in
      let client = try await bench.follow("north")
      await until { client.text.components(separatedBy: "event: beat\ndata: {\"clock\":\"").count > 3 }
    }
  }

  /// A frozen green screen is the worst there is.
  @Test func aStationThatIsGoneTakesItsVerdictAlong() async throws {
    try await withPages { bench in
      let client = try await bench.follow("north")
      await untilFace(client, "ready")
      bench.station.tell(Self.scan("admit"))
      await untilFace(client, "admit")
      bench.station.end()
      await untilFace(client, "away")
      let page = try await bench.get("/door/north")
      expect(
        page.body.contains("class=\"face\" data-kind=\"away\"")
          && !page.body.contains("class=\"face\" data-kind=\"admit\""))
      let next = try ScriptedStation(at: bench.place.socket)
      await untilFace(client, "ready")
      await until { next.listeners == 1 }
      next.tell(Self.scan("admit"))
      await untilFace(client, "admit")
      next.end()
    }
  }

  @Test func oneStateIsWrittenOnceForAll() async throws {
    try await withPages { bench in
      var clients: [APIClient] = []
      for _ in 0..<10 { clients.append(try await bench.follow("north")) }
      for client in clients { await untilFace(client, "ready") }
      for number in 0..<300 {
        bench.station.tell(Self.scan(number % 2 == 0 ? "admit" : "refuse", more: ",\"event\":\"number \(number)\""))
        await clients[0].await("number \(number)\"")
      }
      for client in clients { await until { (face(client)?["facts"] as? [String])?.last == "number 299" } }
      for client in clients { client.close() }
    }
  }

  @Test func thereAreSoManyPagesAndNoMore() async throws {
    try await withPages { bench in
      var clients: [APIClient] = []
      for _ in 0..<DoorHub.mostStreams { clients.append(try await bench.follow("north")) }
      for client in clients { await untilFace(client, "ready") }
      expectEqual(try await bench.get("/pages/door/north/events").status, 503)
      clients.removeLast().close()
      try await until {
        let client = try await bench.follow("north")
        await until { client.text.contains("\r\n\r\n") }
        clients.append(client)
        return client.text.contains(" 200 ")
      }
    }
  }

  /// Who reads nothing holds up nobody.
  @Test func whoNeverReadsCostsNobodyAnything() async throws {
    try await withPages { bench in
      let reader = try await bench.follow("north")
      await untilFace(reader, "ready")
      for _ in 0..<5 { _ = try await bench.follow("north", reads: false) }
      let event = String(repeating: "x", count: 50)
      for number in 0..<500 {
        bench.station.tell(Self.scan("refuse", more: ",\"event\":\"\(event)\",\"kind\":\"number \(number)\""))
        await reader.await("number \(number)\"")
      }
    }
  }

  @Test(arguments: ["west", "%3Cscript%3E", "%FF", "%00", "..%2F", String(repeating: "x", count: 300)])
  func aGateThatThereIsNotIsNotFound(_ gate: String) async throws {
    try await withPages { bench in
      let answer = try await bench.get("/door/\(gate)")
      expectEqual(answer.status, 404)
      expect(
        answer.fields["content-type"]?.hasPrefix("text/html") == true && !answer.body.contains("<script>"), "\(answer)")
    }
  }

  @Test func gatesMayBeCalledWhatTheyLike() async throws {
    var station = SampleStation.snapshot()
    station.gates[0].id = GateID("süd/1 & <b>\"more\"")
    try await withPages(station) { bench in
      let home = try await bench.get("/")
      let path = "/door/s%C3%BCd%2F1%20%26%20%3Cb%3E%22more%22"
      expect(home.body.contains("href=\"\(path)\"") && !home.body.contains("<b>"), "\(home.body)")
      let page = try await bench.get(path)
      expect(page.status == 200 && page.body.contains("süd/1 &amp; &lt;b&gt;&quot;more&quot;"), "\(page.body)")
    }
  }

  @Test func whatGoesWrongIsAPage() async throws {
    try await withPages { bench in
      for (path, status) in [("/no-such-page", 404), ("/door/", 404), ("/attendant/north", 0)] {
        let answer = try await bench.get(path, ["Accept": "text/html", "Accept-Language": "fr"])
        if status > 0 {
          expectEqual(answer.status, status, "\(path)")
          expect(answer.body.contains("Cette page n’existe pas"), "\(answer.body)")
        } else {
          // Whoever has not signed in may do so.
          expect(
            [303, 401].contains(answer.status) && !answer.body.contains("<form method=\"post\" class"), "\(answer)")
        }
      }
      // Programs are told as ever.
      let program = try await bench.get("/api/v1/nothing")
      expectEqual(program.fields["content-type"], "application/problem+json")
    }
  }

  @Test func withoutAStationThePageSaysSo() async throws {
    try await withPages { bench in
      bench.station.end()
      let page = try await bench.get("/door/north")
      expect(page.status == 200 && page.body.contains("class=\"face\" data-kind=\"away\""), "\(page.body)")
      expectEqual(try await bench.get("/").status, 503)
    }
  }

  @Test func withoutPagesThereAreNone() async throws {
    let bench = try await APIBench(APIBench.place())
    for path in ["/", "/door/north", "/static/pages.css", "/sign-in", "/pages/door/north/events"] {
      let answer = try await bench.ask("GET", path, token: nil)
      expectEqual(answer.status, 404)
      expectEqual(answer.fields["content-type"], "application/problem+json")
    }
    await bench.end()
  }
}
