import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol
import Synchronization

/// The door pages of a station: follows it while somebody looks, and has what stands on each gate's page written once for all who look at
/// it in one language.
///
///     station ──events, and how it is each second──▶ boards ──faces──▶ written once ──▶ streams, each with its place alone
final class DoorHub: Sendable {
  /// The most streams at a time.
  static let mostStreams = 128
  /// How often every stream is written to; a page that hears nothing for three times as long says so.
  static let beat: Duration = .seconds(1)
  /// How long the station is followed for a page without a stream.
  private static let linger: Duration = .seconds(30)

  private struct Viewer {
    /// `nil` for a page of no one gate: it is told whether the station answers.
    let gate: GateID?
    let language: PageLanguage
    let wakes: AsyncStream<Void>.Continuation
    /// What it was told last.
    var face: UInt64 = 0
    var beat: UInt64 = 0
  }

  /// What stands on one gate's page, for those who look at it.
  private struct Shown {
    var face: DoorBoards.Face
    var number: UInt64
    var written: [PageLanguage: ByteBuffer] = [:]
  }

  private struct State {
    var boards = DoorBoards()
    var viewers: [UInt64: Viewer] = [:]
    var shown: [GateID?: Shown] = [:]
    var lastViewer: UInt64 = 0
    var lastFace: UInt64 = 0
    var beat: (number: UInt64, bytes: ByteBuffer) = (0, ByteBuffer())
    var lastLook = MonotonicTime(nanoseconds: .min)
    var following: Task<Void, Never>?
    var isEnded = false
  }

  private let mirror: StationMirror
  private let state = Mutex(State())
  private let time: any TimeSource
  private let interval: Duration

  init(_ mirror: StationMirror, time: any TimeSource = SystemTime(), interval: Duration = DoorHub.beat) {
    (self.mirror, self.time, self.interval) = (mirror, time, interval)
  }

  // MARK: Who looks

  /// How many streams there are.
  var count: Int { state.withLock { $0.viewers.count } }

