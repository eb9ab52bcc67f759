package import ScanModel
internal import Glibc
internal import LinuxIO
package import SetUpCodes

/// The trust list on the disk; it may lie on the boot partition, where a technician puts it from any computer.
package enum TrustFile {
  /// Reads the list; a file that is not there trusts nobody.
  /// - Throws: why it cannot be read, or everything that is wrong in it.
  package static func load(_ path: String) throws(SetupError) -> TrustList {
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      bytes = try SmallFile.read(file.number, upTo: TrustList.mostBytes)
    } catch {
      if error.errno == ENOENT { return .none }
      throw SetupError("The trust list \(path) cannot be read (\(error.words)). Let the service read it.")
    }
    return try Result { () throws(TrustFault) in try TrustList.read(bytes, file: path) }
      .mapError { SetupError($0.description) }.get()
  }
}
