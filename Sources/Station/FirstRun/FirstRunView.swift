/// What somebody who sets a station up sees: one question, or what is waited for. Terminal and page draw the same.
package struct FirstRunView: Sendable, Equatable {
  /// What a question is about; the raw values are what answers of scripts are given for.
  package enum Topic: String, Sendable, CaseIterable {
    case reader, test, judged, output, trial, seen, kind, system, detail, key, event, gate, another, confirm, waiting
    case over
  }

  /// An answer to choose.
  package struct Choice: Sendable, Equatable {
    /// What is sent back.
    package var id: String
    /// What it says.
    package var label: FirstRunText

    package init(_ id: String, _ label: FirstRunText) {
      self.id = id
      self.label = label
    }
  }

  /// A text to type.
  package struct Field: Sendable, Equatable {
    /// What it is.
    package var label: FirstRunText
    /// What stands in it; empty for nothing.
    package var suggestion: String
    /// Whether nobody may see it: it goes to whoever keeps keys, and not to the state machine.
    package var isSecret: Bool

    package init(_ label: FirstRunText, suggestion: String = "", isSecret: Bool = false) {
      self.label = label
      self.suggestion = suggestion
      self.isSecret = isSecret
    }
  }

  /// The number of the question: an answer to another one is none.
  package var number: Int
  /// What it is about.
  package var topic: Topic
  /// How far one is, from 1.
  package var step: Int
  /// How many steps there are.
  package static let steps = 6
  /// The question.
  package var title: FirstRunText
  /// What is to be known for it.
  package var words: [FirstRunText] = []
  /// What was wrong with the last answer; `nil` where nothing was.
  package var fault: FirstRunText?
  /// What is held before the scanner, as a QR code.
  package var code: String?
  /// Lines to be shown as they are.
  package var text: [String] = []
  /// What can be chosen.
  package var choices: [Choice] = []
  /// What can be typed.
  package var field: Field?

  package init(number: Int, topic: Topic, step: Int, title: FirstRunText) {
    self.number = number
    self.topic = topic
    self.step = step
    self.title = title
  }

  /// Whether something is being done that ends by itself.
  package var isWaiting: Bool { topic == .waiting }
  /// Whether there is nothing more to answer.
  package var isOver: Bool { topic == .over }
}