  /// Begins to tell somebody what stands on a gate's page, or of no one gate whether the station answers; `nil` where as many are told as
  /// may be.
  func watch(_ gate: GateID?, in language: PageLanguage) -> DoorWatch? {
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.isEnded, state.viewers.count < Self.mostStreams else { return nil }
      state.lastViewer += 1
      state.viewers[state.lastViewer] = Viewer(gate: gate, language: language, wakes: continuation)
      look(&state)
      return state.lastViewer
    }
    guard let number else { return nil }
    continuation.yield()
    return DoorWatch(number: number, wakes: wakes, hub: self)
  }

  /// What stands on a gate's page now, and in which colours; the station is followed for a while, for whoever asks again.
  func look(at gate: GateID) async -> (face: DoorBoards.Face, colours: PageColours?) {
    let boards: DoorBoards? = state.withLock { state in
      look(&state)
      return state.boards.isTelling != nil && state.boards.station != nil ? state.boards : nil
    }
    if let boards { return (boards.face(of: gate, at: time.now()), boards.colours(of: gate)) }
    // What comes first is asked for, so that a page need not be empty.
    guard let snapshot = try? await mirror.snapshot(notOlderThan: interval) else { return (.away, nil) }
    var first = DoorBoards()
    first.become(telling: true)
    first.take(snapshot)
    return (first.face(of: gate, at: time.now()), first.colours(of: gate))
  }

  /// Ends what all are told.
  func end() {
    let (viewers, following) = state.withLock { state in
      state.isEnded = true
      return (Array(state.viewers.values), state.following)
    }
    following?.cancel()
    for viewer in viewers { viewer.wakes.finish() }
  }

  fileprivate func leave(_ number: UInt64) {
    state.withLock { state -> Viewer? in
      guard let viewer = state.viewers.removeValue(forKey: number) else { return nil }
      if !state.viewers.values.contains(where: { $0.gate == viewer.gate }) { state.shown[viewer.gate] = nil }
      return viewer
    }?.wakes.finish()
  }

  /// What somebody is told next; empty where there is nothing.
  fileprivate func take(for number: UInt64) -> [ByteBuffer] {
    state.withLock { state in
      guard var viewer = state.viewers[number] else { return [] }
      var buffers: [ByteBuffer] = []
      let now = time.now()
      if state.shown[viewer.gate] == nil { renew(viewer.gate, &state, now) }
      if var shown = state.shown[viewer.gate], shown.number != viewer.face {
        // Whoever comes while a verdict is lit has less of its time.
        let isFirst = viewer.face == 0
        viewer.face = shown.number
        if isFirst {
          buffers.append(write(shown.face, viewer.language, now))
        } else {
          let written = shown.written[viewer.language] ?? write(shown.face, viewer.language, now)
          shown.written[viewer.language] = written
          state.shown[viewer.gate] = shown
          buffers.append(written)
        }
      }
      if state.beat.number != viewer.beat {
        viewer.beat = state.beat.number
        buffers.append(state.beat.bytes)
      }
      state.viewers[number] = viewer
      return buffers
    }
  }

  private func write(_ face: DoorBoards.Face, _ language: PageLanguage, _ now: MonotonicTime) -> ByteBuffer {
    let words = DoorWords(face, .of(language), at: now, PageTime(now: time.wall()))
    return ByteBuffer(string: "event: face\ndata: \(words.json(at: now))\n\n")
  }

  // MARK: The station

  /// Somebody looks: the station is followed.
  private func look(_ state: inout State) {
    state.lastLook = time.now()
    guard state.following == nil, !state.isEnded else { return }
    state.following = Task { [weak self] in await self?.follow() }
  }

  /// Follows the station until nobody has looked for a while.
  private func follow() async {
    guard let subscription = await mirror.subscribe(filter: EventFilter(types: ["scan", "discarded", "order"])) else {
      // As many are told as may be; whoever looks is written nothing, which its page shows, and comes again.
      if mirror.feed.isOver { end() }
      return state.withLock { $0.following = nil }
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await _ in subscription.wakes {
          while case let news = subscription.news(), !news.isEmpty { await self.take(news) }
        }
        if self.mirror.feed.isOver { self.end() }
      }
      group.addTask {
        // A station that hangs is waited for, and nobody who looks waits with it.
        while !Task.isCancelled {
          self.take(try? await self.mirror.snapshot(notOlderThan: self.interval / 2))
          try? await Task.sleep(for: self.interval)
        }
      }
      while !rests() {
        do { try await Task.sleep(for: interval) } catch { break }
        beat()
      }
      subscription.end()
      group.cancelAll()
    }
  }

  /// - Returns: whether nobody looks, so that following ends.
  private func rests() -> Bool {
    state.withLock { state in
      let now = time.now()
      if !state.viewers.isEmpty { state.lastLook = now }
      guard now - state.lastLook > Self.linger else { return false }
      state.boards.rest()
      state.following = nil
      return true
    }
  }

  private func take(_ news: EventNews) async {
    change { state, now in
      if let isHere = news.isHere { state.boards.become(telling: isHere) }
      for line in news.lines { state.boards.take(line: line, now: now, wall: time.wall()) }
    }
    // What was known of it was of before; nobody waits a second for how it is now.
    if news.isHere == true { take(try? await mirror.snapshot(notOlderThan: .zero)) }
  }

  /// The station was asked how it is; `nil` where it did not answer.
  private func take(_ snapshot: StationSnapshot?) { change { state, _ in state.boards.take(snapshot) } }

  /// A second has passed.
  private func beat() {
    change { state, now in
      state.boards.tick(now)
      state.beat.number += 1
      let clock = PageTime(now: time.wall()).clock
      state.beat.bytes = ByteBuffer(
        string: "event: beat\ndata: {\"clock\":\"\(clock)\",\"at\":\(now.nanoseconds / 1_000_000)}\n\n")
    }
    state.withLock { for viewer in $0.viewers.values { viewer.wakes.yield() } }
  }

  private func change(_ body: (inout State, MonotonicTime) -> Void) {
    state.withLock { state in
      let now = time.now()
      body(&state, now)
      let changed = state.shown.keys.filter { renew($0, &state, now) }
      for viewer in state.viewers.values where changed.contains(viewer.gate) { viewer.wakes.yield() }
    }
  }

  /// - Returns: whether something else stands on the gate's page now.
  @discardableResult
  private func renew(_ gate: GateID?, _ state: inout State, _ now: MonotonicTime) -> Bool {
    let face = state.boards.face(of: gate, at: now)
    guard state.shown[gate]?.face != face else { return false }
    state.lastFace += 1
    state.shown[gate] = Shown(face: face, number: state.lastFace)
    return true
  }
}

/// One who looks at a gate's page.
final class DoorWatch: Sendable {
  private let number: UInt64
  private let hub: DoorHub
  /// That there may be something; ends with the hub. To be followed by one.
  let wakes: AsyncStream<Void>

  fileprivate init(number: UInt64, wakes: AsyncStream<Void>, hub: DoorHub) {
    (self.number, self.wakes, self.hub) = (number, wakes, hub)
  }

  deinit { hub.leave(number) }

  /// What is to be told next: buffers that all who look at the gate in this language share.
  func take() -> [ByteBuffer] { hub.take(for: number) }

  /// Nothing more is told.
  func end() { hub.leave(number) }
}
