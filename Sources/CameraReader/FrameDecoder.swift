public import DecodeClient
public import LinuxIO

/// What looks at a camera's pictures, in a process of its own; confined to the loop that it was made on.
public protocol FrameDecoder: AnyObject {
  /// Whether it would take a picture now.
  var isReady: Bool { get }
  /// Hands over a picture; copies it. `false` where it is busy or being restarted.
  func submit(_ frame: RawFrame, number: UInt64) -> Bool
  /// Ends it; nothing is reported any more.
  func stop()
}

/// Makes the decoder of a camera, on the camera's loop; what it finds comes by `report`, on the loop.
public typealias FrameDecoderMaker =
  @Sendable (_ loop: DeviceLoop, _ camera: CameraConfiguration, _ report: @escaping (DecodeEvent) -> Void) ->
  any FrameDecoder
