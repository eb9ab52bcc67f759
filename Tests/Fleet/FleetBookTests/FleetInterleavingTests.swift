import Expectations
import FleetBook
import FleetTesting
import Testing

/// Stations that claim the same ticket at the same time, whatever becomes of messages and processes: never two admissions beyond what was paid,
/// nobody refused whose ticket is free, every admission told.
@Suite struct FleetInterleavingTests {
  private static let two: [FleetPlan.Presentation] = [.enter(0), .enter(1)]
  private static let three: [FleetPlan.Presentation] = [0, 1, 2, 0, 1, 2].map { .enter($0) }

  private func everything(_ plan: FleetPlan, most: Int) -> FleetExploration {
    var exploration = FleetExploration()
    exploration.everything(plan, most: most)
    return exploration
  }

  private func chance(_ plan: FleetPlan, landing: Int, release: Int) {
    var exploration = FleetExploration()
    for seed in 0..<UInt64(extent(landing: landing, release: release)) where exploration.fault == nil {
      exploration.one(plan, seed: seed)
    }
    expectEqual(exploration.fault, nil)
  }

  @Test func everyOrderOfTwoStationsHolds() {
    var plan = FleetPlan(presentations: Self.two)
    plan.faults = 0
    let exploration = everything(plan, most: .max)
    expectEqual(exploration.fault, nil)
    expect(exploration.isWhole && exploration.count > 500, "\(exploration.count) worlds")
  }

  @Test func everyOrderOfTwoStationsThatRedeemHolds() {
    var plan = FleetPlan(presentations: Self.two)
    plan.faults = 0
    plan.redeems = true
    plan.steps = 1
    expectEqual(everything(plan, most: .max).fault, nil)
  }

  @Test(arguments: [false, true]) func oneFaultAnywhereHolds(redeems: Bool) {
    var plan = FleetPlan(presentations: Self.two)
    plan.redeems = redeems
    // With a pause at any time they are a million.
    plan.steps = extent(landing: 0, release: 1)
    expectEqual(everything(plan, most: extent(landing: 12_000, release: .max)).fault, nil)
  }

  @Test func twoFaultsAnywhereHold() {
    var plan = FleetPlan(presentations: Self.two)
    plan.faults = 2
    plan.steps = 1
    expectEqual(everything(plan, most: extent(landing: 12_000, release: 1_000_000)).fault, nil)
  }

  @Test(arguments: [1, 2] as [UInt32]) func ticketsThatAreLeftOnHold(quantity: UInt32) {
    var plan = FleetPlan(
      presentations: Self.two + [.enter(0), FleetPlan.Presentation(station: 1, code: 0, kind: .leave(0))])
    plan.quantity = quantity
    plan.faults = 4
    plan.crashes = 2
    plan.steps = 2
    chance(plan, landing: 1_500, release: 30_000)
    plan.redeems = true
    chance(plan, landing: 1_500, release: 30_000)
  }

  @Test(arguments: [1, 2] as [UInt32]) func salesOfSeveralCodesHold(quantity: UInt32) {
    var plan = FleetPlan(presentations: [.enter(0, 0), .enter(1, 1), .enter(0, 1), .enter(1, 0)])
    plan.isSale = true
    plan.quantity = quantity
    plan.faults = 4
    plan.crashes = 2
    plan.steps = 2
    chance(plan, landing: 1_500, release: 30_000)
    plan.redeems = true
    chance(plan, landing: 1_500, release: 30_000)
  }

  @Test(arguments: [false, true]) func threeStationsHold(redeems: Bool) {
    var plan = Self.evening
    plan.redeems = redeems
    chance(plan, landing: 2_000, release: 50_000)
    plan.quantity = 2
    chance(plan, landing: 1_000, release: 50_000)
    plan.isWatching = true
    chance(plan, landing: 1_000, release: 50_000)
  }

  @Test func membersWithAnIntervalHold() {
    var plan = Self.evening
    plan.interval = .seconds(3_600)
    plan.step = .seconds(1_900)
    chance(plan, landing: 4_000, release: 50_000)
  }

  @Test(arguments: [false, true]) func whoGoesOnAloneIsTold(redeems: Bool) {
    var plan = Self.evening
    plan.alone = .trust(AlonePolicy.Bounds(people: 2, time: .seconds(40)))
    plan.redeems = redeems
    chance(plan, landing: 2_000, release: 50_000)
  }

  /// Who looks for faults and finds none where there are, proves nothing.
  @Test(arguments: FleetPlan.Plant.allCases) func whatIsPlantedIsFound(plant: FleetPlan.Plant) {
    var plan = Self.evening
    plan.plant = plant
    // Whose claim was freed tells of it once more: only if somebody comes in meanwhile is there one too many.
    if plant == .takeOverFrees { plan.isWatching = true }
    if plant == .silentMerge { plan.alone = .trust(AlonePolicy.Bounds(people: 2, time: .seconds(40))) }
    var exploration = FleetExploration()
    for seed in 0..<40_000 as Range<UInt64> where exploration.fault == nil { exploration.one(plan, seed: seed) }
    let words =
      switch plant {
      case .storeWithoutComparing, .lostIsWritten, .takeOverFrees: "are in on code 0, which admits 1"
      case .debtsAreForgotten, .absentIsNever: "stays as it is for ever"
      case .silentMerge: "no conflict says so"
      }
    expect(exploration.fault?.contains(words) == true, "\(plant): \(exploration.fault ?? "nothing was found")")
  }

  private static var evening: FleetPlan {
    var plan = FleetPlan(presentations: three)
    plan.stations = 3
    plan.faults = 6
    plan.crashes = 3
    plan.steps = 3
    plan.step = .seconds(16)
    return plan
  }
}
