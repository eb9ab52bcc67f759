/// The port to a technology of readers: it owns its devices and delivers what they read.
package protocol ReadSource: Sendable {
  /// Begins to watch for devices and to read. Returns at once; a device that is absent is parked, not an error.
  /// - Parameter deliver: called on the source's own thread; it must return at once and never wait for anything.
  func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError)

  /// Lets go of every device. After it returns, nothing is delivered any more.
  func stop() async

  /// Returns once the source's own thread has come round: for a watchdog, which learns that it does not hang.
  func heartbeat() async
}

/// What a reader tells.
package enum ReaderEvent: Sendable, Equatable {
  /// A whole read.
  case read(RawRead)
  /// A code that was read before is still in the reader's view, and the gate's hold-off counts from here. Told now and then as
  /// long as it is so; `readAt` is when it was seen.
  case inView(RawRead)
  /// A code that was read before has left the reader's view: shown to it again, it is presented anew. `readAt` is when it was
  /// last seen.
  case left(RawRead)
  /// Input that was thrown away, because a code made of it could be a wrong one. `characters` is what is known of its length.
  case discarded(reader: ReaderID, reason: DiscardReason, characters: Int, at: MonotonicTime)
  /// The reader's state changed.
  case state(reader: ReaderID, state: ReaderState)
  /// The reader's device became another one right after a read: somebody may have shown a programming barcode to it.
  case identityChanged(reader: ReaderID, before: DeviceDescription, after: DeviceDescription, at: MonotonicTime)
}

/// What a device calls itself, as far as it says; to be told, not to be believed.
package struct DeviceDescription: Sendable, Hashable {
  /// Vendor and product, such as `0c2e:0901`.
  package var model: String?
  /// Its name.
  package var name: String?
  /// Its serial number.
  package var serial: String?

  package init(model: String?, name: String? = nil, serial: String? = nil) {
    self.model = model
    self.name = name
    self.serial = serial
  }
}

/// Why input was thrown away. The raw values are the names in events.
package enum DiscardReason: String, Sendable, CaseIterable {
  /// Typed before the first silence after attach: perhaps the second half of a code.
  case afterAttach
  /// The kernel's buffer overflowed (SYN_DROPPED).
  case overflow
  /// Longer than the longest code.
  case tooLong
  /// The device went away in the middle of a code.
  case unplugged
  /// The configured prefix or suffix was missing.
  case framing
  /// A byte came damaged (parity or framing error, break): a serial line's noise, or its speed or framing are wrong.
  case damaged
  /// Several codes in view of a camera that is to be shown one at a time.
  case several
}

/// The state of a configured reader.
package enum ReaderState: Sendable, Equatable {
  /// Absent now; normal, not an error.
  case parked
  /// Present, but not ours yet; says what is waited for (a permission, another program's grab, a key to be released).
  case waiting(String)
  /// Grabbed and reading; the device's name and node.
  case reading(String)
  /// Cannot work as it is configured: what happened, to which device, and what to do.
  case failed(String)

  /// The name in events.
  package var name: String {
    switch self {
    case .parked: "parked"
    case .waiting: "waiting"
    case .reading: "reading"
    case .failed: "failed"
    }
  }
}

/// A device or output that cannot be used.
package struct DeviceError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device: a node, a line, an LED, with its configured name where there is one.
  package var device: String
  /// What happened, in words.
  package var what: String
  /// What to do about it.
  package var remedy: String
  /// The system's error number, where the cause was a system call.
  package var errno: Int32?
  /// Whether the device may have done what it was told all the same.
  package var mayHaveHappened: Bool

  package init(
    device: String, what: String, remedy: String, errno: Int32? = nil, mayHaveHappened: Bool = false
  ) {
    self.mayHaveHappened = mayHaveHappened
    self.device = device
    self.what = what
    self.remedy = remedy
    self.errno = errno
  }

  package var description: String { "\(device): \(what). \(remedy)" }
}
