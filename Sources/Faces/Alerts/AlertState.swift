internal import Glibc
package import LinuxIO
internal import ScanModel
internal import ScanConfiguration
internal import WireText

/// What alerts outlive the process: which are open, what waits to be posted, and how many conflicts were known of. There is no code,
/// name of a holder or secret in it.
package struct AlertState: Sendable, Equatable {
  /// The entries of the book; of what is quiet those that were open within the hour.
  package var entries: [AlertKey: AlertBook.Entry] = [:]
  /// What waits, with how often it was tried.
  package var waiting: [(message: AlertMessage, tries: Int)] = []
  /// How many conflicts were known of.
  package var conflicts: UInt64 = 0

  package init() {}

  package static func == (a: Self, b: Self) -> Bool {
    a.entries == b.entries && a.conflicts == b.conflicts
      && a.waiting.elementsEqual(b.waiting) { $0.message == $1.message && $0.tries == $1.tries }
  }

  /// The longest file in bytes.
  private static let longest = 1_048_576
  private static let version: Int64 = 1

  /// Reads what `write` has written.
  /// - Returns: `nil` where there is no file.
  /// - Throws: why it cannot be used, and what becomes of it.
  package static func read(_ path: String) throws(AlertStateFault) -> AlertState? {
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.read(path, limit: longest + 1)
    } catch {
      if error.errno == ENOENT { return nil }
      throw AlertStateFault("\(path) cannot be read (\(error.words)): open alerts may be told again.")
    }
    guard bytes.count <= longest, let json = try? JSONValue(bytes), json["version"]?.integer == version,
      let alerts = json["alerts"]?.array, let waiting = json["waiting"]?.array
    else {
      throw AlertStateFault(
        "\(path) is damaged, or of another release: it begins anew, and open alerts are told again.")
    }
    var state = AlertState()
    state.conflicts = UInt64(clamping: json["conflicts"]?.integer ?? 0)
    for alert in alerts {
      guard let (key, entry) = entry(alert) else { continue }
      state.entries[key] = entry
    }
    state.waiting = waiting.prefix(AlertQueue.most).compactMap(message)
    return state
  }

  /// Writes it, so that all of it is there after a cut of power, or all that was there before.
  /// - Throws: the system's error.
  package func write(to path: String) throws(SystemError) { try SmallFile.replace(path, with: bytes) }

  // MARK: Text

  private var bytes: [UInt8] {
    var text = JSONText()
    text.add("version", Self.version)
    text.add("conflicts", Int64(clamping: conflicts))
    text.add(
      "alerts",
      objects: entries.filter { $0.value.wasOpen }.sorted { $0.key < $1.key }.map { key, entry in
        var object = JSONText()
        object.add("condition", key.condition.rawValue)
        object.add("subject", key.subject)
        object.add("open", entry.isOpen)
        object.add("what", entry.words.what)
        object.add("command", entry.words.command)
        object.add("since", entry.since.seconds)
        object.add("returns", Int64(entry.returns))
        return object.text
      })
    text.add(
      "waiting",
      objects: waiting.map { message, tries in
        var object = JSONText()
        object.add("condition", message.key.condition.rawValue)
        object.add("subject", message.key.subject)
        object.add("title", message.title)
        object.add("body", message.body)
        object.add("priority", message.priority.rawValue)
        object.add("tags", message.tags)
        object.add("tries", Int64(tries))
        return object.text
      })
    return text.bytes
  }

  private static func key(_ json: JSONValue) -> AlertKey? {
    guard let condition = json["condition"]?.string.flatMap(AlertCondition.init(rawValue:)),
      let subject = json["subject"]?.string
    else { return nil }
    return AlertKey(condition, subject)
  }

  private static func entry(_ json: JSONValue) -> (AlertKey, AlertBook.Entry)? {
    guard let key = key(json), let what = json["what"]?.string, let command = json["command"]?.string,
      let since = json["since"]?.integer, let returns = json["returns"]?.integer
    else { return nil }
    var entry = AlertBook.Entry(words: AlertWords(what, command), since: WallTime(seconds: since))
    entry.isOpen = json["open"] == .bool(true)
    entry.wasOpen = true
    entry.returns = Int(clamping: min(max(returns, 0), 1_000))
    return (key, entry)
  }

  private static func message(_ json: JSONValue) -> (message: AlertMessage, tries: Int)? {
    guard let key = key(json), let title = json["title"]?.string, let body = json["body"]?.string,
      let priority = json["priority"]?.string.flatMap(AlertMessage.Priority.init(rawValue:)),
      let tags = json["tags"]?.string, let tries = json["tries"]?.integer
    else { return nil }
    return (
      AlertMessage(key: key, title: title, body: body, priority: priority, tags: tags),
      Int(clamping: min(max(tries, 0), 100))
    )
  }
}

/// Why the file of open alerts cannot be used.
package struct AlertStateFault: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
