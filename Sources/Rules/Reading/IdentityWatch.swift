package import ScanModel

/// Notices that a scanner has become another one: somebody may have shown a programming barcode to it, which makes it leave
/// the bus and come back speaking another way, or lose its serial number.
///
/// It is told when: right after a read (within 10 s), the device at the reader's port leaves and another one comes; or one of
/// the same vendor comes back changed within 3 s, which is faster than hands swap plugs (a programming barcode need not be
/// delivered as a read). A replaced scanner outside these times is a replaced scanner.
///
/// It remembers what is plugged in, and for some seconds what was. A device that the bus does not tell of (a wireless one, which has
/// another place each time it comes) is remembered no longer than its reader holds it.
package struct IdentityWatch: Sendable {
  /// What the bus says of a device at a port.
  package struct Identity: Hashable, Sendable {
    /// The USB vendor.
    package var vendor: UInt16?
    /// The USB product.
    package var product: UInt16?
    /// The serial number.
    package var serial: String?
    /// The classes of its interfaces, as udev tells them (`:030101:`).
    package var interfaces: String?
    /// What it calls itself.
    package var name: String?

    package init(
      vendor: UInt16?, product: UInt16?, serial: String? = nil, interfaces: String? = nil, name: String? = nil
    ) {
      self.vendor = vendor
      self.product = product
      self.serial = serial
      self.interfaces = interfaces
      self.name = name
    }

    /// Whether it is another one. A name alone does not make it so, nor do interfaces of which udev has not told yet.
    func differs(from other: Identity) -> Bool {
      if let interfaces, let others = other.interfaces, interfaces != others { return true }
      return vendor != other.vendor || product != other.product || serial != other.serial
    }
  }

  /// A reader's device became another one.
  package struct Change: Sendable, Equatable {
    /// The reader.
    package var reader: ReaderID
    /// What it was.
    package var before: Identity
    /// What is at its port now.
    package var after: Identity
  }

  /// How long after a read a change is suspicious.
  package static let afterRead = Duration.seconds(10)
  /// How soon a device is back that was not swapped by hand.
  package static let comesBack = Duration.seconds(3)

  private struct Leaving {
    var reader: ReaderID
    var before: Identity
    var at: MonotonicTime
    var isAfterRead: Bool
  }

  /// By place: what is there.
  private var present: [String: Identity] = [:]
  /// By place: the reader that reads there, or did when the device left.
  private var readers: [String: ReaderID] = [:]
  private var reads: [String: MonotonicTime] = [:]
  private var leaving: [String: Leaving] = [:]

  package init() {}

  /// A reader takes the device at this place (its path in sysfs, which is that of its port).
  package mutating func hold(_ place: String, by reader: ReaderID) { readers[place] = reader }

  /// A reader lets go of the device at this place. Where the bus tells of it, its leaving is heard of by that.
  package mutating func letGo(_ place: String) {
    guard present[place] == nil else { return }
    readers[place] = nil
    reads[place] = nil
  }

  /// How many places it remembers something of.
  var places: Int { Set(present.keys).union(readers.keys).union(reads.keys).union(leaving.keys).count }

  /// A whole read came from the device at this place.
  package mutating func read(at place: String, _ time: MonotonicTime) {
    // What nobody holds is nobody's.
    if readers[place] != nil { reads[place] = time }
  }

  /// What was told of the bus may be incomplete: these are the only places at which there is anything.
  package mutating func leave(allBut places: Set<String>, at time: MonotonicTime) {
    for place in present.keys where !places.contains(place) { leave(place, at: time) }
  }

  /// The device at this place is gone.
  package mutating func leave(_ place: String, at time: MonotonicTime) {
    leaving = leaving.filter { time - $0.value.at <= Self.afterRead }
    guard let before = present.removeValue(forKey: place) else { return }
    let read = reads.removeValue(forKey: place)
    guard let reader = readers.removeValue(forKey: place) else { return }
    let isAfterRead = read.map { time - $0 <= Self.afterRead } ?? false
    leaving[place] = Leaving(reader: reader, before: before, at: time, isAfterRead: isAfterRead)
  }

  /// A device is at this place, new or told of again.
  package mutating func come(_ identity: Identity, to place: String, at time: MonotonicTime) -> Change? {
    // Without ids it tells nothing: the bus speaks of a device once more while it leaves.
    if identity.vendor == nil, identity.product == nil { return nil }
    // Its leaving went unheard.
    if let known = present[place], known.differs(from: identity) { leave(place, at: time) }
    present[place] = identity
    guard let left = leaving.removeValue(forKey: place), left.before.differs(from: identity) else { return nil }
    let away = time - left.at
    let isSuspicious =
      left.isAfterRead
      ? away <= Self.afterRead : left.before.vendor == identity.vendor && away <= Self.comesBack
    return isSuspicious ? Change(reader: left.reader, before: left.before, after: identity) : nil
  }
}
