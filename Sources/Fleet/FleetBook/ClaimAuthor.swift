internal import WireCoding

extension ClaimSeal {
  /// Which station a value says that it is of; `nil` where it says none. Nobody has proven it: `open` does.
  package static func author(of value: [UInt8]) -> StationID? {
    guard value.first.flatMap(BookFormat.init(rawValue:)) != nil, value.count <= longest else { return nil }
    var reader = WireReader(value[...])
    do throws(WireError) {
      _ = try reader.take(UInt8.self)
      _ = try reader.take(UInt64.self)
      return StationID(try reader.takeText(limit: StationID.longest))
    } catch { return nil }
  }
}
