import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// What a call says of its own, and what it may take.
@Suite struct CallTests {
  private let time = SystemTime()
  private var soon: MonotonicTime { time.now() + .seconds(30) }

  private func answered(
    _ call: HTTPCall, by script: @escaping ScriptedServer.Script, settings: HTTPTransport.Settings = .init(),
    deadline: MonotonicTime? = nil
  ) async throws -> (outcome: HTTPOutcome, requests: [String]) {
    let server = ScriptedServer(script)
    let port = try await server.start()
    let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:\(port)/base"), settings: settings)
    let outcome = await transport.send(call, deadline: deadline ?? soon) { _ in }
    await transport.close()
    await server.stop()
    return (outcome, server.requests)
  }

  private static func response(_ body: String, _ headers: String = "") -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  private static let good: ScriptedServer.Script = { _, _, connection in connection.send(response("{}")) }

  @Test(arguments: [HTTPCall.Method.get, .post, .patch, .put, .delete])
  func eachMethodIsSentAsItIs(method: HTTPCall.Method) async throws {
    let body: [UInt8]? = method == .get || method == .delete ? nil : Array("{}".utf8)
    let (outcome, requests) = try await answered(HTTPCall(method, path: "/one", body: body), by: Self.good)
    guard case .answered(let answer) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(answer.status, 200)
    expect(outcome.sentAt != nil)
    expect(requests.first?.hasPrefix("\(method.rawValue) /base/one HTTP/1.1\r\n") == true, "\(requests)")
  }

  /// It has no body to hold back: once its head is out, it may have been done.
  @Test func aDeleteWhoseAnswerDoesNotComeIsLost() async throws {
    let (outcome, requests) = try await answered(
      HTTPCall(.delete, path: "/one"), by: { _, _, connection in connection.close() })
    guard case .lost = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(requests.count, 1, "nothing is sent twice")
    expect(outcome.sentAt != nil)
  }

  @Test func itsOwnHeadersGoOut() async throws {
    var call = HTTPCall(.get, path: "/", credential: ("X-API-Key", "", try Secret("key-key")))
    try call.add(CallHeader("If-Match", "\"a b\""))
    try call.add(CallHeader("X-Venue", "north"))
    let (_, requests) = try await answered(call, by: Self.good)
    let request = requests.first ?? ""
    for line in ["If-Match: \"a b\"", "X-Venue: north", "X-API-Key: key-key", "User-Agent: scangate"] {
      expectEqual(request.components(of: "\r\n\(line)\r\n"), 1, "\(line)")
    }
  }

  @Test(arguments: [
    "Host", "CONTENT-LENGTH", "expect", "Transfer-Encoding", "Connection", "Authorization", "Cookie", "Accept",
    "User-Agent", "Content-Type", "Accept-Encoding", "Cache-Control", "Proxy-Authorization", "Sec-Fetch-Site", "TE",
  ]) func noneThatTheTransportSets(name: String) {
    #expect(throws: CallHeader.Fault.reserved(name: name)) { try CallHeader(name, "1") }
  }

  @Test(arguments: ["", " ", "X Y", "X:", "X\r\nY", "é", "X\0", String(repeating: "x", count: 65)])
  func namesThatNoHeaderHas(name: String) {
    #expect(throws: CallHeader.Fault.invalidName) { try CallHeader(name, "1") }
  }

  @Test(arguments: ["", " a", "a ", "a\r\nX-Evil: 1", "a\tb", "é", "\u{7F}", String(repeating: "x", count: 1_025)])
  func valuesThatNoHeaderHas(value: String) {
    #expect(throws: CallHeader.Fault.invalidValue(name: "X-One")) { try CallHeader("X-One", value) }
  }

  @Test func soManyAndEachOnce() throws {
    var call = HTTPCall(.get, path: "/", credential: ("X-API-Key", "", try Secret("key-key")))
    #expect(throws: CallHeader.Fault.repeated(name: "x-api-key")) { try call.add(CallHeader("x-api-key", "1")) }
    for number in 1...HTTPCall.mostHeaders { try call.add(CallHeader("X-\(number)", "1")) }
    #expect(throws: CallHeader.Fault.tooMany) { try call.add(CallHeader("X-Other", "1")) }
    var other = HTTPCall(.get, path: "/")
    try other.add(CallHeader("If-Match", "1"))
    #expect(throws: CallHeader.Fault.repeated(name: "IF-MATCH")) { try other.add(CallHeader("IF-MATCH", "2")) }
    expectEqual(other.headers.count, 1)
  }

  @Test func aHeaderShowsNoValue() throws {
    var call = HTTPCall(.get, path: "/")
    try call.add(CallHeader("X-One", "s3cr3t-value"))
    var dumped = ""
    dump(call, to: &dumped)
    dump(CallHeader.Fault.invalidValue(name: "X-One"), to: &dumped)
    let answer = HTTPAnswer(status: 200, headers: Self.headers([("X-One", "s3cr3t-value")]))
    dump(answer, to: &dumped)
    expect(dumped.contains("X-One"))
    expect(!(dumped + "\(call)\(answer)\(String(reflecting: call))").contains("s3cr3t"))
  }

