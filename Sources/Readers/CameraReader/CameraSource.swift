package import LinuxIO
import ReaderKit
package import Reading
package import ScanModel

/// The cameras of a station: finds them, streams from those that are configured and from no other, and has their pictures
/// looked at, on one thread that does nothing else.
///
/// Cameras that are matched by what udev knows come and go by its word. One that is named by a path is looked for twice a
/// second while it is not there. Pictures are never kept: the newest goes to the decoder when that is free, all others go back
/// to the driver unseen.
package final class CameraSource: ReadSource {
  private let places: PlaceSupervisor<Cameras>

  /// Makes a source; `start` begins its work.
  /// - Parameters:
  ///   - calls: the system calls of cameras.
  ///   - makeDecoder: makes what looks at a camera's pictures.
  /// - Throws: where the system has no thread for it.
  package init(
    _ configurations: [CameraConfiguration], calls: any VideoCalls = SystemVideoCalls(),
    makeDecoder: @escaping FrameDecoderMaker
  ) throws(DeviceError) {
    places = try PlaceSupervisor(Cameras(calls: calls, makeDecoder: makeDecoder), configurations)
  }

  /// See `PlaceSupervisor.start`.
  package func start(deliver: @escaping @Sendable (ReaderEvent) -> Void) async throws(DeviceError) {
    try await places.start(deliver: deliver)
  }

  package func stop() async { await places.stop() }

  package func heartbeat() async { await places.heartbeat() }

  /// What the camera of a reader and its decoder have done since the camera was opened; `nil` while it is not read.
  package func counts(of reader: ReaderID) async -> CameraCounts? { await places.counts(of: reader) }

  /// The next picture of a reader's camera that is looked at anyway, and what was read in it. No device is opened for it, and no picture
  /// waits for it; one is given at a time and camera, and at most one a second.
  /// - Throws: why there is none.
  package func look(at reader: ReaderID) async throws(CameraLookFault) -> CameraLook {
    let answer = FrameShowing.Asker()
    // Also a thread that hangs in a driver keeps nobody waiting.
    Task { if let fault = await places.show(reader, to: answer) { answer.give(.failure(fault)) } }
    return try await answer.first(within: FrameShowing.patience, else: .failure(.noPicture)).get()
  }
}

extension PlaceSupervisor<Cameras> {
  fileprivate func counts(of reader: ReaderID) -> CameraCounts? { session(of: reader)?.counts }

  fileprivate func show(_ reader: ReaderID, to answer: FrameShowing.Asker) -> CameraLookFault? {
    guard let session = session(of: reader) else { return .notRead }
    return session.show(to: answer)
  }
}

extension CameraConfiguration: ReaderConfiguration {
  /// Everything that is wrong with these configurations, each with its reader; empty where nothing is.
  package static func problems(in configurations: [CameraConfiguration]) -> [DeviceError] {
    let words: PlaceWords = (
      every: "camera", same: "camera", fields: "vendor and product, serial, port, name or path",
      distinction: "serial or port", path: "/dev/v4l/by-id/…"
    )
    return problems(in: configurations, words) { configuration in
      guard configuration.kinds.isEmpty else { return [] }
      return [configuration.problem("it reads no kind of code", "Name at least one of kinds, such as qr.")]
    }
  }
}
