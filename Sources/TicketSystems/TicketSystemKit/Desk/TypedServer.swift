package import ScanModel
package import TicketTransport

extension CommandHost {
  /// A server that was typed, which no file names, and its key.
  /// - Parameters:
  ///   - server: its address, as it was typed for `--server`.
  ///   - credential: the credential that holds the key.
  ///   - role: what it is to people: `ticket system`.
  /// - Throws: an exit that has told why it cannot be asked.
  package func typedServer(
    _ server: String, credential: String, state: String?, role: String = ServerWords().role, time: any TimeSource
  ) throws -> (HTTPTransport, Secret) {
    let address: ServerAddress
    do {
      address = try ServerAddress(server)
    } catch {
      throw failure("--server: \(error.description)", DeskExit.usage)
    }
    let secret: Secret
    do {
      secret = try Secret(try credentials(state: state)(credential))
    } catch let fault as Secret.Fault {
      throw failure("The credential \(credential): \(fault.description)", DeskExit.data)
    }
    var settings = HTTPTransport.Settings()
    settings.words.role = role
    settings.words.whenLost = DeskCalls.whenLost
    settings.words.addressCure = "Check --server."
    settings.words.keyCure = "Put the right key in with: scangate credential set \(credential)"
    return (try HTTPTransport(server: address, settings: settings, time: time), secret)
  }
}

extension DeskCalls {
  /// What a server may have done where the answer to a change is lost; a clause.
  package static let whenLost = "it may have done it"
}