  // MARK: Limits

  @Test(arguments: [(99, true), (100, true), (101, false)])
  func aCallsOwnLimitOfBytes(size: Int, fits: Bool) async throws {
    for isLarger in [false, true] {
      var settings = HTTPTransport.Settings()
      settings.mostBytes = isLarger ? 10 : 1_000
      var call = HTTPCall(.get, path: "/")
      call.limits.mostBytes = 100
      let (outcome, _) = try await answered(
        call, by: { _, _, connection in connection.send(Self.response(String(repeating: " ", count: size))) },
        settings: settings)
      switch outcome.result {
      case .answered(let answer): expect(fits && answer.body.count == size)
      case .lost(let fault): expect(!fits && fault.reason == .badAnswer)
      case .notSent, .pending: Issue.record("\(outcome)")
      }
    }
  }

  @Test func aLimitOfBytesHasItsOwn() {
    var limits = HTTPCall.Limits()
    limits.mostBytes = .max
    expectEqual(limits.mostBytes, HTTPCall.Limits.mostOfAll)
    limits.mostBytes = -1
    expectEqual(limits.mostBytes, 0)
  }

  @Test func aCallsOwnTimeEndsItBeforeTheDeadline() async throws {
    var call = HTTPCall(.get, path: "/")
    call.limits.longest = .milliseconds(500)
    let (outcome, _) = try await answered(call, by: { _, _, _ in }, deadline: time.now() + .seconds(600))
    expectEqual(outcome.result, .pending)
    call.limits.longest = .zero - .seconds(1)
    let (none, requests) = try await answered(call, by: Self.good)
    guard case .notSent = none.result else {
      Issue.record("\(none)")
      return
    }
    expect(requests.isEmpty)
  }

  // MARK: Headers of answers

  private static func headers(_ lines: [(String, String)]) -> AnswerHeaders {
    var headers = AnswerHeaders()
    for (name, value) in lines { headers.add(name, value) }
    return headers
  }

  @Test func anAnswersHeadersAreFoundByName() async throws {
    let (outcome, _) = try await answered(
      HTTPCall(.get, path: "/"),
      by: { _, _, connection in
        connection.send(Self.response("{}", "ETag: \"7\"\r\nX-Two: a\r\nx-two: b\r\nSet-Cookie: a=b\r\n"))
      })
    guard case .answered(let answer) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expect(answer.headers["etag"] == "\"7\"" && answer.headers["ETAG"] == "\"7\"")
    expectEqual(answer.headers["Content-Length"], "2")
    expectEqual(answer.headers["X-Two"], nil, "two that contradict one another")
    expectEqual(answer.headers["Set-Cookie"], nil)
    expectEqual(answer.headers["X-None"], nil)
    expect(answer.headers.has("X-TWO") && answer.headers.has("ETag"), "what cannot be read is there all the same")
    expect(!answer.headers.has("X-None") && !answer.headers.has("Set-Cookie"))
  }

  /// Whatever comes: bounded; and what is found is what was sent, alone under its name.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 20, release: 200))))
  func anyHeadersAreBounded(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let names = (0..<Int.random(in: 1...100, using: &random)).map { number in
      random.chance(10)
        ? String(repeating: "n", count: Int.random(in: 60...70, using: &random)) + "\(number)" : "Name-\(number)"
    }
    var sent: [String: [String]] = [:]
    var headers = AnswerHeaders()
    for _ in 0..<Int.random(in: 0...200, using: &random) {
      let name = names[Int.random(in: 0..<names.count, using: &random)]
      let size = random.chance(20) ? Int.random(in: 0...3_000, using: &random) : Int.random(in: 0...20, using: &random)
      let value = String(repeating: "v", count: size)
      headers.add(random.chance(50) ? name.uppercased() : name, value)
      sent[name, default: []].append(value)
      expect(headers.count <= AnswerHeaders.mostNames, "seed \(seed)")
      let found = names.compactMap { headers[$0] }
      expect(found.reduce(0) { $0 + $1.utf8.count } <= AnswerHeaders.mostBytes, "seed \(seed)")
    }
    for (name, values) in sent {
      guard let found = headers[name] else { continue }
      expectEqual([found], values, "seed \(seed): \(name)")
      expect(found.utf8.count <= AnswerHeaders.longestValue && name.utf8.count <= AnswerHeaders.longestName)
    }
  }
}

extension String {
  /// How often `part` is in it.
  fileprivate func components(of part: String) -> Int {
    let bytes = Array(utf8)
    let wanted = Array(part.utf8)
    return bytes.indices.filter { bytes[$0...].starts(with: wanted) }.count
  }
}
