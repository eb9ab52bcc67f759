import CLinux
import Glibc
import LinuxIO

/// Memory that is shared with a worker. It can be neither grown nor shrunk, so that nobody who has it mapped can be made to
/// fall off its end.
struct SealedMemory: ~Copyable {
  /// Who may write.
  enum Writers {
    /// This process alone: whoever else maps it later, may read.
    case here
    /// The worker too.
    case everybody
  }

  let descriptor: OwnedDescriptor
  /// The bytes; zero at first, and no memory is used before they are touched.
  let bytes: UnsafeMutableRawBufferPointer

  /// Makes memory.
  /// - Throws: the system's error.
  init(bytes count: Int, writers: Writers) throws(SystemError) {
    let descriptor = try OwnedDescriptor(clinux_memory("scangate-picture"), by: "memfd_create")
    let number = descriptor.number
    guard ftruncate(number, off_t(count)) == 0 else { throw SystemError(errno: errno, call: "ftruncate") }
    guard let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0), start != MAP_FAILED else {
      throw SystemError(errno: errno, call: "mmap")
    }
    // Ours is writable already; from here on there is no other one.
    var seals = clinux_seal_seal | clinux_seal_grow | clinux_seal_shrink
    if writers == .here { seals |= clinux_seal_future_write }
    guard clinux_seal(number, Int32(seals)) == 0 else {
      let error = SystemError(errno: errno, call: "F_ADD_SEALS")
      munmap(start, count)
      throw error
    }
    self.descriptor = descriptor
    bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }
}
