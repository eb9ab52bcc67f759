import CameraTesting
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Synchronization
import Testing

private let small = VideoSize(width: 64, height: 48)

@Suite struct VideoDeviceTests {
  @Test func theNewestPictureIsUsedAndEveryBufferGoesBack() throws {
    let camera = try FakeCamera()
    var device = try VideoDevice(node: camera.node, calls: camera)
    let format = try device.start(.grey, small, VideoRate(pictures: 30))
    expectEqual(format.leastBytes, 64 * 48)
    for _ in 0..<3 { camera.take() }
    var examined: [UInt32] = []
    var used: [UInt32] = []
    func turn(_ isGood: (VideoFrame) -> Bool) -> VideoDevice.End {
      device.takeNewest(
        examine: { frame, _ in
          examined.append(frame.sequence)
          return isGood(frame)
        },
        use: { frame, bytes in
          used.append(frame.sequence)
          expectEqual(bytes.first, UInt8(frame.buffer))
          // While it is used, it is not the driver's.
          expect(!camera.state.withLock { $0.queued.contains(frame.buffer) })
        })
    }
    expectEqual(turn { _ in true }, .drained)
    expectEqual(examined, [1, 2, 3])
    expectEqual(used, [3])
    expectEqual(camera.state.withLock { Set($0.queued) }, [0, 1, 2, 3])
    // The newest cannot be used: the one before is.
    for _ in 0..<4 { camera.take() }
    expectEqual(turn { $0.sequence < 6 }, .drained)
    expectEqual(used, [3, 5])
    for _ in 0..<4 { camera.take() }
    expectEqual(turn { _ in false }, .drained)
    expectEqual(used, [3, 5])
    expectEqual(camera.state.withLock { Set($0.queued) }, [0, 1, 2, 3])
  }

  @Test func whatADriverSaysThatCannotBeIsNotBelieved() throws {
    let grey = VideoFormat(format: .grey, size: small, bytesPerLine: 64, imageBytes: 64 * 48)
    var formats = Array(repeating: grey, count: 6)
    formats[0].bytesPerLine = 63
    formats[1].size.width = 1_000_000
    formats[2].imageBytes = 1 << 31
    formats[3].imageBytes = 0
    formats[4].size.height = 0
    formats[5].bytesPerLine = -1
    for format in formats {
      let camera = try FakeCamera()
      camera.state.withLock { $0.made = format }
      var device = try VideoDevice(node: camera.node, calls: camera)
      #expect(throws: SystemError(errno: EPROTO, call: "VIDIOC_S_FMT")) { try device.start(.grey, small, nil) }
    }
    for (bytes, buffer) in [(64 * 48 + 1, nil), (-1, nil), (64 * 48, UInt32(4)), (64 * 48, UInt32.max)] {
      let camera = try FakeCamera()
      var device = try VideoDevice(node: camera.node, calls: camera)
      _ = try device.start(.grey, small, nil)
      camera.take(bytes: bytes, buffer: buffer)
      let end = device.takeNewest(examine: { _, _ in true }, use: { _, _ in Issue.record("it was used") })
      expectEqual(end, .broken(SystemError(errno: EPROTO, call: "VIDIOC_DQBUF")))
    }
  }

  @Test func noRowLengthFollowsFromTheWidth() throws {
    let camera = try FakeCamera()
    camera.state.withLock {
      $0.made = VideoFormat(format: .yuyv, size: small, bytesPerLine: 0, imageBytes: 64 * 48 * 2)
    }
    var device = try VideoDevice(node: camera.node, calls: camera)
    let made = try device.start(.yuyv, small, nil)
    expectEqual(made.bytesPerLine, 128)
  }

  @Test func listsThatNeverEndEnd() throws {
    let camera = try FakeCamera()
    camera.state.withLock { $0.endless = true }
    let device = try VideoDevice(node: camera.node, calls: camera)
    let offers = device.offers()
    expect(!offers.isEmpty)
    expect(camera.calls("format") + camera.calls("sizes") + camera.calls("rates") < 2000)
  }

  @Test func aDriverWithoutAListOfSizesIsAskedForAny() throws {
    let camera = try FakeCamera()
    camera.fail("sizes", ENOTTY)
    let device = try VideoDevice(node: camera.node, calls: camera)
    let offers = device.offers()
    expectEqual(offers.count, 1)
    expectEqual(offers.first?.sizes.contains(VideoSize(width: 1280, height: 720)), true)
    camera.fail("sizes", EINVAL)
    let none = device.offers()
    expect(none.isEmpty)
  }

  @Test func onlyNodesThatGivePicturesAreCameras() throws {
    let camera = try FakeCamera()
    camera.state.withLock { $0.givesPictures = false }
    #expect(throws: SystemError(errno: ENOTTY, call: "VIDIOC_QUERYCAP")) {
      _ = try VideoDevice(node: camera.node, calls: camera)
    }
  }

  @Test func everyCallThatFailsIsToldAndLeavesNothingBehind() throws {
    for call in ["open", "givesPictures", "setFormat", "requestBuffers", "map", "queue", "streamOn"] {
      let camera = try FakeCamera()
      camera.fail(call, EIO)
      #expect(throws: SystemError(errno: EIO, call: call)) {
        var device = try VideoDevice(node: camera.node, calls: camera)
        _ = try device.start(.grey, small, nil)
      }
      expectEqual(camera.state.withLock { $0.mapped }, 0)
    }
    // Not every camera lets one choose its rate.
    let camera = try FakeCamera()
    camera.fail("setRate", ENOTTY)
    var device = try VideoDevice(node: camera.node, calls: camera)
    _ = try device.start(.grey, small, VideoRate(pictures: 30))
  }

  @Test func aCameraThatGoesIsToldFromOneThatIsBroken() throws {
    for (errno, isGone) in [(ENODEV, true), (EIO, false), (EINVAL, false), (EPIPE, false)] {
      let camera = try FakeCamera()
      var device = try VideoDevice(node: camera.node, calls: camera)
      _ = try device.start(.grey, small, nil)
      camera.fail("dequeue", errno)
      let error = SystemError(errno: errno, call: "dequeue")
      let end = device.takeNewest(examine: { _, _ in true }, use: { _, _ in })
      expectEqual(end, (isGone ? .gone(error) : .broken(error)))
    }
  }

  @Test func controlsAreSetWhereTheyAreAndPutBack() throws {
    let camera = try FakeCamera()
    camera.state.withLock {
      $0.controls = [.autoExposure: (0...3, 3), .exposure: (10...500, 157), .powerLine: (0...2, 0)]
    }
    do {
      var device = try VideoDevice(node: camera.node, calls: camera)
      let wanted: [(VideoControl, Int32)] = [
        (.autoExposure, VideoControl.manualExposure), (.exposure, 5), (.exposure, 60), (.focus, 1), (.powerLine, 3),
      ]
      var isSet: [Bool] = []
      for (control, value) in wanted { isSet.append(device.set(control, to: value)) }
      expectEqual(isSet, [true, true, true, false, false])
      expectEqual(
        camera.state.withLock { $0.controls.mapValues(\.value) }, [.autoExposure: 1, .exposure: 60, .powerLine: 0])
    }
    expectEqual(
      camera.state.withLock { $0.controls.mapValues(\.value) }, [.autoExposure: 3, .exposure: 157, .powerLine: 0])
    // The mode last: while it is automatic, the exposure takes nothing.
    expectEqual(
      camera.state.withLock { $0.settings.map(\.0) }, [.autoExposure, .exposure, .exposure, .exposure, .autoExposure])
  }
}
