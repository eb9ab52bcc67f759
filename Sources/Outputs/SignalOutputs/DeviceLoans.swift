import LinuxIO
import Synchronization

/// What was changed on devices of the machine while we use them, so that it can be given back. It outlives the handles:
/// a device that fails and is opened anew is still to be given back as it was first found.
final class DeviceLoans: Sendable {
  private struct Export: Hashable {
    var chip: String
    var channel: UInt32
  }

  private struct Trigger {
    var device: String
    var name: String
  }

  private struct Loans {
    var exports: Set<Export> = []
    var triggers: [String: Trigger] = [:]
  }

  private let loans = Mutex(Loans())

  /// The PWM channel was exported by us at the chip in the directory `chip`.
  func exported(channel: UInt32, chip: String) {
    _ = loans.withLock { $0.exports.insert(Export(chip: chip, channel: channel)) }
  }

  /// The trigger `name` was switched off at the LED in the directory `path`, which messages call `device`.
  func switchedOff(trigger name: String, of path: String, device: String) {
    loans.withLock { $0.triggers[path] = Trigger(device: device, name: name) }
  }

  /// Gives everything back as far as it is still there, and tells `notice` in words of what others may look for.
  func giveBack(_ notice: (String) -> Void) {
    let lent = loans.withLock { exchange(&$0, with: Loans()) }
    for export in lent.exports { try? SystemFiles.write("\(export.channel)\n", to: "\(export.chip)/unexport") }
    for (path, trigger) in lent.triggers.sorted(by: { $0.key < $1.key }) {
      // Somebody may have given it another one meanwhile.
      guard let text = try? SystemFiles.text(of: "\(path)/trigger"),
        (LEDOutput.activeTrigger(text) ?? "none") == "none"
      else { continue }
      do throws(SystemError) {
        try SystemFiles.write(trigger.name + "\n", to: "\(path)/trigger")
        notice("\(trigger.device): it is driven by the trigger \"\(trigger.name)\" again")
      } catch {
        notice("\(trigger.device): the trigger \"\(trigger.name)\" cannot be given back to it: \(error.words)")
      }
    }
  }
}
