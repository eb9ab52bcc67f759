import DecodeClient
import Glibc
import LinuxIO
import ReaderKit
import ScanModel
internal import Reading

/// An open camera that streams, with what looks at its pictures.
final class CameraSession: ReadSession {
  private(set) var counts = CameraCounts()

  /// How pictures lie in memory.
  private let format: VideoFormat
  /// What could not be set, in words.
  private let shortfalls: [String]
  private var stream: FrameStream
  private var decoder: (any FrameDecoder)?
  /// What the decoder tells, while it does.
  private var told: DecodeEvent?
  /// How often the decoder was replaced since it last read a picture.
  private var replacements = 0
  private var lastReplacement: DecodeFault?
  private let time = SystemTime()
  private let device: VideoDevice
  private var pace: FramePace
  private var presence: ViewPresence
  private var number: UInt64 = 0
  /// The picture that the decoder has now.
  private var inHand: (number: UInt64, takenAt: MonotonicTime)?
  private var lastSequence: UInt32?
  private var meter = FrameMeter()
  private var showing = FrameShowing()

  /// How often a decoder may be replaced in a row before the reader is said to have failed.
  private static let mostReplacements = 3
  /// How old a picture may be by its driver's word before that is not believed.
  private static let longestAge = Duration.seconds(1)

  /// Sets the camera up and begins to stream.
  init(
    device: consuming VideoDevice, configuration: CameraConfiguration, choice: StreamChoice
  ) throws(SystemError) {
    let now = time.now()
    var device = device
    shortfalls = device.apply(configuration.controls)
    format = try device.start(choice.format, choice.size, choice.rate)
    guard StreamChoice.readable.contains(format.format) else { throw SystemError(errno: EPROTO, call: "VIDIOC_S_FMT") }
    self.device = device
    stream = FrameStream(format: format, startedAt: now)
    pace = FramePace(idleRate: configuration.idleRate, startedAt: now)
    presence = ViewPresence(reader: configuration.id, settings: configuration.presence)
  }

  /// Makes what looks at the pictures.
  func begin(
    _ makeDecoder: FrameDecoderMaker, _ configuration: CameraConfiguration, on loop: DeviceLoop,
    wake: @escaping () -> Void
  ) {
    decoder = makeDecoder(loop, configuration) { [weak self] event in
      self?.told = event
      wake()
      self?.told = nil
    }
  }

  var descriptor: Int32 { device.descriptor }
  var deadline: MonotonicTime? { stream.deadline }
  var isProven: Bool { stream.isSettled }
  var phase: ReadPhase { isWithoutDecoder ? .failed : stream.isSettled ? .reading : .settling }

  func words(_ device: DeviceIdentity, in phase: ReadPhase) -> String {
    switch phase {
    case .settling: return "the first pictures of \(device.title)"
    case .reading: return (["\(device.title), \(format.title)"] + shortfalls).joined(separator: "; ")
    case .failed:
      var fault = ""
      var advice = "Something that it sees makes the decoder fail: look at what is before the camera"
      if let lastReplacement { fault = ": \(lastReplacement)" }
      if case .cannotStart = lastReplacement { advice = "Look whether scangate-decode is installed whole" }
      return "\(device.title) cannot be looked at\(fault). \(advice)"
    }
  }

  /// Whether the decoder ends again and again, or cannot be started.
  private var isWithoutDecoder: Bool {
    if replacements > 0, case .cannotStart = lastReplacement { return true }
    return replacements >= Self.mostReplacements
  }

  func read(isGone: Bool, _ tell: Tell) -> ReadEnd<CameraObstacle> {
    switch take(at: time.now()) {
    case .gone: .gone
    case .broken: .broken(.bad)
    // The driver tells an error of the whole stream so; where the camera is gone, opening it says so.
    case .drained: isGone ? .broken(.bad) : judged
    }
  }

  func check(_ tell: Tell) -> ReadEnd<CameraObstacle> {
    if let told { take(told, at: time.now()).forEach(tell) }
    return judged
  }

  /// Lets somebody see the next picture that is looked at anyway.
  /// - Returns: why not; `nil` where `answer` is given in a moment.
  func show(to answer: FrameShowing.Asker) -> CameraLookFault? { showing.ask(answer, at: time.now()) }

  func close() {
    showing.end()
    decoder?.stop()
    decoder = nil
  }

