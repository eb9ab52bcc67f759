internal import CameraReader
internal import LinuxIO
internal import Reading
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
    let seen: CameraLook
    do throws(CameraLookFault) {
      guard let look = try await look(at: reader) else { throw .notRead }
      seen = look
    } catch {
      return refusal(error, name, events.view.reader(reader).condition)
    }
    // Neither the gates' thread nor the camera's waits for it.
    let now = time.now()
    guard let picture = await Task.detached(operation: { CameraView(seen, at: now) }).value else {
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
