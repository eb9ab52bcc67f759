internal import Glibc
internal import ScanModel

/// Looks for the rules by which udev gives devices to the service: without them each is found, and none may be opened.
struct UdevLook {
  /// A file that udev reads, and what becomes of it.
  struct Rule: Sendable, Equatable {
    enum State: Sendable, Equatable {
      /// In none of udev's folders.
      case missing
      /// Here.
      case installed(String)
      /// Something empty stands before it, which switches it off.
      case masked(String)
    }

    var name: String
    var state: State
  }

  static let rules = "70-scangate.rules"
  static let scanners = "70-scangate-scanners.hwdb"
  /// Where udev looks, in its order: the first file of a name counts.
  private static let places = ["/etc/udev", "/run/udev", "/usr/local/lib/udev", "/usr/lib/udev"]

  let machine: Machine

  func findings() -> [Finding] {
    Self.judge([find(Self.rules, "rules.d"), find(Self.scanners, "hwdb.d")])
  }

  private func find(_ name: String, _ folder: String) -> Rule {
    for place in Self.places {
      let path = "\(place)/\(folder)/\(name)"
      var entry = stat()
      guard stat(machine.path(path), &entry) == 0 else { continue }
      // A link to /dev/null, or nothing in it (udev(7)).
      let isEmpty = entry.st_mode & S_IFMT != S_IFREG || entry.st_size == 0
      return Rule(name: name, state: isEmpty ? .masked(path) : .installed(path))
    }
    return Rule(name: name, state: .missing)
  }

  static func judge(_ rules: [Rule]) -> [Finding] {
    let reread = "sudo systemd-hwdb update; sudo udevadm control --reload && sudo udevadm trigger"
    return rules.map { rule in
      switch rule.state {
      case .installed(let path): Finding(.good, .udev, path, "udev has it.")
      case .masked(let path):
        Finding(
          .warning, .udev, path, "It is empty, and so switches \(rule.name) off: the service may open no new device.",
          cure: "sudo rm \(path) && \(reread)")
      case .missing:
        Finding(
          .warning, .udev, rule.name,
          "udev has no rule \(rule.name): devices that are plugged in from now on are not the service's.",
          cure:
            "sudo apt-get install --reinstall scangate, or put it into /usr/lib/udev from udev-rules/, then: \(reread)")
      }
    }
  }
}
