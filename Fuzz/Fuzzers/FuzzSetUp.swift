import CodeSigning
import WireText
import ScanModel

@testable import SetUpCodes

/// The organiser: anybody can look up this private half (RFC 8032, 7.1).
private let organiser: (signer: OrganiserKey, key: OrganiserPublicKey) = {
  let file = "scangate-organiser-key-1 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
  guard let signer = try? OrganiserKey(file: [UInt8](file.utf8)), let key = signer.publicKey else {
    preconditionFailure("a key of 32 bytes is one")
  }
  return (signer, key)
}()

/// The station's trust list: one server, and the organiser's key.
private let trust: TrustList = {
  guard let list = try? TrustList.read("server venue.example:8443\nkey k \(organiser.key.text)", file: "t") else {
    preconditionFailure("a list of one server and one key is one")
  }
  return list
}()
private let readers = [
  SetUpReader(trust: trust, configured: "kiosk.example:443"), SetUpReader(trust: trust, configured: nil),
  SetUpReader(trust: .none, configured: "kiosk.example:443"), SetUpReader(trust: .none, configured: nil),
]

/// What is scanned at a station that is being set up, and the list that says whom it may name.
///
/// The input: a byte for what it is, then the code, a trust list, a server, or the bytes of a signed code. The organiser signs
/// them where the byte says so, for no damage to an input makes a signature.
func fuzzSetUp(_ input: inout FuzzInput) {
  let kind = input.byte()
  let bytes = input.remainder()
  switch kind & 3 {
  case 0: look(at: Code(bytes: bytes), with: Int(kind >> 2 & 3))
  case 1 where kind & 0x10 != 0: look(at: signed(bytes), with: Int(kind >> 2 & 3), isTrusted: true)
  case 1: look(at: Code(SignedCode.prefix + Base32.text(bytes)), with: Int(kind >> 2 & 3))
  case 2: read(list: bytes)
  default: read(server: String(decoding: bytes, as: UTF8.self))
  }
  if let decoded = Base32.bytes(bytes) {
    property(
      Base32.text(decoded) == String(decoding: bytes, as: UTF8.self).uppercased(), "each sequence of bytes has one text"
    )
  }
}

/// A code that the organiser has signed, and that says so.
private func signed(_ bytes: [UInt8]) -> Code {
  var content = bytes
  content.replaceSubrange(min(2, bytes.count)..<min(6, bytes.count), with: organiser.key.id)
  let signature = organiser.signer.signature(of: SignedCode.domain + content) ?? []
  return Code(SignedCode.prefix + Base32.text(content + signature))
}

/// - Parameter isTrusted: the organiser has signed the code, whatever it is.
private func look(at code: Code, with number: Int, isTrusted: Bool = false) {
  let now = WallTime(seconds: 1_752_000_600)
  let reading = readers[number].read(code, at: now, clockIsTrusted: true)
  let isTrusting = number < 2
  func mayBeNamed(_ server: NamedServer) -> Bool {
    isTrusting && (trust.names(server) || SignedCode(code)?.isSigned(by: organiser.key) == true)
  }
  switch reading {
  case .code(.activation(let activation, let server)):
    property(server.map(mayBeNamed) ?? true, "nobody is named who is not trusted")
    property(server != nil || number.isMultiple(of: 2), "a code without a server needs a configured one")
    property((4...32).contains(activation.code.utf8.count), "an activation code is bounded")
    property(activation.code == activation.code.uppercased(), "an activation code is in capitals")
    property((1...64).contains(activation.kioskID?.utf8.count ?? 1), "a kiosk's identifier is bounded")
  case .code(.enrolment(let enrolment)):
    property(mayBeNamed(enrolment.server), "nobody is named who is not trusted")
    property(EnrolmentCode.isGate(enrolment.gate), "a gate's name is bounded")
    property(enrolment.expires > now, "what has expired is refused")
    property(SetUpReader.isSetUpCode(code), "our own code is told from a ticket")
  case .refused(_, let detail):
    property(detail.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "what is shown is plain")
    property(detail.utf8.count <= 700, "what is shown is short")
  }
  if let signed = SignedCode(code) {
    property(!isTrusted || signed.isSigned(by: organiser.key), "a signature is the organiser's")
    if isTrusted, isTrusting, signed.expires > now, case .refused = reading {
      property(false, "what the organiser has signed is believed")
    }
    property(SetUpReader.isSetUpCode(code), "our own code is told from a ticket")
    property((try? NamedServer(signed.server.shortest)) == signed.server, "a server is written in one way")
  }
}

private func read(list bytes: [UInt8]) {
  do throws(TrustFault) {
    let list = try TrustList.read(bytes, file: "t")
    property(bytes.count <= TrustList.mostBytes && list.keys.count <= TrustList.mostLines, "a list is bounded")
    for server in list.servers {
      property((try? NamedServer(server))?.hostAndPort == server, "a server is read the same again")
    }
    for key in list.keys { property(OrganiserPublicKey(text: key.text) == key, "a key is read the same again") }
  } catch {
    property(!error.problems.isEmpty && error.problems.count <= TrustList.mostLines, "what is wrong is told")
    for problem in error.problems {
      property(problem.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "what is shown is plain")
      property(problem.utf8.count <= 500, "what is shown is short")
    }
  }
}

private func read(server text: String) {
  guard let server = try? NamedServer(text) else { return }
  property((try? NamedServer(server.url)) == server, "a server is read the same again")
  property(server.url.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address is plain")
  property((1...65_535).contains(server.port), "a port is one")
  let last = server.host.utf8.split(separator: UInt8(ascii: ".")).last ?? []
  property(!last.allSatisfy { (0x30...0x39).contains($0) }, "an address is no name")
  property(!last.elementsEqual("localhost".utf8), "this machine is not named")
}