  /// Whether pictures still come that can be used.
  private var judged: ReadEnd<CameraObstacle> {
    switch stream.fault(at: time.now()) {
    case .silent: .broken(.silent)
    case .bad: .broken(.bad)
    case nil: .open
    }
  }

  /// Takes what has come; the newest good picture goes to the decoder, if that is free.
  private func take(at now: MonotonicTime) -> VideoDevice.End {
    device.takeNewest(
      examine: { frame, bytes in
        counts.pictures += 1
        meter.took(at: now)
        if let lastSequence { counts.lost += Int(min(1000, max(1, frame.sequence &- lastSequence) - 1)) }
        lastSequence = frame.sequence
        return stream.take(frame, bytes, at: now)
      },
      use: { frame, bytes in
        let shown = handOver(frame, bytes, at: now)
        // Not between a picture and its code.
        showing.saw(bytes, shown: shown)
      })
  }

  /// Hands a picture to the decoder, if that is free.
  /// - Returns: its number, where it is to be shown.
  private func handOver(
    _ frame: VideoFrame, _ bytes: UnsafeRawBufferPointer, at now: MonotonicTime
  ) -> UInt64? {
    guard let decoder, pace.wants(at: now), decoder.isReady else { return nil }
    let raw = RawFrame(
      format: format.format, width: format.size.width, height: format.size.height, stride: format.bytesPerLine,
      bytes: bytes)
    number &+= 1
    let isShown = showing.isDue
    guard decoder.submit(raw, number: number, isShown: isShown) else { return nil }
    pace.offered(at: now)
    let told = frame.takenAt ?? now
    inHand = (number, told <= now && now - told <= Self.longestAge ? told : now)
    counts.looked += 1
    return isShown ? number : nil
  }

  /// Takes what the decoder tells; answers what the reader has to tell of it.
  private func take(_ event: DecodeEvent, at now: MonotonicTime) -> [ReaderEvent] {
    switch event {
    case .reading(let frame, let reading):
      guard let hand = inHand, hand.number == frame else { return [] }
      inHand = nil
      replacements = 0
      stream.decoded(false)
      pace.took(isStill: reading.isStill, at: now)
      showing.read(reading, in: frame, takenAt: hand.takenAt)
      return presence.take(reading, width: format.size.width, height: format.size.height, at: hand.takenAt)
    case .shown(let frame, let picture):
      showing.give(picture, of: frame, format, rate: meter.rate(at: now), at: now)
    case .spoilt:
      inHand = nil
      replacements = 0
      counts.spoilt += 1
      stream.decoded(true)
    case .replaced(let fault):
      inHand = nil
      counts.replacements += 1
      replacements += 1
      lastReplacement = fault
    case .noise(let lines): counts.noise += lines
    }
    return []
  }
}

/// What a camera and its decoder have done since the camera was opened.
package struct CameraCounts: Sendable, Equatable {
  /// Pictures that came.
  package var pictures = 0
  /// Pictures that the driver counted and that never came.
  package var lost = 0
  /// Pictures that were handed to the decoder.
  package var looked = 0
  /// Pictures that the decoder could make nothing of.
  package var spoilt = 0
  /// How often the decoder was replaced.
  package var replacements = 0
  /// Lines that the decoder wrote to its standard error.
  package var noise = 0
}

extension VideoDevice {
  /// Sets what is configured; answers what the camera does not take, in words.
  mutating func apply(_ controls: CameraControls) -> [String] {
    var shortfalls: [String] = []
    if let exposure = controls.exposure {
      _ = set(.autoExposure, to: VideoControl.manualExposure)
      if !set(.exposure, to: exposure) { shortfalls.append("its exposure cannot be set") }
    } else {
      // In the dark it would slow down, and people would wait.
      _ = set(.exposurePriority, to: 0)
    }
    switch controls.focus {
    case .auto: if !set(.autoFocus, to: 1) { shortfalls.append("it cannot focus by itself") }
    case .fixed(let focus):
      _ = set(.autoFocus, to: 0)
      if !set(.focus, to: focus) { shortfalls.append("its focus cannot be set") }
    case nil: break
    }
    if let mains = controls.powerLine, !set(.powerLine, to: mains == .hertz60 ? 2 : 1) {
      shortfalls.append("it does not know the frequency of the mains")
    }
    return shortfalls
  }
}
