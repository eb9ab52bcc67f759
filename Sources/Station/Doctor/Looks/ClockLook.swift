/// What is to be said of the machine's clock.
enum ClockLook {
  static func judge(isSynchronised: Bool) -> [Finding] {
    if isSynchronised { return [Finding(.good, .clock, "clock", "Something keeps this machine's clock right.")] }
    return [
      Finding(
        .warning, .clock, "clock",
        "Nothing keeps this machine's clock right: times are marked as not trusted, and lists may count for nothing.",
        cure: "sudo timedatectl set-ntp true")
    ]
  }
}
