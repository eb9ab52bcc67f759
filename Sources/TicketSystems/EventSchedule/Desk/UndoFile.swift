internal import Glibc
internal import LinuxIO
internal import TicketSystemKit
internal import ScanModel
internal import WireText

/// The file that holds what something was before it was changed, where nobody has named one.
enum UndoFile {
  /// More are not made within a second.
  private static let most = 100

  /// A name that can stand in a path: `event-457-20261201T190000Z`.
  static func name(_ resource: DeskResource, _ id: String, _ now: WallTime) -> String {
    let plain = PublicID.number(id).map(String.init) ?? PercentCoding.encode(id)
    let time = now.iso8601Seconds.filter { $0 != "-" && $0 != ":" }
    return "\(resource.one)-\(plain)-\(time)"
  }

  /// Writes a new file: `NAME.json`, or where that is there `NAME-2.json` and so on.
  /// - Returns: what it is called.
  static func write(_ bytes: [UInt8], named name: String) throws(SystemError) -> String {
    var number = 1
    while true {
      let file = name + (number == 1 ? "" : "-\(number)") + ".json"
      do throws(SystemError) {
        try NewFile.write(bytes, to: file)
        return file
      } catch {
        guard error.errno == EEXIST, number < most else { throw error }
        number += 1
      }
    }
  }
}
