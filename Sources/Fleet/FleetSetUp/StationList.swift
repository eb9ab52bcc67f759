package import CodeSigning
package import FleetBook
package import LibCrypto
internal import WireText

/// The stations of a fleet and the keys by which they sign: whose claims are believed. Nothing in it is secret; whoever can write it at a station
/// decides whom that station believes.
package struct StationList: Sendable, Equatable {
  /// The largest file, in bytes.
  package static let mostBytes = 65_536
  /// How many stations a fleet has.
  package static let most = 200

  /// By their names.
  package private(set) var stations: [StationID: VerifyingKey]

  init(_ stations: [StationID: VerifyingKey]) { self.stations = stations }

  /// For `ClaimSeal`.
  package var keys: [StationID: Ed25519.PublicKey] {
    stations.compactMapValues { Ed25519.PublicKey(rawRepresentation: $0.bytes) }
  }

  /// The file of a fleet.
  func text(fleet: String) -> String {
    let lines = stations.sorted { $0.key.description < $1.key.description }.map { "station \($0.key) \($0.value.text)" }
    return """
      # The stations of the fleet \(fleet), and by what they sign. Made by scangate fleet, and the same at every station.
      \(lines.joined(separator: "\n"))

      """
  }

  /// Reads a list: lines `station NAME BASE64`, and comments from a `#` on.
  /// - Parameter file: its name, for the words of a fault.
  package static func read(_ bytes: [UInt8], file: String) throws(FleetFault) -> StationList {
    do throws(EditedList.Problem) {
      let list = try EditedList(bytes, mostBytes: mostBytes, mostLines: most + 56)
      var stations: [StationID: VerifyingKey] = [:]
      for line in list.lines {
        func problem(_ what: String, at word: Int = 0) -> EditedList.Problem {
          EditedList.Problem(line: line.number, column: line.column(of: word), what: what)
        }
        guard line.keyword == "station", line.words.count == 3 else {
          throw problem("a line is written as: station NAME BASE64, as scangate fleet writes it")
        }
        guard let station = StationID(line.text(1)) else {
          throw problem("a station's name has 1 to \(StationID.longest) of a-z, 0-9 and -", at: 1)
        }
        guard let key = VerifyingKey(text: line.text(2)) else {
          throw problem("this is no public key: 44 characters, as scangate fleet writes them", at: 2)
        }
        if stations[station] != nil { throw problem("the station \(station) is in the list already", at: 1) }
        // Two stations of one key could each sign for the other.
        if stations.values.contains(key) { throw problem("this key is another station's already", at: 2) }
        stations[station] = key
      }
      guard !stations.isEmpty, stations.count <= most else {
        throw EditedList.Problem(line: 1, column: 1, what: "a fleet has 1 to \(most) stations, not \(stations.count)")
      }
      return StationList(stations)
    } catch { throw FleetFault(.data, "\(file):\(error.line):\(error.column): \(error.what)") }
  }
}
