import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// A camera's picture on the technician's page, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct PicturePageTests {
  private static let path = "/technician/picture"
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]

  private static func station() -> StationSnapshot {
    var station = SampleStation.snapshot()
    station.readers[0].isCamera = true
    return station
  }

  private static func view() -> CameraView {
    CameraView(
      jpeg: jpeg, width: 640, height: 360, format: "1280x720 MJPG", age: .milliseconds(40), rate: 299, light: .covered,
      brightness: 4, isFrozen: true,
      seen: [
        CameraView.Seen(
          symbology: "qr", code: "TICKET-0001-SECRET",
          corners: [.init(x: 10, y: 20), .init(x: 110, y: 20), .init(x: 110, y: 120), .init(x: 10, y: 120)])
      ])
  }

  private func form(_ bench: PageBench, _ visitor: PageBench.Visitor) async throws -> [String: String] {
    let page = try await bench.get("/technician", as: visitor)
    let form = try #require(page.body.components(separatedBy: "<form").first { $0.contains("action=\"\(Self.path)\"") })
    var fields: [String: String] = [:]
    for input in form.components(separatedBy: "<input type=\"hidden\" name=\"").dropFirst() {
      let parts = input.components(separatedBy: "\"")
      fields[parts[0]] = parts[2]
    }
    return fields
  }

  private static func source(in page: String) throws -> String {
    try #require(page.components(separatedBy: "<img src=\"").dropFirst().first?.components(separatedBy: "\"").first)
  }

  @Test func aTechnicianSeesOnePictureOnce() async throws {
    try await withPages(Self.station(), react: { _ in .answer(.picture(Self.view())) }) { bench in
      let visitor = try await bench.signIn("technician")
      let page = try await bench.post(Self.path, as: visitor, try await form(bench, visitor))
      expectEqual(page.status, 200)
      expectEqual(bench.station.orders.map(\.action), [.picture(Self.station().readers[0].id)])
      expectEqual(bench.station.orders.map(\.who), ["technician"])
      expect(page.body.contains("points=\"10,20 110,20 110,120 10,120\"") && page.body.contains("…CRET"))
      expect(!page.body.contains("TICKET-0001") && !page.body.contains("data:"), "no whole code, nothing inline")
      expect(page.body.contains("Black: something is before the camera") && page.body.contains("29.9"))
      expect(page.body.contains("the camera hangs") && page.body.contains("1280x720 MJPG"))
      let source = try Self.source(in: page.body)
      // Another session has nothing of it, nor has who has none; nor are they told that there is something.
      let other = try await bench.signIn("technician")
      expectEqual(try await bench.get(source, as: other).status, 404)
      expect(try await bench.get(source).status != 200)
      let picture = try await bench.get(source, as: visitor)
      expectEqual(picture.status, 200)
      expect(picture.fields["content-type"] == "image/jpeg" && picture.fields["cache-control"] == "no-store")
      expectEqual(try await bench.get(source, as: visitor).status, 404, "once")
    }
  }

  @Test(arguments: ["attendant", "organiser"]) func nobodyElseDoes(_ role: String) async throws {
    try await withPages(Self.station(), react: { _ in .answer(.picture(Self.view())) }) { bench in
      let technician = try await bench.signIn("technician")
      let visitor = try await bench.signIn(role)
      var fields = try await form(bench, technician)
      expectEqual(try await bench.post(Self.path, as: visitor, fields).status, 403, "a form of somebody else")
      fields["form"] = nil
      expectEqual(try await bench.post(Self.path, as: technician, fields).status, 403, "a form of nobody")
      expectEqual(bench.station.orders, [])
    }
  }

  @Test func whatTheFileDoesNotAllowIsNotOffered() async throws {
    try await withPages(orders: [.search], Self.station()) { bench in
      let visitor = try await bench.signIn("technician")
      let page = try await bench.get("/technician", as: visitor)
      expect(page.body.contains("does not name picture") && !page.body.contains("action=\"\(Self.path)\""))
    }
  }

  @Test(arguments: [
    (OrderRefusal.unknown, "There is no such reader."), (.nothingThere, "This reader is no camera."),
    (.tooMany, "Wait a little."), (.outOfService, "The camera gives no picture now."),
  ]) func whyThereIsNoneIsSaid(_ refusal: OrderRefusal, _ words: String) async throws {
    try await withPages(Self.station(), react: { _ in .answer(.refused(refusal, "Why not.")) }) { bench in
      let visitor = try await bench.signIn("technician")
      let page = try await bench.post(Self.path, as: visitor, try await form(bench, visitor))
      expect(page.status == 200 && page.body.contains(words) && !page.body.contains("<img"), "\(refusal)")
      expectEqual(page.body.contains("Why not."), refusal == .outOfService)
    }
  }

  @Test func picturesThatNobodyFetchesAreFew() {
    let pictures = PagePictures()
    for number in 0..<20 {
      let caller = PageCaller(name: "anna", role: .technician, sign: .session("\(number)"))
      pictures.keep(Self.jpeg, OrderID(), for: caller)
      pictures.keep(Self.jpeg, OrderID(), for: caller)
    }
    expectEqual(pictures.count, PagePictures.most)
  }
}
