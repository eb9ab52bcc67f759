package import ScanModel

/// Whether somebody may have passed a gate since a moment, by its passage sensors. Pure.
///
/// Any change of a level is somebody, and so is a level that is active: who stands in a light barrier is passing. One that cannot be read,
/// or has only been read for less long than that, tells nothing.
package struct PassageSensor: Sendable {
  /// What is known of a time.
  package enum Passage: Sendable, Equatable {
    /// There is no sensor.
    case unwatched
    /// Nobody has passed.
    case nobody
    /// Somebody has, or is about to.
    case somebody
    /// Whether anybody has cannot be told.
    case unknown
  }

  private struct Sensor: Sendable {
    /// `nil` where it cannot be read.
    var isActive: Bool?
    /// Since when it has been read without a break.
    var readSince: MonotonicTime?
    var changed: MonotonicTime?
  }

  private var sensors: [InputName: Sensor]

  /// Makes the state of a gate with these inputs: nothing is known.
  package init(_ uses: [InputName: InputUse]) {
    sensors = uses.filter { $0.value == .passage }.mapValues { _ in Sensor() }
  }

  /// The level of an input was told, changed or not.
  package mutating func level(of input: InputName, isActive: Bool, at now: MonotonicTime) {
    guard var sensor = sensors[input] else { return }
    if sensor.isActive == nil { sensor.readSince = now } else if sensor.isActive != isActive { sensor.changed = now }
    sensor.isActive = isActive
    sensors[input] = sensor
  }

  /// The input cannot be read any more.
  package mutating func lost(_ input: InputName) { sensors[input]?.isActive = nil }

  /// What is known of the time since a moment.
  package func passage(since moment: MonotonicTime) -> Passage {
    if sensors.isEmpty { return .unwatched }
    if sensors.values.contains(where: { $0.isActive == true || $0.changed.map { $0 >= moment } == true }) {
      return .somebody
    }
    let isWhole = sensors.values.allSatisfy { $0.isActive != nil && $0.readSince.map { $0 <= moment } == true }
    return isWhole ? .nobody : .unknown
  }
}
