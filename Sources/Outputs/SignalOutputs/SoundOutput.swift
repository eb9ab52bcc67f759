import CLinux
import Glibc
import LinuxIO
import ScanModel

extension OutputInventory.Sound {
  /// Every input device of this machine that can make a tone (SND_TONE).
  static func all(in directory: String, nodes: String = "/dev/input") -> [Self] {
    let names = (try? SystemFiles.names(in: directory)) ?? []
    return names.filter { $0.hasPrefix("event") }.compactMap { event in
      let path = "\(directory)/\(event)/device"
      guard let name = try? SystemFiles.text(of: "\(path)/name"),
        let sounds = try? SystemFiles.text(of: "\(path)/capabilities/snd"), makesTones(sounds)
      else { return nil }
      return Self(name: name, node: "\(nodes)/\(event)")
    }
  }

  /// Whether the kernel's bitmap of sounds (words in hexadecimal, the lowest last) holds SND_TONE.
  static func makesTones(_ bitmap: String) -> Bool {
    guard let last = bitmap.split(separator: " ").last, let word = UInt64(last, radix: 16) else { return false }
    return word & (1 << UInt64(SND_TONE)) != 0
  }
}

/// A buzzer that is an input device: the configured tone, or silence.
final class SoundOutput: Sendable {
  /// Where the kernel shows its input devices.
  static let directory = "/sys/class/input"

  private let device: String
  private let frequency: UInt32
  private let descriptor: OwnedDescriptor

  /// Finds the device and opens it, for writing only.
  /// - Parameters:
  ///   - output: the output's configured name, for errors.
  ///   - nodes: where the devices' nodes are.
  init(
    _ configuration: SoundConfiguration, output: String, directory: String = SoundOutput.directory,
    nodes: String = "/dev/input"
  ) throws(DeviceError) {
    let device = "output \(output) (\(configuration))"
    self.device = device
    frequency = configuration.frequency
    let found = try Self.find(
      configuration, device: device, among: OutputInventory.Sound.all(in: directory, nodes: nodes))
    do throws(SystemError) {
      descriptor = try OwnedDescriptor.open(found.node, O_WRONLY | O_NONBLOCK)
    } catch {
      throw Self.error(error, device: device, node: found.node)
    }
  }

  /// Makes the tone, or ends it.
  func set(_ isOn: Bool) throws(DeviceError) {
    let result = clinux_input_tone(descriptor.number, isOn ? frequency : 0)
    guard result == 0 else { throw Self.error(SystemError(errno: -result, call: "write"), device: device, node: nil) }
  }

  /// The one device of the wanted name.
  static func find(
    _ wanted: SoundConfiguration, device: String, among devices: [OutputInventory.Sound]
  ) throws(DeviceError) -> OutputInventory.Sound {
    if let problem = wanted.problem {
      throw DeviceError(device: device, what: problem, remedy: "Correct the configuration.")
    }
    let matches = devices.filter { $0.name == wanted.device }
    guard let match = matches.first else {
      let names = devices.map(\.name).joined(separator: ", ")
      throw DeviceError(
        device: device,
        what: "no device of this name makes tones; "
          + (names.isEmpty ? "there is no device that does" : "the ones that do are \(names)"),
        remedy:
          "Load its driver (pcspkr for the PC Speaker) or correct the name; `scangate devices` lists the devices.",
        errno: ENODEV)
    }
    guard matches.count == 1 else {
      throw DeviceError(
        device: device,
        what: "\(matches.count) devices have this name: \(matches.map(\.node).joined(separator: ", "))",
        remedy: "Leave only one of them plugged in.")
    }
    return match
  }

  private static func error(_ cause: SystemError, device: String, node: String?) -> DeviceError {
    let (what, remedy) =
      switch cause.errno {
      case ENODEV, ENOENT, ENXIO:
        ("the device is gone", "Plug it in or load its driver; it is taken into use again by itself.")
      case EACCES, EPERM:
        (
          "\(node ?? "its node") must not be written by this user",
          "Allow the service to open it, for example by a udev rule."
        )
      default: ("\(cause.call) failed: \(cause.words)", "Check the device.")
      }
    return DeviceError(device: device, what: what, remedy: remedy, errno: cause.errno)
  }
}
