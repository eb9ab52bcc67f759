package import FirstRun
internal import WireText

/// What the terminal's process and the page's say to each other, a packet each: JSON, for both are of one program.
package enum PageMessage: Sendable, Equatable {
  // From the terminal's process.
  /// Listen there.
  case listen(host: String, port: Int)
  /// What is to be seen.
  case view(FirstRunView)
  /// A request was dealt with, after the view that came of it; what is said of a code that was wrong.
  case done(Int, words: FirstRunText?)
  /// It is over: the last that is to be seen. The page's process ends when everybody has it.
  case end(FirstRunView)

  // From the page's.
  /// It listens.
  case ready(port: Int)
  /// Somebody has sent a code; the first number is the request's, here and below.
  case code(Int, String)
  /// Somebody has answered a question.
  case answer(Int, question: Int, String)
  /// Somebody has sent a key for one.
  case key(Int, question: Int, String)
  /// The end was shown.
  case seen

  /// The longest packet.
  package static let longest = 128 * 1_024

  package var bytes: [UInt8] {
    var text = JSONText()
    switch self {
    case .listen(let host, let port):
      text.add("t", "listen")
      text.add("text", host)
      text.add("n", Int64(port))
    case .view(let view):
      text.add("t", "view")
      Self.add(view, to: &text)
    case .end(let view):
      text.add("t", "end")
      Self.add(view, to: &text)
    case .done(let id, let words):
      text.add("t", "done")
      text.add("n", Int64(id))
      text.add("text", words?.line)
    case .ready(let port):
      text.add("t", "ready")
      text.add("n", Int64(port))
    case .code(let id, let code): Self.add("code", id, code, to: &text)
    case .answer(let id, let question, let answer):
      Self.add("answer", id, answer, to: &text)
      text.add("question", Int64(question))
    case .key(let id, let question, let key):
      Self.add("key", id, key, to: &text)
      text.add("question", Int64(question))
    case .seen: text.add("t", "seen")
    }
    return text.bytes
  }

  /// Reads a packet; `nil` where it is none.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest, let json = try? JSONValue(bytes), let type = json["t"]?.string else {
      return nil
    }
    let number = json["n"]?.integer.flatMap { Int(exactly: $0) }
    let question = json["question"]?.integer.flatMap { Int(exactly: $0) }
    let text = json["text"]?.string
    switch (type, number, text) {
    case ("listen", let port?, let host?): self = .listen(host: host, port: port)
    case ("done", let id?, nil): self = .done(id, words: nil)
    case ("done", let id?, let line?):
      guard let words = FirstRunText(line: line) else { return nil }
      self = .done(id, words: words)
    case ("ready", let port?, _): self = .ready(port: port)
    case ("code", let id?, let code?): self = .code(id, code)
    case ("answer", let id?, let answer?):
      guard let question else { return nil }
      self = .answer(id, question: question, answer)
    case ("key", let id?, let key?):
      guard let question else { return nil }
      self = .key(id, question: question, key)
    case ("seen", _, _): self = .seen
    case ("view", let number?, _), ("end", let number?, _):
      guard let view = Self.view(number, json) else { return nil }
      self = type == "end" ? .end(view) : .view(view)
    default: return nil
    }
  }

  private static func add(_ type: String, _ number: Int, _ value: String, to text: inout JSONText) {
    text.add("t", type)
    text.add("n", Int64(number))
    text.add("text", value)
  }

  private static func add(_ view: FirstRunView, to text: inout JSONText) {
    text.add("n", Int64(view.number))
    text.add("topic", view.topic.rawValue)
    text.add("step", Int64(view.step))
    text.add("title", view.title.line)
    text.add("words", texts: view.words.map(\.line))
    text.add("fault", view.fault?.line)
    text.add("code", view.code)
    text.add("lines", texts: view.text)
    text.add("ids", texts: view.choices.map(\.id))
    text.add("labels", texts: view.choices.map(\.label.line))
    text.add("label", view.field?.label.line)
    text.add("suggestion", view.field?.suggestion)
    text.add("secret", view.field?.isSecret ?? false)
  }

  private static func view(_ number: Int, _ json: JSONValue) -> FirstRunView? {
    guard let topic = json["topic"]?.string.flatMap(FirstRunView.Topic.init(rawValue:)),
      let step = json["step"]?.integer, let title = json["title"]?.string.flatMap(FirstRunText.init(line:))
    else { return nil }
    func texts(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
    var view = FirstRunView(number: number, topic: topic, step: Int(clamping: step), title: title)
    view.words = texts("words").compactMap(FirstRunText.init(line:))
    view.fault = json["fault"]?.string.flatMap(FirstRunText.init(line:))
    view.code = json["code"]?.string
    view.text = texts("lines")
    view.choices = zip(texts("ids"), texts("labels")).compactMap { id, label in
      FirstRunText(line: label).map { .init(id, $0) }
    }
    if let label = json["label"]?.string.flatMap(FirstRunText.init(line:)) {
      view.field = .init(
        label, suggestion: json["suggestion"]?.string ?? "", isSecret: json["secret"] == .bool(true))
    }
    return view
  }
}
