@testable import StationSetUp
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Sealing
import Testing

@testable import Gateway

/// What is kept is read part by part; nothing damaged is believed.
@Suite struct ControlRecordTests {
  private static func whole() -> ControlRecord {
    var record = ControlRecord()
    record.stationID = StationUUID.make()
    record.activation = KeptActivation(
      server: ControlFixture.server,
      value: Activation(
        kioskID: "kiosk-1", token: ControlToken("abc.def.ghi"), expires: WallTime(seconds: 2_000_000_000)),
      activated: WallTime(seconds: 1_766_000_000))
    record.attempt = ActivationAttempt(server: ControlFixture.other, sent: WallTime(seconds: 1))
    var configuration = ControlConfiguration()
    configuration.name = "North \u{202E}"
    configuration.statusMessages = [.inUse: "Busy", .lunch: "Lunch"]
    configuration.maintenance = .init(day: .weekly(3), minute: 90, minutes: 60)
    configuration.updated = WallTime(seconds: 5)
    record.configuration = KeptConfiguration(value: configuration, fetched: WallTime(seconds: 7))
    record.token = TokenNote(refusedSince: WallTime(seconds: 8), accepted: WallTime(seconds: 9))
    record.manual = ManualStatus(status: .lunch, since: WallTime(seconds: 10))
    return record
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let record = Self.whole()
    let read = ControlRecord.read(try record.bytes())
    expectEqual(read.record, record)
    expectEqual(read.problems, [])
    let empty = ControlRecord.read(try ControlRecord().bytes())
    expect(empty.record == ControlRecord() && empty.problems == [])
  }

  /// Written by the first version.
  @Test func theFirstFormIsReadForEver() throws {
    let text = """
      {"activation":{"activated":1766000000000000000,"kioskID":"k","server":{"name":"a.example:443","url":"https://a.example"},\
      "token":"t"},"future":[1],"stationID":"0f8fad5b-d9cb-469f-a165-70867728950e","token":{},"version":1}
      """
    let (record, problems) = ControlRecord.read([UInt8](text.utf8))
    expectEqual(problems, [])
    expectEqual(record.activation?.value, Activation(kioskID: "k", token: ControlToken("t"), expires: nil))
    expectEqual(record.stationID, "0f8fad5b-d9cb-469f-a165-70867728950e")
  }

  @Test(arguments: [
    #""activation":{"kioskID":"","server":{"name":"a","url":"b"},"activated":1}"#,
    #""activation":{"kioskID":"k","server":{"name":"a","url":"b"},"activated":1,"token":"a b"}"#,
    #""activation":{"kioskID":"k","server":{"name":"a","url":"b"},"activated":1,"token":7}"#,
    #""activation":{"kioskID":"k","activated":1}"#, #""activation":[]"#, #""activation":"yes""#,
  ]) func aDamagedActivationIsNoneAndTheRestHolds(part: String) {
    let (record, problems) = ControlRecord.read(
      [UInt8](("{\(part),\"manual\":{\"status\":\"lunch\",\"since\":1}}").utf8))
    expect(record.activation == nil)
    expectEqual(record.manual?.status, .lunch)
    expect(problems.count == 1 && problems[0].contains("not activated"))
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func noBytesTrapAndNoneMakeAnActivationOfNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let good = try Self.whole().bytes()
    for _ in 0..<200 {
      var bytes = good
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      case 1:
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      case 2:
        let start = Int.random(in: bytes.indices, using: &random)
        bytes.removeSubrange(start..<min(start + Int.random(in: 1...40, using: &random), bytes.count))
      default:
        bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      let record = ControlRecord.read(bytes).record
      if let activation = record.activation {
        expect((1...256).contains(activation.value.kioskID.utf8.count), "seed \(seed)")
      }
      if let id = record.stationID { expect(StationUUID.isOne(id), "seed \(seed)") }
    }
    expectEqual(ControlRecord.read([UInt8](String(repeating: "[", count: 100_000).utf8)).record, ControlRecord())
  }
}
