internal import TicketSystemKit

extension FirstRun {
  /// What is to be seen now.
  package var view: FirstRunView {
    var view = question
    view.fault = fault
    guard !view.isWaiting, !view.isOver else { return view }
    if view.number > 1, canGoBack { view.choices.append(.init("back", "back to the question before")) }
    view.choices.append(.init("quit", "end; nothing is changed"))
    return view
  }

  private var canGoBack: Bool { if case .reader = state { false } else { true } }

  private func asked(_ topic: FirstRunView.Topic, _ step: Int, _ title: String) -> FirstRunView {
    FirstRunView(number: number, topic: topic, step: step, title: title)
  }

  private var question: FirstRunView {
    switch state {
    case .reader(let ports): return readerQuestion(ports)
    case .test:
      var view = asked(.test, 1, "Hold this code to the scanner.")
      view.words = [
        "\(draft.reader?.title ?? "") is the scanner. What it types is compared with what the code holds: that shows a "
          + "wrong keyboard layout, a missing end mark, and what it puts around a code."
      ]
      view.code = TestCode.text
      view.choices = [.init("skip", "skip this")]
      return view
    case .judged:
      var view = asked(.judged, 1, "The scanner is understood.")
      view.words = mannerWords
      view.choices = [.init("ok", "go on"), .init("again", "test it again")]
      return view
    case .output(let slot): return outputQuestion(slot)
    case .trial(let slot, let offer):
      var view = asked(.trial, 2, slot == .relay ? "Pulse the relay now?" : "Light the \(slot.rawValue) lamp now?")
      view.words =
        slot == .relay
        ? ["\(offer.title) will be on for 0.6 s. Whatever is wired to it moves: a door may open. Is that safe now?"]
        : ["\(offer.title) will be on for some seconds. If something else is wired to it, that moves."]
      view.choices = [
        .init("yes", "yes, now"), .init("untried", "take it without trying"), .init("other", "choose another"),
      ]
      return view
    case .trying(_, let offer): return asked(.waiting, 2, "\(offer.title) is tried.")
    case .seen(let slot, _):
      var view = asked(.seen, 2, slot == .relay ? "Did the right thing move?" : "Did the \(slot.rawValue) lamp light?")
      view.choices = [.init("yes", "yes"), .init("no", "no, choose another"), .init("again", "try it again")]
      return view
    case .system:
      var view = asked(.system, 3, "At which address is the ticket system?")
      view.field = .init("Address", suggestion: draft.system?.address ?? "https://")
      return view
    case .key(let address):
      var view = asked(.key, 3, "Paste the API key.")
      view.words = ["It goes to \(address) and is kept here, sealed. It is not shown, and is in no file and no log."]
      view.field = .init("Key", isSecret: true)
      return view
    case .discovering: return asked(.waiting, 3, "The ticket system is asked what it is.")
    case .event:
      var view = asked(.event, 4, "What is the gate for?")
      view.text = draft.system?.words ?? []
      view.choices = numbered(draft.system?.choices.map(\.title) ?? [])
      return view
    case .gate:
      var view = asked(.gate, 5, "What is the gate called?")
      view.field = .init("Gate", suggestion: draft.gate)
      return view
    case .checking: return asked(.waiting, 6, "The configuration is checked, and the ticket system asked.")
    case .confirm(let lines):
      var view = asked(.confirm, 6, "Write this to \(offers.file)?")
      view.words =
        lines
        + (offers.hasFile ? ["There is a file already: it is kept as \(offers.file).before."] : [])
      view.text = draft.yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
      view.choices = [.init("yes", "yes, write it")]
      return view
    case .writing: return asked(.waiting, 6, "It is written.")
    case .over(let isWritten, let lines):
      var view = asked(.over, 6, isWritten ? "The station is set up." : "The station is not set up.")
      view.words = lines
      return view
    }
  }

  private func numbered(_ titles: [String]) -> [FirstRunView.Choice] {
    titles.enumerated().map { .init("\($0.offset + 1)", $0.element) }
  }

  private func readerQuestion(_ ports: Bool) -> FirstRunView {
    var view = asked(.reader, 1, "Scan anything.")
    view.words = [
      "Everything that types is listened to\(ports ? ", and serial ports are" : ""). A scanner is told by its speed; what a "
        + "person types is neither shown nor kept."
    ]
    view.choices = numbered(offers.readers.map { "\($0.title), \($0.node)" })
    if !ports {
      view.choices.append(.init("serial", "listen to serial ports, too (what is no scanner may start anew)"))
    }
    view.field = .init("Or the path of a serial line")
    return view
  }

  private func outputQuestion(_ slot: FirstRunDraft.Slot) -> FirstRunView {
    let title =
      switch slot {
      case .relay: "Which line drives the relay?"
      case .green: "What is the green lamp?"
      case .red: "What is the red lamp?"
      }
    var view = asked(.output, 2, title)
    view.words = ["Nothing moves before you say so."]
    view.choices = numbered(offers(for: slot).map(\.title)) + [.init("none", "there is none")]
    return view
  }

  private var mannerWords: [String] {
    let manner = draft.manner
    var words = ["Every character came right."]
    if let layout = manner.layout { words.append("It types in the layout \(layout); the file will say so.") }
    if !manner.prefix.isEmpty || !manner.suffix.isEmpty {
      words.append(
        "It puts \(manner.prefix.unicodeScalars.count) characters before a code and "
          + "\(manner.suffix.unicodeScalars.count) behind it; they will be taken off.")
    }
    words.append(
      manner.hasTerminator
        ? "It sends an end mark."
        : "It sends no end mark: a pause ends its codes. Better program Enter (CR) as its suffix.")
    return words
  }
}
