import Signalling
import Expectations
import Glibc
import HolderClient
import HolderProtocol
import LinuxIO
import ScanModel
import SignalOutputs

/// A directory with a holder's socket and files; goes with the test.
final class Place {
  let path: String
  var socket: String { "\(path)/socket" }

  init() throws {
    var template = [CChar]("\(temporaryRoot)/scangate-holder-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(errno: errno, call: "mkdtemp") }
    path = String(cString: made)
    for name in ["state", "run"] { mkdir("\(path)/\(name)", 0o700) }
  }

  deinit {
    for folder in ["state", "run", "."] {
      guard let stream = opendir("\(path)/\(folder)") else { continue }
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        unlink("\(path)/\(folder)/\(name)")
      }
      closedir(stream)
    }
    for folder in ["/state", "/run", ""] { rmdir("\(path)\(folder)") }
  }

  func holder(environment: [String] = []) throws -> Child {
    try Child(["hold", socket, "\(path)/state", "\(path)/run"], environment: environment)
  }
}

/// A gateway's end in the test's own process.
final class Gateway: Sendable {
  let outputs: HeldOutputs
  let changes: AsyncStream<GateID>

  init(_ place: Place, _ plan: OutputPlan) throws {
    let (changes, tell) = AsyncStream<GateID>.makeStream()
    self.changes = changes
    var watching = HeldOutputs.Watching()
    watching.onGateChanged = { tell.yield($0) }
    outputs = try HeldOutputs(path: place.socket, plan: plan, watching: watching)
  }

  /// Returns when admissions at `gate` are possible.
  func ready(_ gate: GateID = GateID("north")) async {
    let face = outputs.output(of: gate)
    if face.admissionFault == nil { return }
    for await _ in changes where face.admissionFault == nil { return }
  }

  /// Returns the fault of `gate` once it has one that contains `text`.
  func fault(_ text: String, at gate: GateID = GateID("north")) async -> String? {
    let face = outputs.output(of: gate)
    if let fault = face.admissionFault, fault.contains(text) { return fault }
    for await _ in changes { if let fault = face.admissionFault, fault.contains(text) { return fault } }
    return nil
  }
}

/// A plan of gates with a relay and a red lamp each.
func plan(
  _ names: [String] = ["north"], pulse: Int = 400, gap: Int = 100, safeState: SafeState = .secure
) throws -> OutputPlan {
  OutputPlan(
    gates: try names.enumerated().map { index, name in
      let lines = UInt32(index) * 2
      return OutputPlan.Gate(
        id: GateID(name),
        outputs: [
          OutputConfiguration(name: "relay", kind: .relay, target: .gpio(.init(chip: "bench", line: .offset(lines)))),
          OutputConfiguration(name: "red", kind: .lamp, target: .gpio(.init(chip: "bench", line: .offset(lines + 1)))),
        ], timing: try RelayTiming(pulse: .milliseconds(pulse), gap: .milliseconds(gap)), safeState: safeState,
        patterns: .standard(for: ["relay": .relay, "red": .lamp]))
    })
}
