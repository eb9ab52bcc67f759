import CodeSigning
import ScanModel

@testable import Subscriptions

/// The venue: anybody can look up this private half (RFC 8032, 7.1).
private let venue: (signer: PassKey, keys: PassKeys, id: [UInt8]) = {
  let file = "scangate-pass-key-1 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
  guard let signer = try? PassKey(file: [UInt8](file.utf8)), let key = signer.publicKey else {
    preconditionFailure("a key of 32 bytes is one")
  }
  return (signer, PassKeys([key]), key.id)
}()

/// What is scanned at a gate for members, and the lists by which it goes.
///
/// The input: a byte for what it is, then the code, the bytes of a pass, or a list. The venue signs them where the byte says so, for no
/// damage to an input makes a signature.
func fuzzPass(_ input: inout FuzzInput) {
  let kind = input.byte()
  let bytes = input.remainder()
  switch kind & 3 {
  case 0: look(at: Code(bytes: bytes), isSigned: false)
  case 1 where kind & 0x10 != 0:
    var content = bytes
    content.replaceSubrange(min(1, bytes.count)..<min(5, bytes.count), with: venue.id)
    let signature = venue.signer.signature(of: SignedPass.domain + content) ?? []
    look(at: Code(SignedPass.prefix + Base32.text(content + signature)), isSigned: true)
  case 1: look(at: Code(SignedPass.prefix + Base32.text(bytes)), isSigned: false)
  case 2:
    if let list = try? RevokedPasses.read(bytes, file: "f") {
      property(list.count <= RevokedPasses.mostLines, "a list is bounded")
    }
  default:
    do throws(PassListFault) {
      _ = try PassKeys.read(bytes, file: "f")
    } catch {
      property(!error.problems.isEmpty && error.problems.allSatisfy { $0.hasPrefix("f:") }, "an error has its place")
    }
  }
}

private func look(at code: Code, isSigned: Bool) {
  let own = SignedPass.ownForm(of: code)
  property(SignedPass.ownForm(of: own) == own, "a code in its own form stays as it is")
  let listed = PassReader.listedCode(own)
  property(PassReader.listedCode(listed) == listed, "an id stands for itself")
  guard let pass = SignedPass(own) else {
    property(!SignedPass.isOne(own.bytes) || PassReader.presented(own) == nil, "what is no pass is no id either")
    return
  }
  property(own.bytes.count <= SignedPass.longest, "a pass is short")
  property(pass.notBefore < pass.ends, "a pass is good for a time")
  property((8...20).contains(pass.id.bytes.count), "an id has its length")
  property(listed == Code(bytes: pass.id.bytes), "lists know a pass by its id")
  property(venue.keys.believe(pass) == isSigned || !isSigned, "what the venue has signed is believed")
  if venue.keys.believe(pass) {
    let again = try? SignedPass.text(
      pass.id, notBefore: pass.notBefore, ends: pass.ends, serial: pass.serial, by: venue.signer)
    property(again == own.text, "each pass has one text")
  }
}
