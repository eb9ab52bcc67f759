package import Reading
package import DecodeClient
import DecodeProtocol
package import LinuxIO

/// What looks at a camera's pictures, in a process of its own; confined to the loop that it was made on.
package protocol FrameDecoder: AnyObject {
  /// Whether it would take a picture now.
  var isReady: Bool { get }
  /// Hands over a picture, which it may have to show as well; copies it. `false` where it is busy or being restarted.
  func submit(_ frame: RawFrame, number: UInt64, isShown: Bool) -> Bool
  /// Ends it; nothing is reported any more.
  func stop()
}

/// Makes the decoder of a camera, on the camera's loop; what it finds comes by `report`, on the loop.
package typealias FrameDecoderMaker =
  @Sendable (_ loop: DeviceLoop, _ camera: CameraConfiguration, _ report: @escaping (DecodeEvent) -> Void) ->
  any FrameDecoder

extension FencedDecoder: FrameDecoder {}

/// Makes decoders that look at pictures in a process behind a fence.
/// - Parameter program: the worker's executable, such as `DecodeProgram.path` finds.
package func fencedDecoders(program: String) -> FrameDecoderMaker {
  { loop, camera, report in
    FencedDecoder(loop: loop, program: program, settings: DecodeSettings(kinds: camera.kinds), report: report)
  }
}
