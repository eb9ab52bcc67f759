package import LinuxIO
package import ScanModel

/// What is peculiar to a technology of readers; `PlaceSupervisor` does what all have in common.
package protocol ReaderTechnology: Sendable {
  /// One configured reader.
  associatedtype Configuration: ReaderConfiguration
  /// Why a device cannot be read yet.
  associatedtype Obstacle: ReadObstacle where Obstacle.Configuration == Configuration
  /// An open device.
  associatedtype Session: ReadSession where Session.Obstacle == Obstacle

  /// udev's subsystem of its devices.
  static var subsystem: String { get }
  /// The thread's name as `ps -L` shows it.
  static var thread: String { get }
  /// What its readers and their devices are called in errors.
  static var names: (readers: String, devices: String) { get }
  /// What a list says of a node that belongs to a reader's device and types nothing.
  static var unfit: String { get }
  /// Whether sysfs is asked for a device that stops answering: what is not there is forgotten at once, what is there stays its
  /// reader's. Else devices are assigned anew, and it is forgotten at udev's word.
  static var asksSysfs: Bool { get }

  /// What readers could take of what udev tells, and which reader takes what.
  /// - Parameter held: by reader, the thing that it reads from now; it keeps it when another one comes.
  static func roster(
    known: [DeviceIdentity], configurations: [Configuration], held: [Int: String]
  ) -> DeviceRoster

  /// What nodes share that belong together.
  static func thing(of device: DeviceIdentity) -> String

  /// What is said of a node that the service's user may not open.
  static func refusal(_ access: NodeAccess, of device: DeviceIdentity, to service: UserAccount) -> String

  /// Looks the configurations through, and makes what opening needs and takes long to make. Not on the devices' thread.
  /// - Throws: the first thing that is wrong.
  func prepared(for configurations: [Configuration]) async throws(DeviceError) -> Self

  /// What is listened to beside the devices; `nil` where nothing is.
  func companion() throws(SystemError) -> (any PlaceCompanion)?

  /// Takes a device for this program alone and begins to read it. Called on the loop's thread, as all of a session is.
  /// - Parameter wake: has the session's `check` called at once; from the loop's thread alone.
  /// - Throws: what is in the way.
  func open(
    _ device: DeviceIdentity, for configuration: Configuration, on loop: DeviceLoop,
    wake: @escaping @Sendable () -> Void
  ) throws(Obstacle) -> Session
}

extension ReaderTechnology {
  package static var unfit: String { "it cannot be read" }
  package static var asksSysfs: Bool { false }
  package static func thing(of device: DeviceIdentity) -> String { device.sysfsPath }
  package static func refusal(_ access: NodeAccess, of device: DeviceIdentity, to service: UserAccount) -> String {
    access.refusal(of: device.node, to: service)
  }
  package func companion() throws(SystemError) -> (any PlaceCompanion)? { nil }
}

/// One configured reader, as far as the supervisor looks at it.
package protocol ReaderConfiguration: Sendable {
  /// The reader's name.
  var id: ReaderID { get }
  /// Which device is its.
  var place: DevicePlace { get }
}

/// Why a device cannot be read yet, and how soon to try again. Every pause grows, so that nothing spins.
package protocol ReadObstacle: Error, Equatable {
  associatedtype Configuration
  /// The device is not there, or not any more.
  static var absent: Self { get }
  /// The first pause before the next try, and the one that is not exceeded.
  var pauses: ClosedRange<Duration> { get }
  /// Whether only a change of the configuration helps.
  var isFault: Bool { get }
  /// What a list of devices says of it.
  var outcome: DeviceReport.Outcome { get }
  /// What is waited for, or what is wrong, and what to do; `nil` where the device is simply not there.
  func words(_ device: DeviceIdentity, for configuration: Configuration) -> String?
}

extension ReadObstacle { package var isFault: Bool { false } }

/// What is listened to beside the devices; it may have something to tell of a reader. It lives on the loop's thread.
package protocol PlaceCompanion: AnyObject {
  /// The descriptor to wait for.
  var descriptor: Int32 { get }
  /// Takes what there is.
  func hear() -> [ReaderEvent]
  /// A reader takes a device.
  func hold(_ device: DeviceIdentity, by reader: ReaderID)
  /// A reader lets go of a device.
  func letGo(_ device: DeviceIdentity)
  /// A device told something.
  func note(_ event: ReaderEvent, of device: DeviceIdentity)
}
