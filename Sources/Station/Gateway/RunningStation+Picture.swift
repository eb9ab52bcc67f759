internal import CameraReader
internal import DecodeClient
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
import StationProtocol

/// What a camera sees, for somebody who mends it: one picture that is taken anyway. It is in no event, no journal and no file, and whoever
/// remembers that it was ordered remembers nothing of it.
extension RunningStation {
  func picture(of reader: ReaderID) async -> OrderOutcome {
    let name = TerminalText.clean(reader.name, limit: 60)
    guard let readers = configuration?.readers, readers.contains(where: { $0.id == reader }) else {
      return .refused(.unknown, "There is no reader \(name).")
    }
    guard configuration?.cameras.contains(where: { $0.id == reader }) == true else {
      return .refused(.nothingThere, "Reader \(name) is no camera.")
    }
    let look: CameraLook
    do throws(CameraLookFault) {
      guard let found = try await look(at: reader) else { throw .notRead }
      look = found
    } catch {
      return refusal(error, name, events.view.reader(reader).condition)
    }
    // Neither the gates' thread nor the camera's waits for it.
    let now = time.now()
    guard let picture = await Task.detached(operation: { CameraView(look, at: now) }).value else {
      return .refused(.outOfService, "The picture of camera \(name) cannot be made small enough.")
    }
    return .picture(picture)
  }

  private func refusal(
    _ fault: CameraLookFault, _ name: String, _ condition: StationSnapshot.Condition
  ) -> OrderOutcome {
    switch fault {
    case .tooSoon: return .refused(.tooMany, "A picture of camera \(name) was asked for a moment ago. Wait a second.")
    case .noPicture:
      return .refused(.outOfService, "Camera \(name) gave no picture that could be used. Look at its cable.")
    case .notRead:
      let state = condition.state == "parked" ? "it is not plugged in" : condition.detail ?? condition.state
      return .refused(.outOfService, "Camera \(name) is not read: \(TerminalText.clean(state, limit: 300)).")
    }
  }
}

extension CameraView {
  /// What is told of a picture; `nil` where it does not fit.
  init?(_ look: CameraLook, at now: MonotonicTime) {
    guard let file = PlainJPEG.file(of: look.picture, upTo: StationLimits.maximumPicture),
      let width = UInt16(exactly: file.width), let height = UInt16(exactly: file.height)
    else { return nil }
    let quality = look.reading.quality
    self.init(
      jpeg: file.bytes, width: width, height: height, format: look.format.title,
      age: max(.zero, now - look.takenAt),
      rate: look.rate.map { UInt16(max(0, min(6_000, ($0 * 10).rounded()))) }, light: Light(quality),
      brightness: UInt8(max(0, min(255, quality.brightness.rounded()))), isFrozen: look.isFrozen)
    // Places are the camera's own, which has more pixels.
    let (across, down) = (Float(look.format.size.width), Float(look.format.size.height))
    seen = look.reading.symbols.prefix(StationLimits.maximumSeen).map { symbol in
      Seen(
        symbology: symbol.symbology.rawValue, code: Code(bytes: symbol.bytes).shortened,
        corners: symbol.points.prefix(StationLimits.maximumCorners).map { point in
          Corner(
            x: UInt16(max(0, min(Float(width), point.x * Float(width) / max(1, across)))),
            y: UInt16(max(0, min(Float(height), point.y * Float(height) / max(1, down)))))
        })
    }
  }
}

extension CameraView.Light {
  /// By what was measured of a picture.
  init(_ quality: ViewQuality) {
    self =
      switch (quality.brightness, quality.contrast) {
      case (..<16, ..<24): .covered
      case (..<48, _): .dark
      case (225..., _): .glaring
      case (_, ..<12): .flat
      default: .good
      }
  }
}
