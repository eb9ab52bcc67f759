import ArgumentParser
import ScanModel
import Sealing
import TicketSystemKit

extension ProgramHost {
  var keys: any KeyHost { ProgramKeys() }
}

/// Keys and records of the station, for the commands of ticket systems.
struct ProgramKeys: KeyHost {
  func pasted(asking prompt: String, otherwise refusal: String) throws -> String {
    try HiddenInput.secret(nil, asking: prompt, otherwise: refusal).text
  }

  func password(asking prompt: String, otherwise refusal: String) throws -> String {
    try HiddenInput.password(asking: prompt, otherwise: refusal)
  }

  func hasCredential(_ name: String, state: String?) throws -> Bool {
    try CredentialStore(keys: Self.state(state).keys).contains(name)
  }

  func keep(_ secret: String, as name: String, state: String?) throws {
    let argument = Self.state(state)
    argument.prepare()
    let pasted: PastedSecret
    do throws(PastedSecret.Fault) {
      pasted = try PastedSecret([UInt8](secret.utf8))
    } catch {
      throw failure("The credential was not taken. \(error.description)", Exit.data)
    }
    let key = try CredentialStore(keys: argument.keys).set(name, pasted)
    for notice in key.notices { Terminal.error(TerminalText.clean(notice, limit: 1_000)) }
    if let hint = argument.hint { Terminal.error(hint) }
  }

  func forget(_ name: String, state: String?) throws -> Bool {
    try CredentialStore(keys: Self.state(state).keys).remove(name)
  }

  func records(state: String?) throws -> [String] { try store(state).names() }

  func record(_ name: String, state: String?) throws -> [UInt8]? { try store(state).get(name) }

  func set(_ bytes: [UInt8]?, record name: String, state: String?) throws {
    guard let bytes else { return _ = try store(state).remove(name) }
    Self.state(state).prepare()
    try store(state).set(name, bytes)
  }

  private func store(_ state: String?) -> SealedRecordStore { SealedRecordStore(keys: Self.state(state).keys) }

  private static func state(_ folder: String?) -> StateArgument { ProgramHost.state(folder) }
}
