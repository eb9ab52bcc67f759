import FirstRun
import Gateway
import Glibc
import LinuxIO
import Reading
import ScanConfiguration
import ScanModel
import Sealing
import StationSetUp
import TicketSystemKit
import WedgeReader

/// What a first run does in the world, besides listening: the one place that has the key, and the one that writes.
actor FirstRunWork {
  private let file: String
  private let state: StateArgument
  private let credential: String
  private var key: PastedSecret?

  init(file: String, state: StateArgument, credential: String) {
    self.file = file
    self.state = state
    self.credential = credential
  }

  /// A credential's name that nothing has: what is there stays as it is, whatever comes of this.
  static func freeCredential(in store: CredentialStore) -> String {
    let names = ["main"] + (2...99).map { "main-\($0)" }
    return names.first { ((try? store.contains($0)) ?? false) == false } ?? "main-100"
  }

  /// Takes the key.
  func take(key bytes: [UInt8]) -> FirstRun.Event {
    do throws(PastedSecret.Fault) {
      key = try PastedSecret(bytes)
      return .keyTaken
    } catch {
      return .keyRefused(.told(error.description))
    }
  }

  /// Tries one output: a relay pulses once.
  func pulse(_ slot: FirstRunDraft.Slot, _ offer: OutputOffer) async -> FirstRun.Event {
    let found = TicketSystemDiscovery.Found(
      type: TicketSystemRegistry.venue.name, address: "https://localhost", settings: ["apiKey: main"])
    let text = FirstRunDraft.trial(of: slot, offer, found)
    do {
      let configuration = try ConfigurationFile.parse(text: text, file: file, options: ConfigurationArgument.options)
        .configuration
      guard let gate = configuration.gates.first else { return .tried(fault: .own(.trialNothing)) }
      let trial = try SignalTrial(configuration, gate: gate, outputs: .standing(nil)) { _, _ in }
      do throws(SetupError) {
        try await trial.start()
        try await trial.play(slot == .red ? .refuse(.notFound) : .admit)
        try? await Task.sleep(for: .seconds(slot == .relay ? 1 : 3))
      } catch {
        await trial.stop()
        return .tried(fault: .told(TerminalText.clean(error.description, limit: 1_000)))
      }
      await trial.stop()
      return .tried(fault: trial.broken.isEmpty ? nil : .own(.trialBroken, trial.broken.joined(separator: ", ")))
    } catch {
      return .tried(fault: .own(.trialFailed, TerminalText.clean("\(error)", limit: 1_000)))
    }
  }

  /// Asks a server what it is.
  func discover(
    _ form: TicketSystemForm, _ address: String, _ answers: [TicketSystemQuestion: String]
  ) async -> FirstRun.Event {
    guard let key, let discovery = TicketSystemRegistry.discoveries.first(where: { $0.form == form }) else {
      return .undiscovered(.own(.keyMissing))
    }
    do throws(TicketSystemDiscovery.Fault) {
      return .discovered(
        try await discovery.find(
          .init(address: address, answers: answers, secret: key.text, credential: credential)))
    } catch {
      return .undiscovered(.told(TerminalText.clean(error.words, limit: 1_000)))
    }
  }

  /// What `config check --online` does, with the key that is not kept yet.
  func check(_ text: String) async -> FirstRun.Event {
    let reading: ConfigurationFile.Reading
    do throws(ConfigurationErrors) {
      reading = try ConfigurationFile.parse(text: text, file: file, options: ConfigurationArgument.options)
    } catch {
      return .checked(lines: error.errors.map { TerminalText.clean($0.description, limit: 500) }, isGood: false)
    }
    let problems = WedgeConfiguration.problems(in: reading.configuration.wedges).map {
      TerminalText.clean($0.description)
    }
    guard problems.isEmpty else { return .checked(lines: problems, isGood: false) }
    let key = key
    let findings = await OnlineCheck.findings(
      on: EnrolmentBook(keys: state.keys).complete(reading.configuration),
      credentials: CredentialResolver { _ throws(SetupError) in
        guard let key else { throw SetupError("There is no key.") }
        return key.text
      })
    let isGood = !findings.contains { $0.kind == .fault || $0.kind == .away }
    return .checked(lines: findings.map { TerminalText.clean($0.line, limit: 1_000) }, isGood: isGood)
  }

  /// Writes key and configuration: both, or neither. What was there is kept beside.
  func write(_ text: String) -> FirstRun.Event {
    guard let key else { return .unwritten(.own(.keyMissing)) }
    state.prepare()
    let store = CredentialStore(keys: state.keys)
    let wasThere = access(file, F_OK) == 0
    var isKept = false
    do {
      // Whatever can fail for want of room or rights has failed before the last step.
      var new = try FileReplacement(of: file, mode: 0o644)
      try SmallFile.write(new.file.number, [UInt8](text.utf8))
      try SmallFile.sync(new.file.number)
      if wasThere {
        let former = try SmallFile.read(file, limit: 1 << 20)
        var kept = try FileReplacement(of: file + ".before", mode: 0o644)
        try SmallFile.write(kept.file.number, former)
        try kept.finish()
      }
      try store.set(credential, key)
      isKept = true
      try new.finish()
    } catch {
      let isInPlace = (error as? SystemError)?.call == "sync"
      if isKept, !isInPlace { _ = try? store.remove(credential) }
      let words = (error as? SystemError)?.words ?? "\(error)"
      return .unwritten(.own(.unwritten, TerminalText.clean(file, limit: 1_000), TerminalText.clean(words, limit: 500)))
    }
    let place = TerminalText.clean(file, limit: 1_000)
    let isInstalled = geteuid() == 0 && access("/run/systemd/system", F_OK) == 0
    var next: [FirstRunText] = [
      .own(.writtenWhere, place, credential),
      !isInstalled ? .own(.writtenRun, place) : wasThere ? .own(.writtenRestart) : .own(.writtenService),
    ]
    if let hint = state.hint { next.append(.told(TerminalText.clean(hint, limit: 1_000))) }
    return .written(next)
  }
}
