import Expectations
import ScanModel
import ScriptedHTTP
import Testing

@testable import KioskControl

/// What is told or asked many times at once is one request, for each station, token and content.
extension JoiningTests {
  typealias Call = @Sendable (Service) async -> ControlFault?

  /// Makes calls at once. Nothing is answered until all of them wait, so that none can come too late to be joined; then
  /// everything is, so that one that was not joined is counted.
  /// - Parameters:
  ///   - answers: of the service, request by request; the last one is repeated.
  ///   - waiting: how many wait.
  private func run(
    _ calls: [Call], _ answers: [String], waiting: @Sendable (KioskClient) -> Int
  ) async throws -> (faults: [ControlFault?], bodies: [String]) {
    let (server, asked) = held()
    let service = try await Service.open(server)
    var faults: [ControlFault?] = []
    await withTaskGroup(of: ControlFault?.self) { group in
      for call in calls { group.addTask { await call(service) } }
      await until { waiting(service.client) == calls.count }
      let answering = Task {
        var number = 0
        for await connection in asked {
          connection.send(answers[min(number, answers.count - 1)])
          number += 1
        }
      }
      for await fault in group { faults.append(fault) }
      answering.cancel()
    }
    expectEqual(waiting(service.client), 0)
    let bodies = service.bodies
    await service.close()
    return (faults, bodies)
  }

  private func many(_ call: @escaping Call) -> [Call] { Array(repeating: call, count: 20) }

  // MARK: Reports

  private static let updated = Answers.ok(#"{"message":"Status updated successfully","kioskId":"kiosk-1"}"#)

  @Test(arguments: StationStatus.allCases) func reportsOfOneStatusAreOneRequest(status: StationStatus) async throws {
    let (faults, bodies) = try await run(many { await $0.report(status) }, [Self.updated]) { $0.reports.waiting }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(
      bodies, [#"{"status":"\#(status.rawValue)","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#])
  }

  @Test func aStatusInTwoSpellingsIsTwoRequestsForAll() async throws {
    let wrong = Answers.response("400 Bad Request", #"{"error":"Invalid status value"}"#)
    let (faults, bodies) = try await run(many { await $0.report(.inUse) }, [wrong, Self.updated]) {
      $0.reports.waiting
    }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(
      bodies,
      [
        #"{"status":"in-use","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#,
        #"{"status":"inUse","timestamp":"2025-07-15T12:00:00Z","manualOverride":false}"#,
      ])
  }

  /// What differs is told, each of it.
  @Test func reportsThatDifferAreNotJoined() async throws {
    let calls: [Call] = [
      { await $0.report(.meeting) }, { await $0.report(.brb) }, { await $0.report(.meeting, isManual: true) },
      { await $0.report(.meeting, of: Service.activation("kiosk-2")) },
      { await $0.report(.meeting, of: Service.activation(token: "another")) },
      { await $0.report(.meeting, of: Service.activation(token: nil)) },
    ]
    let (faults, bodies) = try await run(calls, [Self.updated]) { $0.reports.waiting }
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(bodies.count, 6)
    // Two of the six say something else.
    expectEqual(Set(bodies).count, 3)
  }

  @Test func aReportThatFailsFailsForAllInOneRequest() async throws {
    let busy = Answers.response("503 Service Unavailable", #"{"error":"Busy"}"#)
    let (faults, bodies) = try await run(many { await $0.report(.lunch) }, [busy]) { $0.reports.waiting }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0?.kind == .server && $0?.status == 503 })
    expectEqual(bodies.count, 1)
  }

  // MARK: Validations

  @Test func validationsAreOneRequest() async throws {
    let (faults, bodies) = try await run(many { await $0.fault(.validate) }, [Answers.ok(#"{"valid":true}"#)]) {
      $0.validations.waiting
    }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(bodies, ["{}"])
  }

  @Test func aTokenThatIsRefusedIsShownOnceForAll() async throws {
    let refusal = Answers.refusal("401 Unauthorized", "INVALID_TOKEN", "Authentication token is invalid or expired")
    let (faults, bodies) = try await run(many { await $0.fault(.validate) }, [refusal]) { $0.validations.waiting }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0?.kind == .authentication })
    expectEqual(bodies, ["{}"])
  }

  @Test func validationsThatDifferAreNotJoined() async throws {
    let calls: [Call] = [
      { await $0.fault(.validate) }, { await $0.fault(.validate, of: Service.activation("kiosk-2")) },
      { await $0.fault(.validate, of: Service.activation(token: "another")) },
    ]
    let (faults, bodies) = try await run(calls, [Answers.ok("{}")]) { $0.validations.waiting }
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(bodies, ["{}", "{}", "{}"])
  }

  // MARK: Registrations

  private static let registered = Answers.ok(#"{"message":"registered"}"#)

  @Test func registrationsAreOneRequest() async throws {
    let (faults, bodies) = try await run(many { await $0.register() }, [Self.registered]) { $0.registrations.waiting }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(bodies, [#"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0","token":"shared-token"}"#])
  }

  @Test func registrationsThatDifferAreNotJoined() async throws {
    let calls: [Call] = [
      { await $0.register() }, { await $0.register(token: "another") }, { await $0.register(token: nil) },
      { await $0.register(StationIdentity(id: Service.station.id, version: "1.5.0")) },
      { await $0.register(StationIdentity(id: "00000000-0000-4000-8000-000000000000", version: "1.4.0")) },
    ]
    let (faults, bodies) = try await run(calls, [Self.registered]) { $0.registrations.waiting }
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(
      bodies.sorted(),
      [
        #"{"id":"00000000-0000-4000-8000-000000000000","version":"1.4.0","token":"shared-token"}"#,
        #"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0","token":"another"}"#,
        #"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0","token":"shared-token"}"#,
        #"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.4.0"}"#,
        #"{"id":"6f0c2b1e-2f4b-4d2a-9a51-0d9c7f3b8e11","version":"1.5.0","token":"shared-token"}"#,
      ])
  }

  // MARK: Health

  @Test func questionsForHealthAreOneRequest() async throws {
    let (faults, bodies) = try await run(many { await $0.fault(.health) }, [Answers.ok(#"{"ok":true}"#)]) {
      $0.healths.waiting
    }
    expectEqual(faults.count, 20)
    expect(faults.allSatisfy { $0 == nil })
    expectEqual(bodies, [""])
  }
}
