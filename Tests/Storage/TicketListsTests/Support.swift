import Glibc
import LinuxIO
import ScanModel
import Sealing
import Testing

@testable import TicketLists

/// A state folder with its station's key, gone at the end.
final class ListFolder: Sendable {
  let path: String
  let key: SealKey

  init() throws {
    var template = Array("/tmp/tickets-XXXXXX".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
    key = try #require(SealKey(bytes: [UInt8](repeating: 7, count: SealKey.length)))
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var place: TicketListPlace {
    TicketListPlace(state: path, system: TicketSystemID("venue"), server: "eventschedule https://venue.example")
  }

  /// What lies in the folder.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let name = String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func settings(isTrial: Bool = false, isForced: Bool = false, key: SealKey? = nil) -> TicketImport.Settings {
    TicketImport.Settings(
      place: place, key: key ?? self.key, isTrial: isTrial, isForced: isForced,
      recognise: { code in
        code.text.hasPrefix("https://") ? Code(String(code.text.split(separator: "/").last ?? "")) : code
      }, folding: { TicketKey(Array($0.text.lowercased().utf8)) }, zone: utc)
  }

  /// Imports a file of these bytes.
  @discardableResult func load(
    _ bytes: [UInt8], _ settings: TicketImport.Settings, asOf: Int64 = 1_700_000_000
  ) throws -> TicketImport.Report {
    let file = "\(path)/file.csv"
    let number = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let opened = OwnedDescriptor(owning: try #require(number >= 0 ? number : nil))
    defer { unlink(file) }
    try #require(write(number, bytes, bytes.count) == bytes.count)
    let work = try TicketImport(settings)
    try work.read(opened, named: "file.csv")
    return try work.finish(asOf: WallTime(seconds: asOf), imported: WallTime(seconds: asOf + 100))
  }

  @discardableResult func load(_ text: String) throws -> TicketImport.Report {
    try load([UInt8](text.utf8), settings())
  }

  /// What the list says of a code.
  func find(_ code: String) throws -> ListedTicket? { try TicketListReader(place, key: key).find(Code(code)) }
}

/// UTC for whatever zone, but for one that is an hour east and one that is none.
func utc(zone: String?, day: [Int], clock: [Int]) -> WallTime? {
  if zone == "Nowhere" { return nil }
  var parts = tm()
  parts.tm_year = Int32(day[0] - 1_900)
  parts.tm_mon = Int32(day[1] - 1)
  parts.tm_mday = Int32(day[2])
  parts.tm_hour = Int32(clock[0])
  parts.tm_min = Int32(clock[1])
  parts.tm_sec = Int32(clock[2])
  let seconds = Int64(timegm(&parts))
  guard clock[0] == 24 || parts.tm_mday == Int32(day[2]) else { return nil }
  return WallTime(seconds: seconds - (zone == "East" ? 3_600 : 0))
}

/// What a file has.
func bytes(of path: String) throws -> [UInt8] {
  let number = open(path, O_RDONLY | O_CLOEXEC)
  try #require(number >= 0)
  defer { close(number) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(number, &buffer, buffer.count)
    guard count > 0 else { return bytes }
    bytes += buffer.prefix(count)
  }
}
