/// Looks at the board of a Raspberry Pi: a weak power supply makes scanners and cards fail, and heat makes it slow.
struct BoardLook {
  /// What it says of itself.
  struct State: Sendable, Equatable {
    /// What it is; `nil` where it does not say.
    var model: String?
    /// Whether the firmware sees too little voltage now, and whether it has since the start; `nil` where that cannot be told.
    var isUnderVoltage: Bool?, wasUnderVoltage: Bool?
    /// In thousandths of a degree.
    var temperature: Int?
  }

  let machine: Machine

  func findings() -> [Finding] { Self.judge(state()) }

  func state() -> State {
    var state = State(model: model)
    for name in machine.names(in: "/sys/class/hwmon")
    where machine.text(of: "/sys/class/hwmon/\(name)/name") == "rpi_volt" {
      state.isUnderVoltage = machine.text(of: "/sys/class/hwmon/\(name)/in0_lcrit_alarm").map { $0 == "1" }
    }
    // The firmware's own word, where its driver tells it: bit 0 is now, bit 16 since the start.
    let throttled = machine.text(of: "/sys/devices/platform/soc/soc:firmware/get_throttled")
    if let throttled, let bits = UInt32(throttled.hasPrefix("0x") ? throttled.dropFirst(2) : throttled[...], radix: 16)
    {
      state.isUnderVoltage = state.isUnderVoltage == true || bits & 1 != 0
      state.wasUnderVoltage = bits & (1 | 1 << 16) != 0
    }
    for name in machine.names(in: "/sys/class/thermal")
    where machine.text(of: "/sys/class/thermal/\(name)/type") == "cpu-thermal" {
      state.temperature = machine.text(of: "/sys/class/thermal/\(name)/temp").flatMap { Int($0) }
    }
    return state
  }

  /// The device tree ends its texts with a zero.
  private var model: String? {
    machine.text(of: "/proc/device-tree/model").map { String($0.prefix { $0 != "\0" }) }
  }

  static func judge(_ state: State) -> [Finding] {
    guard let model = state.model, model.contains("Raspberry Pi") else { return [] }
    var findings: [Finding] = []
    let supply = "Use the board's own power supply and a short cable, and a hub with a supply for scanners."
    if state.isUnderVoltage == true {
      findings.append(
        Finding(.warning, .board, model, "Its supply is too weak now: scanners and the card may fail.", cure: supply))
    } else if state.wasUnderVoltage == true {
      findings.append(
        Finding(.warning, .board, model, "Its supply was too weak at times since it was started.", cure: supply))
    }
    if let temperature = state.temperature, temperature >= 80_000 {
      findings.append(
        Finding(
          .warning, .board, model, "It is \(temperature / 1_000) °C hot, and slows down.",
          cure: "Give it air, or a heat sink."))
    }
    if findings.isEmpty {
      let heat = state.temperature.map { ", and is \($0 / 1_000) °C warm" } ?? ""
      let power = state.isUnderVoltage == nil ? "Its voltage cannot be told" : "It has enough power"
      findings.append(Finding(.good, .board, model, "\(power)\(heat)."))
    }
    return findings
  }
}
