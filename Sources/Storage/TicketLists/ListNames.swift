package import ScanModel

/// What a code is called between the stations of a fleet: the same at all of them, and by nobody else. The code itself is not in it.
package struct ListNames: Sendable {
  /// The length of a name in bytes.
  package static let length = 16

  let name: @Sendable (Code) -> [UInt8]

  /// - Parameter name: a keyed digest of a code in the ticket system's own form, of `length` bytes.
  package init(_ name: @escaping @Sendable (Code) -> [UInt8]) { self.name = name }
}

/// What a list that came over a fleet is bound to, as to its server.
package struct ListOrigin: Sendable, Hashable {
  /// The fleet's event, and the list as that fleet calls it.
  package var fleet: String

  package init(fleet: String) { self.fleet = fleet }
}

/// How a list is spread over a fleet.
package struct ListSharing: Sendable {
  /// What codes are called there.
  package var names: ListNames
  /// Whether the station's own list is given to others.
  package var gives: Bool
  /// What others give; `nil` where nothing is taken from them.
  package var origin: ListOrigin?

  package init(names: ListNames, gives: Bool, origin: ListOrigin?) {
    self.names = names
    self.gives = gives
    self.origin = origin
  }
}
