import Expectations
@testable import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// The same question at the same time is one request.
@Suite struct JoiningTests {
  /// A server that answers only when it is told to, and says when it was asked.
  func held() -> (ScriptedServer, AsyncStream<ScriptedServer.Connection>) {
    let asked = AsyncStream<ScriptedServer.Connection>.makeStream()
    return (ScriptedServer { _, _, connection in asked.continuation.yield(connection) }, asked.stream)
  }

  func first(_ asked: AsyncStream<ScriptedServer.Connection>) async throws -> ScriptedServer.Connection {
    for await connection in asked { return connection }
    throw CancellationError()
  }

  @Test func oneRequestAnswersAll() async throws {
    let (server, asked) = held()
    let service = try await Service.open(server)
    await withTaskGroup(of: ControlConfiguration?.self) { group in
      for _ in 0..<40 { group.addTask { await service.configuration().value } }
      await until { service.client.configurations.waiting == 40 }
      try? await first(asked).send(Answers.ok(Answers.configuration))
      for await configuration in group { expectEqual(configuration?.name, "Box office east") }
    }
    expectEqual(server.requests.count, 1)
    await service.close()
  }

  @Test func differentQuestionsAreNotJoined() async throws {
    let (server, asked) = held()
    let service = try await Service.open(server)
    async let plain = service.configuration()
    async let refreshed = service.configuration(refreshing: true)
    async let other = service.configuration(of: Service.activation("kiosk-2"))
    async let withoutToken = service.configuration(of: Service.activation(token: nil))
    var connections: [ScriptedServer.Connection] = []
    for await connection in asked {
      connections.append(connection)
      if connections.count == 4 { break }
    }
    for connection in connections { connection.send(Answers.ok(Answers.configuration)) }
    for result in await [plain, refreshed, other, withoutToken] { expect(result.value != nil) }
    expectEqual(server.requests.count, 4)
    await service.close()
  }

  @Test func eachCallersOwnDeadlineHolds() async throws {
    let (server, asked) = held()
    let service = try await Service.open(server)
    async let patient = service.configuration()
    let connection = try await first(asked)
    // This one has no time at all, and asks nothing of its own.
    let hasty = await service.client.configurations.outcome(
      for: .init(kioskID: "kiosk-1", token: ControlToken(Service.token), refreshing: false),
      deadline: SystemTime().now() + .milliseconds(1), late: ControlFault(.network, "late")
    ) {
      Issue.record("it was asked anew")
      return .failure(ControlFault(.unknown, ""))
    }
    expectEqual(hasty.fault, ControlFault(.network, "late"))
    connection.send(Answers.ok(Answers.configuration))
    expect(await patient.value != nil)
    expectEqual(server.requests.count, 1)
    await service.close()
  }

  @Test func whatFailsFailsForAllAndIsAskedAnewAfterwards() async throws {
    let (server, asked) = held()
    let service = try await Service.open(server)
    async let one = service.fault(.health)
    async let another = service.fault(.health)
    let connection = try await first(asked)
    await until { service.client.healths.waiting == 2 }
    connection.send(Answers.response("500 X", "{}"))
    await expectEqual(one?.kind, .server)
    await expectEqual(another?.kind, .server)
    async let anew = service.fault(.health)
    try await first(asked).send(Answers.ok(#"{"ok":true}"#))
    expect(await anew == nil)
    expectEqual(server.requests.count, 2)
    await service.close()
  }
}
