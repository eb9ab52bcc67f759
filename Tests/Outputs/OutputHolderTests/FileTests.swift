import Expectations
import Glibc
import HolderProtocol
import LinuxIO
import ScanModel
import SignalOutputs
import Testing

@testable import OutputHolder

@Suite struct FileTests {
  private let place: Place
  private var path: String { "\(place.path)/state/plan" }

  init() throws { place = try Place() }

  private func bytes() throws -> [UInt8] { try SmallFile.read(path, limit: 1_000_000) }

  @Test func aPlanIsKept() throws {
    let file = PlanFile(directory: "\(place.path)/state")
    expectEqual(file.load(), .nothing)
    let plan = try plan(["north", "south"], safeState: .safe)
    try file.save(plan)
    expectEqual(file.load(), .plan(plan))
    try file.save(OutputPlan(gates: []))
    expectEqual(file.load(), .plan(OutputPlan(gates: [])))
  }

  /// Every single damaged byte, and every cut, is noticed; the file is set aside and named.
  @Test func damageIsNoticed() throws {
    let file = PlanFile(directory: "\(place.path)/state")
    try file.save(plan())
    let good = try bytes()
    var damaged = good.indices.map { index in
      var bad = good
      bad[index] ^= 0x41
      return bad
    }
    damaged += (0..<good.count).map { Array(good.prefix($0)) } + [good + [0]]
    for bad in damaged {
      try SmallFile.replace(path, with: bad)
      guard case .damaged(let words) = file.load() else {
        Issue.record("damage was not noticed")
        return
      }
      expect(words.contains(path) && words.contains("set aside"))
      expectEqual(file.load(), .nothing)
    }
  }

  /// A plan of another release is whole, and is not read as if it were ours.
  @Test func aPlanOfAnotherReleaseIsNamedAsSuch() throws {
    let file = PlanFile(directory: "\(place.path)/state")
    try file.save(plan())
    var other = Array(try bytes().dropLast(8))
    other[8] &-= 1
    other += withUnsafeBytes(of: StableHash.of(other).littleEndian) { Array($0) }
    try SmallFile.replace(path, with: other)
    guard case .damaged(let words) = file.load() else {
      Issue.record("it was read")
      return
    }
    expect(words.contains("another release wrote it"))
    expectEqual(file.load(), .nothing)
  }

  @Test func aPulsesEndIsKeptForItsRelayOnly() throws {
    let gates = try plan(["north", "south"]).gates
    let run = "\(place.path)/run"
    let record = try #require(try PulseRecord(of: gates[0], in: run))
    expect(record.end() == nil)
    record.record(MonotonicTime(nanoseconds: 77))
    record.record(MonotonicTime(nanoseconds: 123_456_789))
    try expectEqual(PulseRecord(of: gates[0], in: run)?.end(), MonotonicTime(nanoseconds: 123_456_789))
    expect(try PulseRecord(of: gates[1], in: run)?.end() == nil)
    var moved = gates[0]
    moved.outputs[0].target = .gpio(.init(chip: "other", line: .offset(0)))
    expect(try PulseRecord(of: moved, in: run)?.end() == nil)
    var without = gates[0]
    without.outputs.removeFirst()
    expect(try PulseRecord(of: without, in: run) == nil)
    #expect(throws: SystemError.self) { try PulseRecord(of: gates[0], in: "\(run)/none") }
  }
}
