import CameraReader
import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

private func offer(_ format: PixelFormat, _ width: Int, _ height: Int, _ rates: UInt32...) -> VideoOffer {
  VideoOffer(
    format: format, sizes: .one(VideoSize(width: width, height: height)),
    rates: rates.map { .one(VideoRate(pictures: $0)) })
}

private func title(_ choice: StreamChoice?) -> String {
  choice.map { "\($0.size.title) \($0.format.name)\($0.rate.map { " \($0.pictures)" } ?? "")" } ?? "none"
}

/// Of a webcam on USB 2, as they are.
private let webcam = [
  offer(.mjpg, 1920, 1080, 30), offer(.mjpg, 1280, 720, 60, 30, 15), offer(.mjpg, 640, 480, 30),
  offer(.yuyv, 1920, 1080, 5), offer(.yuyv, 1280, 720, 10, 5), offer(.yuyv, 640, 480, 30, 15),
]

@Suite struct StreamChoiceTests {
  @Test func theCheapestGreyNear720pThatIsQuickEnough() {
    expectEqual(title(StreamChoice(of: webcam)), "1280x720 YUYV 10")
    // Where uncompressed pictures of that size come too slowly.
    let slow = webcam.filter { $0 != offer(.yuyv, 1280, 720, 10, 5) } + [offer(.yuyv, 1280, 720, 5)]
    expectEqual(title(StreamChoice(of: slow)), "1280x720 MJPG 30")
    expectEqual(title(StreamChoice(of: slow.filter { $0.format == .yuyv })), "640x480 YUYV 30")
    expectEqual(title(StreamChoice(of: webcam + [offer(.nv12, 1280, 720, 30)])), "1280x720 NV12 30")
    expectEqual(title(StreamChoice(of: webcam + [offer(.grey, 1280, 800, 120, 60)])), "1280x800 GREY 60")
    // All too slow: the quickest.
    expectEqual(title(StreamChoice(of: [offer(.yuyv, 1280, 720, 2), offer(.yuyv, 640, 480, 8)])), "640x480 YUYV 8")
    // A camera that does not say how quick it is.
    expectEqual(title(StreamChoice(of: [offer(.yuyv, 640, 480)])), "640x480 YUYV")
  }

  @Test func aWishIsFollowedOrRefused() {
    typealias Wish = StreamWish
    let vga = VideoSize(width: 640, height: 480)
    expectEqual(title(StreamChoice(of: webcam, wish: Wish(size: vga))), "640x480 YUYV 30")
    expectEqual(title(StreamChoice(of: webcam, wish: Wish(format: .mjpg))), "1280x720 MJPG 30")
    expectEqual(title(StreamChoice(of: webcam, wish: Wish(rate: 30))), "1280x720 MJPG 30")
    expectEqual(title(StreamChoice(of: webcam, wish: Wish(rate: 60))), "1280x720 MJPG 60")
    expectEqual(title(StreamChoice(of: webcam, wish: Wish(size: vga, rate: 15))), "640x480 YUYV 15")
    expect(StreamChoice(of: webcam, wish: Wish(size: VideoSize(width: 641, height: 480))) == nil)
    expect(StreamChoice(of: webcam, wish: Wish(format: .grey)) == nil)
    expect(StreamChoice(of: []) == nil)
    expect(StreamChoice(of: [offer(PixelFormat("H", "2", "6", "4"), 1280, 720, 30)]) == nil)
  }

  @Test func rangesHoldTheUsualSizes() {
    let range = VideoOffer(
      format: .yuyv,
      sizes: .range(
        from: VideoSize(width: 32, height: 32), to: VideoSize(width: 4000, height: 4000),
        step: VideoSize(width: 16, height: 16)),
      rates: [.range(from: VideoRate(pictures: 1), to: VideoRate(pictures: 100))])
    expectEqual(title(StreamChoice(of: [range])), "1280x720 YUYV 30")
    expectEqual(
      title(StreamChoice(of: [range], wish: .init(size: VideoSize(width: 64, height: 48), rate: 7))), "64x48 YUYV 7")
  }

  @Test("Never what is not offered", arguments: 0..<200)
  func property(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let formats: [PixelFormat] = [
      .grey, .nv12, .yuyv, .mjpg, PixelFormat("R", "G", "B", "3"), PixelFormat(rawValue: 7),
    ]
    func size() -> VideoSize {
      VideoSize(
        width: [0, 16, 160, 640, 1280, 9000].randomElement(using: &random) ?? 0,
        height: Int.random(in: -1...1100, using: &random))
    }
    func rate() -> VideoRate {
      VideoRate(pictures: UInt32.random(in: 0...60, using: &random), seconds: UInt32.random(in: 0...2, using: &random))
    }
    let offers = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      VideoOffer(
        format: formats.randomElement(using: &random) ?? .grey,
        sizes: random.chance(70) ? .one(size()) : .range(from: size(), to: size(), step: size()),
        rates: (0..<Int.random(in: 0...3, using: &random)).map { _ in
          random.chance(70) ? .one(rate()) : .range(from: rate(), to: rate())
        })
    }
    let wish = StreamWish(
      size: random.chance(20) ? size() : nil, rate: random.chance(30) ? Int.random(in: 1...60, using: &random) : nil,
      format: random.chance(20) ? formats.randomElement(using: &random) : nil)
    guard let choice = StreamChoice(of: offers, wish: wish) else {
      // Nothing could have been taken.
      let readable = offers.filter { $0.format != PixelFormat(rawValue: 7) }
      for case .one(let size) in readable.filter({ $0.format == wish.format ?? $0.format }).map(\.sizes) {
        expect(!size.isSane || wish.size.map { $0 != size } == true, "seed \(seed)")
      }
      return
    }
    expect(choice.size.isSane, "seed \(seed)")
    let fitting = offers.filter { $0.format == choice.format && $0.sizes.contains(choice.size) }
    expect(!fitting.isEmpty, "seed \(seed)")
    expect(wish.size == nil || wish.size == choice.size)
    expect(wish.format == nil || wish.format == choice.format)
    if let rate = choice.rate {
      expect(
        fitting.contains { offer in
          offer.rates.contains {
            switch $0 {
            case .one(let one): one == rate
            case .range(let slow, let fast):
              rate == slow || rate == fast || slow.perSecond <= rate.perSecond && rate.perSecond <= fast.perSecond
            }
          }
        }, "seed \(seed)")
    }
  }
}
