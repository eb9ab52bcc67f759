import Expectations
import Foundation
import Testing

/// `scangate booking shows|show|seats|seatmap`, at services of both shapes.
@Suite struct BookingShowTests {
  typealias Service = BookingService

  @Test(arguments: Service.Shape.allCases) func shows(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("shows")
      expectStatus(result, 0)
      expectEqual(bench.lines(), ["GET /api/shows"])
      let rows = result.lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
      expectEqual(rows.compactMap(\.first), ["zero", Service.show])
      // No such day, no such time, and no such price.
      expect(result.lines[1].contains("0000-00-00 (no date)") && result.lines[1].contains("24:00:00 (no time)"))
      expect(!result.output.contains("-5"), "\(result.output)")
      expect(result.lines[2].contains("£45.5"), "\(result.output)")
      let json = await bench.run("shows", "--json")
      let price = json.objects.last?["minPrice"] as? [String: Any]
      expectEqual(price?["unit"] as? String, "pounds")
      expectEqual(price?["amount"] as? Double, 45.5)
    }
  }

  @Test(arguments: Service.Shape.allCases) func showsThatAreLookedFor(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      for (words, ids) in [
        (["--search", "tempest"], [Service.show]), (["--search", "PALACE"], ["zero"]), (["--search", "x y"], []),
        (["--date", "2026-12-01"], [Service.show]), (["--date", "2026-12-02"], []),
      ] {
        let result = await bench.run(["shows", "--json"] + words)
        expectEqual(result.objects.compactMap { $0["id"] as? String }, ids, "\(words)")
      }
      for date in ["tomorrow", "2026-02-30", "2026-12-01T19:30:00"] {
        await expectStatus(bench.run("shows", "--date", date), 64)
      }
    }
  }

  /// By its own call; where there is none, by the list.
  @Test(arguments: Service.Shape.allCases) func show(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("show", Service.show)
      expectStatus(result, 0)
      expect(result.output.contains("The Tempest") && result.output.contains("The Hamilton"), "\(result.output)")
      let asked = ["GET /api/shows/\(Service.show)"] + (shape == .real ? ["GET /api/shows"] : [])
      expectEqual(bench.lines(), asked)
      expectEqual(result.errors.contains("looked up in the list"), shape == .real, "\(result.errors)")
      await expectStatus(bench.run("show", "other"), 1)
    }
  }

  @Test(arguments: Service.Shape.allCases) func seats(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("seats", Service.show)
      expectStatus(result, 0)
      let price = shape == .real ? "£45.50 (4550 p)" : "£45.5"
      expectEqual(
        result.lines.first?.split(separator: " ").map(String.init), ["SEAT", "SECTION", "STATUS", "PRICE", "ID"])
      expect(result.lines[1].hasPrefix("F-12") && result.lines[1].contains(price), "\(result.output)")
      expect(result.lines[5].hasPrefix("G-1") && result.lines[5].contains("sold"), "\(result.output)")
      let free = await bench.run("seats", Service.show, "--available", "--json")
      expectEqual(free.objects.count, 4)
      let told = free.objects.first?["price"] as? [String: Any]
      expectEqual(told?["unit"] as? String, shape == .real ? "pence" : "pounds")
    }
  }

  @Test(arguments: Service.Shape.allCases) func seatMap(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("seatmap", Service.show)
      expectStatus(result, 0)
      expectEqual(
        result.lines.last?.split(separator: " ").prefix(6).map(String.init), ["Stalls", "#1D4ED8", "5", "4", "0", "1"])
      expectEqual(
        bench.lines(), ["GET /api/shows/\(Service.show)/seatmap", "GET /api/shows/\(Service.show)/seats"])
      let json = await bench.run("seatmap", Service.show, "--json")
      expectEqual(json.objects.first?["name"] as? String, "Main House")
      expectEqual(json.objects.first?["placed"] as? Int, shape == .real ? 5 : 0)
    }
  }

  @Test(arguments: Service.Shape.allCases) func seatMapAsPicture(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let file = bench.server.folder.appending(path: "house.svg").path
      await expectStatus(bench.run("seatmap", Service.show, "--svg", file), 0)
      let first = try String(contentsOfFile: file, encoding: .utf8)
      expect(first.hasPrefix("<svg ") && first.hasSuffix("</svg>\n"), "\(first)")
      expectEqual(first.matches(of: /<g><title>/).count, 5)
      expect(first.contains("Stalls, row F, seat 12: available"), "\(first)")
      // Another seat is gone: what is there stays, unless it is said.
      bench.service.change { $0.seats["s12"] = "sold" }
      let asked = bench.lines().count
      await expectStatus(bench.run("seatmap", Service.show, "--svg", file), 64)
      expectEqual(bench.lines().count, asked)
      expectEqual(try String(contentsOfFile: file, encoding: .utf8), first)
      await expectStatus(bench.run("seatmap", Service.show, "--svg", file, "--force"), 0)
      expect(try String(contentsOfFile: file, encoding: .utf8).contains("row F, seat 12: sold"))
      await expectStatus(bench.run("seatmap", Service.show, "--svg", "/nowhere/at/all.svg"), 74)
      await expectStatus(bench.run("seatmap", Service.show, "--svg", "house.png"), 64)
      // A link in its place is not followed, nor replaced.
      let link = bench.server.folder.appending(path: "link.svg").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
      await expectStatus(bench.run("seatmap", Service.show, "--svg", link, "--force"), 74)
    }
  }

  @Test(arguments: Service.Shape.allCases) func aShowWithoutAMap(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, { $0.hasNoMap = true }) { bench in
      let result = await bench.run("seatmap", Service.show)
      expectStatus(result, 0)
      expect(result.errors.contains("has no map of this show"), "\(result.errors)")
      expect(result.output.contains("Stalls"), "\(result.output)")
    }
  }

  @Test(arguments: ["", " ", ".", "..", "a b", String(repeating: "x", count: 200)])
  func anIDThatIsNoneIsNotSent(id: String) async throws {
    try await BookingBench.open(.real) { bench in
      for command in ["show", "seats", "seatmap"] { await expectStatus(bench.run(command, id), 64) }
      await expectStatus(bench.run("reserve", id, "F-12"), 64)
      expect(bench.lines().isEmpty)
    }
  }

  @Test func anIDIsOneStepOfAPath() async throws {
    try await BookingBench.open(.real) { bench in
      await expectStatus(bench.run("seats", "a/../../b?c#d"), 69)
      expectEqual(bench.lines(), ["GET /api/shows/a%2F..%2F..%2Fb%3Fc%23d/seats"])
    }
  }
}
