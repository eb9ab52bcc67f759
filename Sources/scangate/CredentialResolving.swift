import ScanModel
import Glibc
import ScanConfiguration
import Sealing
import TicketSystemKit

extension CredentialStore {
  /// Finds credentials for the ticket systems of a configuration.
  var resolver: CredentialResolver {
    CredentialResolver(sessions: SealedSessions(records: SealedRecordStore(keys: keys))) { name throws(SetupError) in
      do throws(SealFault) {
        if let secret = try get(name) { return secret.text }
      } catch {
        throw SetupError(error.description)
      }
      throw SetupError("there is no credential \(name). Put it in with: scangate credential set \(name)")
    }
  }

  /// What a configuration names and is not here, each in words with its place; nothing where that cannot be told. In a state
  /// folder that is not there yet nothing is.
  func warnings(on configuration: StationConfiguration) -> [String] {
    guard access(keys.state, R_OK | X_OK) == 0 || errno == ENOENT else { return [] }
    return configuration.credentials.compactMap { credential in
      guard (try? contains(credential.name)) == false else { return nil }
      return "\(credential.position): there is no credential \"\(credential.name)\" in \(keys.state); put it in with: "
        + "scangate credential set \(credential.name)"
    }
  }
}

/// Sessions as sealed records of the station.
private struct SealedSessions: SessionRecords {
  let records: SealedRecordStore

  func read(_ name: String) -> [UInt8]? { (try? records.get(name)) ?? nil }

  func fault(of name: String) -> String? {
    do throws(SealFault) {
      _ = try records.get(name)
      return nil
    } catch {
      return error.description
    }
  }

  func keep(_ bytes: [UInt8]?, as name: String) {
    if let bytes {
      try? records.set(name, bytes)
    } else {
      _ = try? records.remove(name)
    }
  }
}
