/// What was done to the files of one folder, in order: everything that decides what a disk may hold after a power cut.
package struct PowerCutLog: Sendable, Equatable {
  /// What happened.
  package enum Event: Sendable, Equatable {
    /// A file was there, durably, before the recording.
    case present(file: Int, name: String, bytes: [UInt8])
    /// A name came into the folder, for a new and empty file.
    case created(file: Int, name: String)
    /// Bytes were handed to the kernel.
    case wrote(file: Int, offset: Int, bytes: [UInt8])
    /// The file's length was set.
    case truncated(file: Int, length: Int)
    /// The name was removed from the folder.
    case deleted(name: String)
    /// A sync of a file begins.
    case syncBegan(sync: Int, file: Int)
    /// A sync of the folder, its names, begins.
    case folderSyncBegan(sync: Int)
    /// A sync returned without error. What was done before it began is durable.
    case syncEnded(sync: Int)
    /// Somebody was promised that this mark is durable.
    case promised(UInt64)
  }

  /// All events, oldest first.
  package var events: [Event]

  /// Makes a log, for instance by hand.
  package init(_ events: [Event]) { self.events = events }
}
