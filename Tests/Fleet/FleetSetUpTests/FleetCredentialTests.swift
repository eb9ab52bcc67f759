import CodeSigning
import Expectations
import FleetBook
import JetStreamClaims
import LibCrypto
import Testing

@testable import FleetSetUp

@Suite struct FleetCredentialTests {
  @Test func itIsOneLineThatIsSealedLikeAKey() throws {
    let credential = try FleetChange.making(wish(), at: made).credential("north")
    let text = credential.toBeSealed
    expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && text.utf8.count < 400, "\(text.utf8.count)")
    let again = try #require(FleetCredential(text))
    expectEqual(again.toBeSealed, text)
    expect(again.station == credential.station && again.key?.mark == credential.key?.mark)
  }

  /// Each letter counts: what was pasted by half, changed, or put together of two is no credential.
  @Test func whatWasChangedIsNone() throws {
    let change = try FleetChange.making(wish(), at: made)
    let text = try change.credential("north").toBeSealed
    for place in text.indices {
      var other = text
      other.replaceSubrange(place...place, with: text[place] == "a" ? "b" : "a")
      expect(FleetCredential(other) == nil, "a letter at \(text.distance(from: text.startIndex, to: place))")
      expect(FleetCredential(String(text[..<place])) == nil)
    }
    for other in ["", " " + text, text + " ", text + ":", text + "=", text.uppercased()] {
      expect(FleetCredential(other) == nil)
    }
    let parts = text.split(separator: ":").map(String.init)
    let others = try change.credential("south").toBeSealed.split(separator: ":").map(String.init)
    for place in parts.indices where parts[place] != others[place] {
      var mixed = parts
      mixed[place] = others[place]
      expect(FleetCredential(mixed.joined(separator: ":")) == nil)
    }
  }

  @Test func whatSystemCallsAKeyIsToldApart() throws {
    let change = try FleetChange.making(wish(), at: made)
    let administrator = String(try change.text("keep/administrator").dropLast())
    expectEqual(FleetAdministrator.key(administrator)?.user, change.layout.administrators.first)
    expect(FleetAdministrator.key(try change.credential("north").toBeSealed) == nil)
    expect(FleetCredential(administrator) == nil)
    let key = String(try change.text("keep/fleet.key").dropLast())
    expectEqual(
      FleetKeyText.bytes(key).flatMap { FleetKey(bytes: $0)?.mark }, try change.credential("north").key?.mark)
    expect(FleetKeyText.bytes(String(key.dropLast(4))) == nil && FleetKeyText.bytes(administrator) == nil)
  }

  @Test func aListOfStationsSaysWhereItIsWrong() throws {
    let change = try FleetChange.making(wish(), at: made)
    let text = try change.text("stations/north/stations.txt")
    let lines = text.split(separator: "\n").map(String.init)
    let (north, south) = (lines[1], lines[2])
    func fault(_ text: String) -> String {
      do throws(FleetFault) {
        _ = try StationList.read(Array(text.utf8), file: "stations.txt")
        return ""
      } catch { return error.description }
    }
    expectEqual(fault(text), "")
    expectEqual(fault("\u{FEFF}" + text.replacing("\n", with: "\r\n") + "# more\r\n\r\n"), "")
    expect(fault("").contains("1 to 200 stations, not 0"))
    expect(fault("\(north)\n\(north)\n").hasPrefix("stations.txt:2:9: the station north"))
    let key = north.split(separator: " ")[2]
    expect(fault("\(north)\nstation west \(key)\n").hasPrefix("stations.txt:2:14: this key is another station's"))
    expect(fault("\(south)\nstation North \(key)\n").hasPrefix("stations.txt:2:9: a station's name"))
    expect(fault("station north \(key.dropLast(4))\n").contains("no public key"))
    expect(fault("station north \(Base64.text([UInt8](repeating: 0, count: 32)))\n").contains("no public key"))
    expect(fault("key north \(key)\n").contains("station NAME BASE64"))
    expect(fault("station north\n").contains("station NAME BASE64"))
    let many = (0...200).map { number in
      "station s\(number) \(Base64.text(SHA256.hash(data: [UInt8](String(number).utf8))))"
    }
    expect(fault(many.joined(separator: "\n")).contains("1 to 200 stations, not 201"))
  }
}
