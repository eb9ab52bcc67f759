import CameraReader
import CameraTesting
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct CameraSnapshotTests {
  /// Takes a snapshot of a camera that gives pictures all the while.
  private func snapshot(_ camera: FakeCamera, _ wish: StreamWish = StreamWish()) throws -> CameraSnapshot {
    let isOver = Atomic(false)
    try SystemThread.start("feeder") {
      // As quick as they are taken.
      while !isOver.load(ordering: .relaxed) { if !camera.take() { sched_yield() } }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    return try CameraSnapshot(
      of: DeviceIdentity(node: camera.node, sysfsPath: camera.node), wish: wish, for: .milliseconds(50), calls: camera)
  }

  @Test func someGoodPicturesAreKeptAndTheCameraIsLeft() throws {
    let camera = try FakeCamera()
    let shot = try snapshot(camera)
    expect((1...6).contains(shot.pictures.count))
    expect(shot.count > 3 && shot.bad == 0)
    for picture in shot.pictures {
      expect(!picture.isJPEG)
      expect(picture.file.starts(with: [UInt8]("P5\n64 48\n255\n".utf8)))
      expectEqual(picture.file.count, 13 + 64 * 48)
    }
    expect(camera.state.withLock { !$0.isStreaming && $0.mapped == 0 })
  }

  @Test func greyIsTakenOutOfEveryLayoutByItsRows() throws {
    let camera = try FakeCamera()
    camera.state.withLock { state in
      state.offers = [VideoOffer(format: .yuyv, sizes: .one(VideoSize(width: 64, height: 48)))]
      state.made = VideoFormat(
        format: .yuyv, size: VideoSize(width: 64, height: 48), bytesPerLine: 160, imageBytes: 160 * 48)
      state.pictureBytes = 160 * 48
    }
    let picture = try #require(try snapshot(camera).pictures.first)
    expectEqual(picture.file.count, 13 + 64 * 48)
  }

  @Test func whatIsInTheWayIsSaid() throws {
    let camera = try FakeCamera()
    camera.fail("requestBuffers", EBUSY)
    let error = #expect(throws: DeviceError.self) { try snapshot(camera) }
    expectEqual(error?.description.contains("another program to release"), true)
    expectEqual(error?.description.contains("systemctl stop scangate"), true)
    camera.fail("requestBuffers", nil)
    let other = #expect(throws: DeviceError.self) {
      try snapshot(camera, StreamWish(size: VideoSize(width: 1280, height: 720)))
    }
    expectEqual(other?.description.contains("offers no 1280x720"), true)
    camera.state.withLock { state in
      state.offers = [
        VideoOffer(format: PixelFormat("R", "G", "B", "3"), sizes: .one(VideoSize(width: 64, height: 48)))
      ]
      state.made = VideoFormat(
        format: PixelFormat("R", "G", "B", "3"), size: VideoSize(width: 64, height: 48), bytesPerLine: 192,
        imageBytes: 192 * 48)
    }
    #expect(throws: DeviceError.self) { try snapshot(camera) }
  }
}
