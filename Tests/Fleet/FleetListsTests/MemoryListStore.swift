import FleetBook
import ScanModel
import ScanTesting
import Synchronization

/// A stream of lists in memory: it keeps the last value of each place, and does to messages what networks do.
final class MemoryListStore: ListStore {
  struct State {
    var parts: [ListPlace: StoredListPart] = [:]
    /// Values that a place had before.
    var former: [ListPlace: [UInt8]] = [:]
    var now = WallTime(seconds: 1_800_000_000)
    /// Which calls fail: one in so many; none for 0.
    var fails = 0
    var random = SeededGenerator(seed: 0)
    var puts: [ListPlace] = []
    var gets: [ListPlace] = []
    var fault: ClaimFault?
  }

  let state: Mutex<State>

  init(seed: UInt64 = 0, fails: Int = 0) {
    state = Mutex(State(fails: fails, random: SeededGenerator(seed: seed)))
  }

  private func fate(_ state: inout State) -> Int? {
    guard state.fails > 0, Int.random(in: 0..<state.fails, using: &state.random) == 0 else { return nil }
    return Int.random(in: 0..<3, using: &state.random)
  }

  nonisolated(nonsending) func put(
    _ place: ListPlace, _ value: [UInt8], until end: MonotonicTime
  ) async throws(ClaimFault) {
    let fault = state.withLock { state -> ClaimFault? in
      if let fault = state.fault { return fault }
      state.puts.append(place)
      func write(_ value: [UInt8]) {
        state.former[place] = state.parts[place]?.value
        state.parts[place] = StoredListPart(value: value, time: state.now)
      }
      switch fate(&state) {
      // Lost on the way there, or back; or doubled, and the older one comes last.
      case 0: return .lostAnswer
      case 1:
        write(value)
        return .lostAnswer
      case 2:
        let former = state.parts[place]?.value
        write(value)
        if let former { write(former) }
        return nil
      default:
        write(value)
        return nil
      }
    }
    if let fault { throw fault }
  }

  nonisolated(nonsending) func get(
    _ place: ListPlace, until end: MonotonicTime
  ) async throws(ClaimFault) -> StoredListPart? {
    let result = state.withLock { state -> Result<StoredListPart?, ClaimFault> in
      if let fault = state.fault { return .failure(fault) }
      state.gets.append(place)
      switch fate(&state) {
      case 0: return .failure(.lostAnswer)
      // A leader that was replaced tells what was there before.
      case 1:
        return .success(
          state.former[place].map { StoredListPart(value: $0, time: state.now) } ?? state.parts[place])
      case 2: return .success(nil)
      default: return .success(state.parts[place])
      }
    }
    return try result.get()
  }

  nonisolated(nonsending) func now(until end: MonotonicTime) async throws(ClaimFault) -> WallTime {
    state.withLock { $0.now }
  }

  /// Time goes on for the servers.
  func pass(_ time: Duration) { state.withLock { $0.now = $0.now + time } }

  /// Changes what lies in a place.
  func change(_ place: ListPlace, _ body: (inout [UInt8]) -> Void) {
    state.withLock { state in
      guard var part = state.parts[place] else { return }
      body(&part.value)
      state.parts[place] = part
    }
  }
}
