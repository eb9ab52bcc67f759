import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit

@testable import Bookings

/// What an operator is told of a door, each trouble once, and that it is mended.
@Suite struct DoorUpkeepTests {
  @Test func aRefusedSignInIsAnAlarmOnce() async throws {
    let stage = try await Stage.open()
    stage.service.reply(
      to: .signIn, .answer(stage.service.response("401 Unauthorized", stage.service.error("Invalid credentials"))),
      .usual)
    var upkeep = DoorUpkeep(of: stage.door, stage.list, Stage.id)
    var news = await upkeep.look()
    await until { stage.door.session?.fault != nil }
    news += await upkeep.look()
    news += await upkeep.look()
    guard case .alarm(let words)? = news.first, news.count == 1 else { return expect(false, "\(news)") }
    expect(words.hasPrefix("Staff cannot be signed in. ") && words.contains("credential set theatre-door"), "\(words)")
    expect(!Stage.holdsSecret(words))
    expectEqual(stage.service.count(.signIn), 1)
    stage.time.advance(by: .seconds(301))
    news = await upkeep.look()
    await until { stage.door.session?.held != nil }
    news += await upkeep.look()
    news += await upkeep.look()
    expectEqual(news, [.notice("Staff are signed in at \(stage.door.host) again.")])
    expectEqual(stage.service.count(.signIn), 2)
    await stage.close()
  }

  @Test func aServiceThatIsAwayIsNoAlarmOfItsOwn() async throws {
    let stage = try await Stage.open()
    stage.service.reply(to: .signIn, .answer(stage.service.response("503 Away", "", type: nil)))
    var upkeep = DoorUpkeep(of: stage.door, stage.list, Stage.id)
    _ = await upkeep.look()
    await until { stage.door.session?.fault != nil }
    expectEqual(await upkeep.look(), [])
    await stage.close()
  }

  @Test func aListBeyondThreeIntervalsIsAnAlarmOnce() async throws {
    let stage = try await Stage.open(refresh: .seconds(300))
    try await stage.signIn()
    var upkeep = DoorUpkeep(of: stage.door, stage.list, Stage.id)
    expectEqual(await upkeep.look(), [], "there is none yet")
    stage.board.put([:], asOf: stage.time.wall() - .seconds(890))
    expectEqual(await upkeep.look(), [])
    stage.board.put([:], asOf: stage.time.wall() - .seconds(901))
    var news = await upkeep.look()
    news += await upkeep.look()
    guard case .alarm(let words)? = news.first, news.count == 1 else { return expect(false, "\(news)") }
    expect(
      words.contains("15 min old") && words.contains("every 5 min") && words.contains("tickets import FILE"), "\(words)"
    )
    stage.board.put([:], asOf: stage.time.wall())
    news = await upkeep.look()
    news += await upkeep.look()
    expectEqual(news, [.notice("The list on board of theatre is told by \(stage.door.host) again.")])
    await stage.close()
  }

  @Test func itKeepsTheSessionFreshUntilItIsCancelled() async throws {
    let stage = try await Stage.open()
    stage.service.life("Max-Age=1200")
    let looking = Task { [door = stage.door, list = stage.list] in
      var upkeep = DoorUpkeep(of: door, list, Stage.id)
      await upkeep.run(every: .milliseconds(5)) { _ in }
    }
    await until { stage.door.session?.held != nil }
    let first = stage.door.session?.held
    stage.time.advance(by: .seconds(901))
    await until { stage.door.session?.held != first }
    expectEqual(stage.service.count(.signIn), 2)
    looking.cancel()
    await looking.value
    await stage.close()
  }
}
