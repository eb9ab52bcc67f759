internal import ScanModel
import Glibc
import HolderProtocol
import LinuxIO
import WireCoding

/// The last plan, in a file of the holder's state directory: what is held before a gateway comes.
///
///     magic (8 bytes) ─ version (2) ─ length (4) ─ the plan ─ checksum (8)
struct PlanFile: Sendable {
  private static let magic: [UInt8] = Array("SGPLAN\r\n".utf8)

  private let directory: String
  private var path: String { "\(directory)/plan" }

  init(directory: String) { self.directory = directory }

  /// What is kept.
  enum Kept: Equatable {
    case plan(OutputPlan)
    case nothing
    /// It cannot be used; it was set aside. Words for the operator.
    case damaged(String)
  }

  func load() -> Kept {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try SmallFile.read(path, limit: HolderLimits.maximumPacket + 64)
    } catch {
      if error.errno == ENOENT { return .nothing }
      return .damaged("\(path) cannot be read (\(error.words)). Allow the holder to read its state directory.")
    }
    if let fault = Self.fault(in: bytes) { return setAside(fault) }
    do throws(WireError) {
      let plan = try OutputPlan(bytes: bytes[Self.head..<bytes.count - 8])
      return plan.problem.map(setAside) ?? .plan(plan)
    } catch {
      return setAside(error.description)
    }
  }

  private func setAside(_ why: String) -> Kept {
    let aside = "\(path).damaged"
    let words = rename(path, aside) == 0 ? "It was set aside as \(aside)." : "It could not be set aside."
    return .damaged("\(path) is no plan of outputs: \(why). \(words) Nothing is held until a gateway comes.")
  }

  /// Replaces what is kept; after a cut of power there is the old plan or the new one.
  func save(_ plan: OutputPlan) throws(SystemError) {
    let bytes = plan.bytes
    var content = Self.magic
    content += Self.littleEndian(HolderLimits.version)
    content += Self.littleEndian(UInt32(clamping: bytes.count))
    content += bytes
    content += Self.littleEndian(StableHash.of(content))
    try SmallFile.replace(path, with: content)
  }

  /// How many bytes stand before the plan.
  private static let head = magic.count + 6

  /// Why the bytes hold no plan that this release reads, in words; `nil` when they may.
  private static func fault(in bytes: [UInt8]) -> String? {
    guard bytes.count >= head + 8, Array(bytes.prefix(magic.count)) == magic,
      Array(bytes.suffix(8)) == littleEndian(StableHash.of(bytes.dropLast(8))),
      Array(bytes[magic.count + 2..<head]) == littleEndian(UInt32(clamping: bytes.count - head - 8))
    else { return "it is damaged" }
    guard Array(bytes[magic.count..<magic.count + 2]) == littleEndian(HolderLimits.version) else {
      return "another release wrote it"
    }
    return nil
  }

  private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
