import Reading
import Glibc
import LinuxIO
import ReaderKit
import ScanModel

/// Why a camera cannot be read yet, and how soon to try again. Every pause grows, so that nothing spins.
enum CameraObstacle: ReadObstacle {
  /// No permission; udev may still be at it.
  case permission
  /// Another program streams from it.
  case held
  /// It is not there, or not any more.
  case absent
  /// The node gives no pictures.
  case noCamera
  /// Nothing that it offers fits; what it offers, in words.
  case nothingFits(offers: String)
  /// It streams, and no picture comes.
  case silent
  /// It streams, and no picture can be used.
  case bad
  /// Anything else.
  case other(String)

  init(_ error: SystemError) {
    switch error.errno {
    case EACCES, EPERM: self = .permission
    case EBUSY: self = .held
    case ENOENT, ENODEV, ENXIO, ENOTDIR: self = .absent
    case ENOTTY: self = .noCamera
    default: self = .other(error.description)
    }
  }

  var pauses: ClosedRange<Duration> {
    switch self {
    case .permission, .absent: .milliseconds(100) ... .milliseconds(500)
    case .held: .milliseconds(250) ... .seconds(1)
    case .silent, .bad: .milliseconds(250) ... .seconds(5)
    case .noCamera: .milliseconds(500) ... .seconds(1)
    case .nothingFits, .other: .milliseconds(500) ... .seconds(5)
    }
  }

  var isFault: Bool { if case .nothingFits = self { true } else { false } }

  var outcome: DeviceReport.Outcome { self == .permission ? .noPermission : self == .held ? .grabbed : .unusable }

  func words(_ device: DeviceIdentity, for configuration: CameraConfiguration) -> String? {
    words(device, configuration.wish)
  }

  /// What is waited for, or what is wrong, and what to do; `nil` where the camera is simply not there.
  func words(_ device: DeviceIdentity, _ wish: StreamWish) -> String? {
    switch self {
    case .permission:
      "permission to read and write \(device.title): a udev rule must give it to the service's user, or the user must be in the group video"
    case .held:
      "another program to release \(device.title), which it has; stop it (a browser, a video call, motion, a camera application)"
    case .absent: nil
    case .noCamera:
      "\(device.title) to give pictures: it is no camera that can be read here (a node for metadata, a raw sensor, or a loopback device that nobody feeds)"
    case .nothingFits(let offers): "\(device.title) offers no \(wish.title); it has \(offers). Correct size and format"
    case .silent: "a picture of \(device.title): it gives none. Look at its cable, or plug it in elsewhere"
    case .bad: "a whole picture of \(device.title): all are damaged. Look at its cable and hub"
    case .other(let what): "\(device.title), which cannot be used: \(what)"
    }
  }
}

extension StreamWish {
  /// What is wanted, in words.
  var title: String {
    let words = [size?.title, format?.name].compactMap(\.self)
    return words.isEmpty ? "format that can be read" : words.joined(separator: " ")
  }
}

/// What a camera offers, in short: each format with its sizes.
func summary(of offers: [VideoOffer]) -> String {
  var formats: [(name: String, sizes: [String])] = []
  for offer in offers {
    let rates = offer.rates.map { rates in
      switch rates {
      case .one(let rate): rate.perSecond
      case .range(_, let fastest): fastest.perSecond
      }
    }
    let speed = rates.max().map { "@\(Int($0.rounded()))" } ?? ""
    let size: String
    switch offer.sizes {
    case .one(let one): size = one.title
    case .range(let least, let most, _): size = "\(least.title) to \(most.title)"
    }
    if formats.last?.name != offer.format.name { formats.append((offer.format.name, [])) }
    formats[formats.count - 1].sizes.append(size + speed)
  }
  let words = formats.map { "\($0.name) \($0.sizes.prefix(12).joined(separator: ", "))" }
  return words.isEmpty ? "nothing" : words.joined(separator: "; ")
}
