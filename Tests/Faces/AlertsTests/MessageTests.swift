import Expectations
import ScanConfiguration
import ScanModel
import Testing

@testable import Alerts

/// What is posted.
@Suite struct MessageTests {
  private static func message(
    _ key: AlertKey, isResolved: Bool = false, isRecurring: Bool = false, station: String = "north-door"
  ) -> AlertMessage {
    let since = WallTime(seconds: 1_795_286_527)
    return AlertMessage(
      AlertBook.News(
        key: key, isResolved: isResolved, words: AlertWords("Reader left is not plugged in.", "scangate devices"),
        since: since, at: since + .seconds(720), isRecurring: isRecurring), station: station)
  }

  @Test func saysWhatHappenedWhereAndSinceWhen() {
    let message = Self.message(AlertKey(.reader, "left"))
    expectEqual(message.title, "north-door: reader left")
    expectEqual(
      message.body,
      "Reader left is not plugged in.\nLook with: scangate devices\nStation north-door, since 2026-11-21T18:42:07Z.\n")
    expectEqual(message.priority, .high)
    expectEqual(message.tags, "warning,reader,north-door")
  }

  @Test func saysThatItIsOver() {
    let message = Self.message(AlertKey(.reader, "left"), isResolved: true, isRecurring: true)
    expectEqual(message.title, "north-door: resolved: reader left")
    expectEqual(
      message.body,
      "It is over after 12 min: Reader left is not plugged in.\nStation north-door, since 2026-11-21T18:42:07Z.\n"
        + "It came back within an hour: each time, that it is over is told later.\n")
    expectEqual(message.priority, .default)
    expectEqual(message.tags, "white_check_mark,reader,north-door")
  }

  @Test func whatNobodyCanPassIsUrgent() {
    for condition in [AlertCondition.service, .gate, .key] {
      expectEqual(Self.message(AlertKey(condition, "x")).priority, .urgent)
    }
  }

  /// Whoever has another service at the socket adds no header, and no line.
  @Test func namesAreOneLineOfASCII() {
    let message = Self.message(AlertKey(.reader, "a\r\nX-Evil: 1\u{202E}ü"), station: "d\nö")
    expectEqual(message.title, "d??: reader a??X-Evil: 1??")
    expectEqual(message.body.split(separator: "\n").count, 3)
  }
}
