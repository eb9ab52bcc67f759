import Glibc

/// What the disk surely holds at one moment of a log, and what it may hold beyond.
struct DiskState {
  /// Something done to a file's contents.
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(length: Int)
  }

  struct File {
    /// What ended syncs cover.
    var durable: [UInt8] = []
    /// What came after, by its place in the log.
    var pending: [(index: Int, change: Change)] = []
  }

  struct Entry {
    /// The file that ended syncs of the folder have put under the name.
    var durable: Int?
    /// What became of the name after.
    var pending: [(index: Int, file: Int?)] = []
  }

  private enum Target {
    case file(Int)
    case folder
  }

  private(set) var files: [Int: File] = [:]
  private(set) var entries: [String: Entry] = [:]
  private(set) var promised: [UInt64] = []
  private var syncs: [Int: (began: Int, target: Target)] = [:]

  /// Takes the event that stands at `index` of the log.
  mutating func take(_ event: PowerCutLog.Event, at index: Int) {
    switch event {
    case .present(let file, let name, let bytes):
      files[file] = File(durable: bytes)
      entries[name] = Entry(durable: file)
    case .created(let file, let name):
      files[file] = File()
      entries[name, default: Entry()].pending.append((index, file))
    case .wrote(let file, let offset, let bytes):
      files[file, default: File()].pending.append((index, .write(offset: offset, bytes: bytes)))
    case .truncated(let file, let length):
      files[file, default: File()].pending.append((index, .truncate(length: length)))
    case .deleted(let name): entries[name, default: Entry()].pending.append((index, nil))
    case .syncBegan(let sync, let file): syncs[sync] = (index, .file(file))
    case .folderSyncBegan(let sync): syncs[sync] = (index, .folder)
    case .syncEnded(let sync):
      guard let sync = syncs.removeValue(forKey: sync) else { return }
      switch sync.target {
      case .file(let file): files[file]?.settle(before: sync.began)
      case .folder: for name in entries.keys { entries[name]?.settle(before: sync.began) }
      }
    case .promised(let mark): promised.append(mark)
    }
  }
}

extension DiskState.File {
  fileprivate mutating func settle(before index: Int) {
    let count = pending.prefix { $0.index < index }.count
    for (_, change) in pending.prefix(count) { change.apply(to: &durable) }
    pending.removeFirst(count)
  }
}

extension DiskState.Entry {
  fileprivate mutating func settle(before index: Int) {
    let count = pending.prefix { $0.index < index }.count
    if count > 0 { durable = pending[count - 1].file }
    pending.removeFirst(count)
  }
}

extension DiskState.Change {
  /// The length of a file that had `length`, after this.
  func length(after length: Int) -> Int {
    switch self {
    case .write(let offset, let bytes): bytes.isEmpty ? length : max(length, offset + bytes.count)
    case .truncate(let new): new
    }
  }

  /// The sectors that it writes.
  func sectors(of size: Int) -> Range<Int> {
    guard case .write(let offset, let bytes) = self, !bytes.isEmpty else { return 0..<0 }
    return offset / size..<(offset + bytes.count - 1) / size + 1
  }

  var isTruncation: Bool { if case .truncate = self { true } else { false } }

  fileprivate func apply(to bytes: inout [UInt8]) {
    let length = length(after: bytes.count)
    if length != bytes.count { bytes = bytes.resized(to: length) }
    apply(to: &bytes, within: 0..<length)
  }

  /// Changes those bytes that lie in `window`, and not the length.
  func apply(to bytes: inout [UInt8], within window: Range<Int>) {
    switch self {
    case .write(let offset, let new):
      let range = (offset..<offset + new.count).clamped(to: window.clamped(to: 0..<bytes.count))
      guard !range.isEmpty else { return }
      bytes.withUnsafeMutableBytes { target in
        new.withUnsafeBytes { source in
          UnsafeMutableRawBufferPointer(rebasing: target[range])
            .copyMemory(
              from: UnsafeRawBufferPointer(rebasing: source[range.lowerBound - offset..<range.upperBound - offset]))
        }
      }
    case .truncate(let length):
      let range = (min(length, bytes.count)..<bytes.count).clamped(to: window)
      guard !range.isEmpty else { return }
      bytes.withUnsafeMutableBytes { target in
        _ = UnsafeMutableRawBufferPointer(rebasing: target[range]).initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }
}

extension [UInt8] {
  /// The first bytes, and zeros where there are too few. By the C library: thousands of images are made without an optimiser.
  func resized(to length: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: length) { target, count in
      let kept = Swift.min(length, self.count)
      guard let start = target.baseAddress else { return }
      memcpy(start, self, kept)
      memset(start + kept, 0, length - kept)
      count = length
    }
  }
}
