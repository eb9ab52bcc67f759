import Glibc
import LibCrypto
import LinuxIO
import NIOSSL
package import ScanConfiguration
import ScanModel

/// The certificate that the console makes for itself where it has none, and its key: one file in the console's state folder. It is made
/// anew some time before its end, and where the console has other names; the key stays. Where it listens at all of the machine's
/// addresses it names those that there are when it is made. That they change makes it no other: whoever has compared it knows it still.
package struct KeptCertificate: Sendable {
  /// How long one holds, and how long before its end it is made anew, in seconds.
  private static let life: Int64 = 730 * 86_400
  private static let notice: Int64 = 60 * 86_400
  /// No clock that is right is before this: 2025.
  private static let earliest: Int64 = 1_735_689_600
  package static let longest = 65_536
  /// How many of the machine's addresses are named.
  static let mostAddresses = 32

  private let path: String
  /// What is written down, which makes another certificate where it changes.
  private let names: [String]
  /// The machine's addresses; `nil` where it listens at one that is among the names.
  private let addresses: (@Sendable () -> [String])?

  /// - Parameters:
  ///   - folder: the console's state folder.
  ///   - configuration: what the file says of the console.
  ///   - machine: what this machine is called.
  ///   - addresses: tells the machine's addresses.
  package init(
    in folder: String, for configuration: ConsoleConfiguration, machine: String?,
    addresses: @escaping @Sendable () -> [String] = NetworkAddresses.all
  ) {
    path = Self.path(in: folder)
    var names = configuration.hosts.map { $0.lowercased() }
    let listen = configuration.listen.host
    let listensEverywhere = listen == "0.0.0.0" || listen == "::"
    self.addresses = listensEverywhere ? addresses : nil
    if !listensEverywhere { names.append(listen) }
    if let machine = machine?.lowercased() {
      names += machine.contains(".") ? [machine] : [machine, "\(machine).local"]
    }
    names.append("localhost")
    self.names = Self.distinct(names)
  }

  private static func distinct(_ names: [String]) -> [String] {
    var known: Set<String> = []
    return names.filter { known.insert(canonicalAddress($0) ?? $0).inserted }
  }

  /// Where it is kept.
  package static func path(in folder: String) -> String { "\(folder)/identity.pem" }

  /// The certificate and its key, in PEM behind one another; made where there is none that will do.
  /// - Parameter now: seconds since 1970.
  /// - Returns: whether it was made now, too.
  /// - Throws: why there is none.
  package func current(at now: Int64) throws(ConsoleFault) -> (pem: [UInt8], isNew: Bool) {
    let kept = try? SmallFile.read(path, limit: Self.longest)
    if let kept, isGood(kept, at: now) { return (kept, false) }
    let begin = max(now, Self.earliest)
    let names = Self.distinct(names + (addresses?().prefix(Self.mostAddresses) ?? []))
    let span = (begin - 86_400)..<(begin + Self.life)
    guard
      let made = kept.flatMap({ SelfSignedCertificate(for: names, key: $0, holds: span) })
        ?? SelfSignedCertificate(for: names, holds: span)
    else {
      throw ConsoleFault(
        "No certificate can be made for \(names.joined(separator: ", ")). Correct console.hosts, or name a certificate."
      )
    }
    let pem = made.certificate + made.privateKey
    do throws(SystemError) {
      try SmallFile.replace(path, with: pem)
    } catch {
      throw ConsoleFault(
        "The console's certificate cannot be kept in \(path): \(error.words). Let its user write there, or name a certificate."
      )
    }
    return (pem, true)
  }

  private func isGood(_ pem: [UInt8], at now: Int64) -> Bool {
    guard let leaf = try? NIOSSLCertificate.fromPEMBytes(pem).first,
      (try? NIOSSLPrivateKey(bytes: pem, format: .pem)) != nil
    else { return false }
    let end = Int64(leaf.notValidAfter)
    // A clock that has gone back makes no certificate old.
    guard now < end - Self.notice else { return false }
    let (has, wants) = (Self.names(of: leaf), Set(names.map { canonicalAddress($0) ?? $0 }))
    return addresses == nil
      ? has == wants : has.isSuperset(of: wants) && has.subtracting(wants).allSatisfy { canonicalAddress($0) != nil }
  }

  private static func names(of certificate: NIOSSLCertificate) -> Set<String> {
    var names: Set<String> = []
    for name in certificate._subjectAlternativeNames() {
      switch name.nameType {
      case .dnsName: names.insert(String(decoding: name.contents, as: UTF8.self))
      case .ipAddress: names.insert(Self.address(Array(name.contents)) ?? "")
      default: names.insert("")
      }
    }
    return names
  }

  private static func address(_ bytes: [UInt8]) -> String? {
    switch bytes.count {
    case 4: return bytes.map(String.init).joined(separator: ".")
    case 16:
      let groups = stride(from: 0, to: 16, by: 2).map { index in
        String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
      }
      return canonicalAddress(groups.joined(separator: ":"))
    default: return nil
    }
  }
}

/// What people compare a certificate by.
package enum CertificateFingerprint {
  /// SHA-256 of the first certificate of a PEM text, as other programs write it: `AB:CD:…`; `nil` where it holds none.
  package static func text(ofPEM pem: [UInt8]) -> String? {
    guard let leaf = try? NIOSSLCertificate.fromPEMBytes(pem).first, let bytes = try? leaf.toDERBytes() else {
      return nil
    }
    return SHA256.hash(data: bytes).map { String($0, digits: 2, radix: 16, uppercase: true) }.joined(separator: ":")
  }
}
