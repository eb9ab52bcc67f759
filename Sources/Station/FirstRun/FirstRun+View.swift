internal import TicketSystemKit

extension FirstRun {
  /// What is to be seen now.
  package var view: FirstRunView {
    var view = question
    view.fault = fault
    guard !view.isWaiting, !view.isOver else { return view }
    if canGoBack { view.choices.append(.init("back", .own(.back))) }
    view.choices.append(.init("quit", .own(.quit)))
    return view
  }

  private func asked(_ topic: FirstRunView.Topic, _ step: Int, _ title: FirstRunText) -> FirstRunView {
    FirstRunView(number: number, topic: topic, step: step, title: title)
  }

  private func asked(_ topic: FirstRunView.Topic, _ step: Int, _ title: FirstRunWord) -> FirstRunView {
    asked(topic, step, .own(title))
  }

  private var question: FirstRunView {
    switch state {
    case .reader(let ports): return readerQuestion(ports)
    case .test:
      var view = asked(.test, 1, .testTitle)
      view.words = [.own(.testWords, draft.gate.reader?.title ?? "")]
      view.code = TestCode.text
      view.choices = [.init("skip", .own(.testSkip))]
      return view
    case .judged:
      var view = asked(.judged, 1, .judgedTitle)
      view.words = mannerWords
      view.choices = [.init("ok", .own(.judgedOk)), .init("again", .own(.judgedAgain))]
      return view
    case .output(let slot): return outputQuestion(slot)
    case .trial(let slot, let offer):
      var view = asked(.trial, 2, slot.trial)
      view.words = [.own(slot == .relay ? .trialRelay : .trialLamp, offer.title)]
      view.choices = [
        .init("yes", .own(.trialYes)), .init("untried", .own(.trialUntried)), .init("other", .own(.trialOther)),
      ]
      return view
    case .trying(_, let offer): return asked(.waiting, 2, .own(.trying, offer.title))
    case .seen(let slot, _):
      var view = asked(.seen, 2, slot.seen)
      view.choices = [
        .init("yes", .own(.yes)), .init("no", .own(.seenNo)), .init("again", .own(.seenAgain)),
      ]
      return view
    case .kind, .system, .detail, .key: return systemQuestion
    case .discovering: return asked(.waiting, 3, .discovering)
    case .event:
      var view = asked(.event, 4, .eventTitle)
      view.text = draft.system?.words ?? []
      view.choices = numbered(draft.system?.choices.map { Self.text(of: $0.label) } ?? [])
      return view
    case .gate:
      var view = asked(.gate, 5, .gateTitle)
      view.field = .init(.own(.gateField), suggestion: draft.gate.name)
      return view
    case .another:
      var view = asked(.another, 5, .anotherTitle)
      view.words = [.own(.anotherWords, (draft.gates + [draft.gate]).map(\.name).joined(separator: ", "))]
      view.choices = [.init("no", .own(.anotherNo)), .init("yes", .own(.anotherYes))]
      return view
    case .checking: return asked(.waiting, 6, .checking)
    case .confirm(let lines):
      var view = asked(.confirm, 6, .own(.confirmTitle, offers.file))
      view.words = lines.map { .told($0) } + (offers.hasFile ? [.own(.confirmKept, offers.file)] : [])
      view.text = draft.yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
      view.choices = [.init("yes", .own(.confirmYes))]
      return view
    case .writing: return asked(.waiting, 6, .writing)
    case .over(let isWritten, let lines):
      var view = asked(.over, 6, isWritten ? .overWritten : .overUnwritten)
      view.words = lines
      return view
    }
  }

  private func numbered(_ titles: [FirstRunText]) -> [FirstRunView.Choice] {
    titles.enumerated().map { .init("\($0.offset + 1)", $0.element) }
  }

  private func readerQuestion(_ ports: Bool) -> FirstRunView {
    var view = asked(.reader, 1, .readerTitle)
    view.words = [.own(ports ? .readerPorts : .readerWords)]
    view.choices = numbered(readers.map { .told("\($0.title), \($0.node)") })
    if !ports { view.choices.append(.init("serial", .own(.readerSerial))) }
    view.field = .init(.own(.readerPath))
    return view
  }

  private func outputQuestion(_ slot: FirstRunDraft.Slot) -> FirstRunView {
    var view = asked(.output, 2, slot.question)
    let offers = offers(for: slot)
    view.words = [.own(offers.isEmpty ? .outputNothing : .outputWords)]
    view.choices = numbered(offers.map { .told($0.title) }) + [.init("none", .own(.outputNone))]
    return view
  }

  private var systemQuestion: FirstRunView {
    switch state {
    case .kind:
      var view = asked(.kind, 3, .kindTitle)
      view.choices = numbered(offers.systems.map { .own($0.subject.word) })
      return view
    case .detail(let index):
      guard let question = form?.questions.element(index) else { break }
      var view = asked(.detail, 3, question.title)
      view.words = [.own(question.explanation)]
      view.field = .init(.own(question.field), suggestion: suggestion(for: question))
      return view
    case .key:
      let secret = form?.secret ?? .apiKey
      var view = asked(.key, 3, secret.title)
      view.words = [.own(.keyWords, draft.address)]
      view.field = .init(.own(secret.field), isSecret: true)
      return view
    default: break
    }
    var view = asked(.system, 3, .systemTitle)
    view.field = .init(.own(.systemField), suggestion: draft.address.isEmpty ? "https://" : draft.address)
    return view
  }

  private var mannerWords: [FirstRunText] {
    let manner = draft.gate.manner
    var words = [FirstRunText.own(.judgedRight)]
    if let layout = manner.layout { words.append(.own(.judgedLayout, layout)) }
    if !manner.prefix.isEmpty || !manner.suffix.isEmpty {
      words.append(
        .own(
          .judgedFrame, "\(manner.prefix.unicodeScalars.count)", "\(manner.suffix.unicodeScalars.count)"))
    }
    words.append(.own(manner.hasTerminator ? .judgedEnd : .judgedNoEnd))
    return words
  }

  private static func text(of label: TicketSystemDiscovery.Choice.Label) -> FirstRunText {
    switch label {
    case .all: .own(.eventAll)
    case .level(let level): .own(.eventLevel, level)
    case .eachPerson: .own(.eventEach)
    case .wholeParty: .own(.eventWhole)
    case .named(let name): .told(name)
    }
  }
}

extension FirstRunDraft.Slot {
  fileprivate var question: FirstRunWord {
    switch self {
    case .relay: .outputTitleRelay
    case .green: .outputTitleGreen
    case .red: .outputTitleRed
    }
  }

  fileprivate var trial: FirstRunWord {
    switch self {
    case .relay: .trialTitleRelay
    case .green: .trialTitleGreen
    case .red: .trialTitleRed
    }
  }

  fileprivate var seen: FirstRunWord {
    switch self {
    case .relay: .seenTitleRelay
    case .green: .seenTitleGreen
    case .red: .seenTitleRed
    }
  }
}
