import CodeSigning
import Expectations
import ScanModel
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import SignedTickets

/// Which keys of a server's are believed.
@Suite struct TicketKeySetTests {
  private func names(_ text: String) -> [String]? { TicketKeySet([UInt8](text.utf8))?.keys.keys.sorted() }

  private static let vector =
    #"{"kty":"OKP","crv":"Ed25519","kid":"dev-ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#

  @Test func theVectorsKeyIsRead() throws {
    let set = try #require(TicketKeySet([UInt8](Issuer.jwks(Self.vector).utf8)))
    expectEqual(set.keys, ["dev-ed25519": try #require(Issuer.vector.verifying)])
    expectEqual(Issuer.vector.jwk(), Self.vector)
  }

  @Test func othersAreSkipped() {
    let good = Issuer.vector.jwk()
    for other in [
      #"{"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"}"#, #"{"kty":"OKP","crv":"X25519","kid":"x","x":"\#(Vector.x)"}"#,
      #"{"kty":"EC","crv":"P-256","kid":"e","x":"AA","y":"AA"}"#, "{}", "null", "1", "[]", "\"kid\"",
      #"{"kty":"OKP","crv":"Ed25519","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":7,"x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"a.b","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"\#(String(repeating: "k", count: 65))","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"e","use":"enc","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"a","alg":"RS256","x":"\#(Vector.x)"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"s","x":"AA"}"#, #"{"kty":"OKP","crv":"Ed25519","kid":"s"}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"p","x":"\#(Vector.x)="}"#,
      #"{"kty":"OKP","crv":"Ed25519","kid":"l","x":"\#(Vector.x)AA"}"#,
    ] {
      expectEqual(names(Issuer.jwks(good, other)), ["dev-ed25519"], "\(other)")
      expectEqual(names(Issuer.jwks(other)), nil, "\(other)")
    }
    expectEqual(
      names(Issuer.jwks(good.replacing("}", with: #","use":"sig","alg":"EdDSA"}"#))), ["dev-ed25519"])
  }

  /// By such a key anybody could sign.
  @Test func keysThatProveNothingAreNone() {
    for bytes in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
      let key = #"{"kty":"OKP","crv":"Ed25519","kid":"zero","x":"\#(Issuer.base64url(bytes))"}"#
      expectEqual(names(Issuer.jwks(Issuer.vector.jwk(), key)), ["dev-ed25519"])
    }
    let told = Issuer.other("told").jwk().replacing("}", with: #","d":"AAAA"}"#)
    expectEqual(names(Issuer.jwks(Issuer.vector.jwk(), told)), ["dev-ed25519"], "its private half is published")
  }

  @Test func ofTwoWithOneNameNeitherIsTaken() {
    let (one, other, third) = (Issuer.vector.jwk(), Issuer.other("dev-ed25519").jwk(), Issuer.other("k2").jwk())
    expectEqual(names(Issuer.jwks(one, other, third)), ["k2"])
    expectEqual(names(Issuer.jwks(one, third, other, one)), ["k2"], "nor where the first comes again")
    expectEqual(names(Issuer.jwks(one, one, third)), ["dev-ed25519", "k2"], "the same twice is one")
    let broken = #"{"kty":"OKP","crv":"Ed25519","kid":"dev-ed25519","x":"AA"}"#
    expectEqual(names(Issuer.jwks(one, broken, third)), ["k2"])
    // Whatever the other is.
    for other in [
      #"{"kty":"RSA","kid":"dev-ed25519","n":"AQAB","e":"AQAB"}"#,
      #"{"kty":"OKP","crv":"X25519","kid":"dev-ed25519","x":"\#(Vector.x)"}"#,
      #"{"kty":"oct","kid":"dev-ed25519"}"#, #"{"kid":"dev-ed25519"}"#,
    ] {
      expectEqual(names(Issuer.jwks(one, other, third)), ["k2"], "\(other)")
      expectEqual(names(Issuer.jwks(other, one, third)), ["k2"], "\(other)")
    }
    expectEqual(names(Issuer.jwks(one, other)), nil)
  }

  @Test func whatIsNoSetIsNone() {
    let many = (0...TicketKeySet.mostKeys).map { Issuer.other("k\($0)").jwk() }.joined(separator: ",")
    for text in [
      "", "null", "[]", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":[]}"#, "<html>", #"{"keys":[\#(many)]}"#,
      #"{"keys":[\#(Vector.x)"#, #"{"keys":[],"keys":[\#(Issuer.vector.jwk())]}"#,
    ] { expectEqual(names(text), nil, "\(text)") }
    let padded = Issuer.jwks(Issuer.vector.jwk()) + String(repeating: " ", count: TicketKeySet.mostBytes)
    expectEqual(names(padded), nil)
  }

  @Test func oneThatWasKeptIsReadAgain() throws {
    let set = try #require(TicketKeySet([UInt8](Issuer.jwks(Issuer.vector.jwk(), Issuer.other("k2").jwk()).utf8)))
    let records = Records()
    let server = try ServerAddress("https://tickets.example")
    TicketKeyRecord(server: server, records: records).keep(set, fetched: Vector.issued)
    expectEqual(TicketKeyRecord(server: server, records: records).read(), .kept(set, fetched: Vector.issued))
    // Kept for one server, it is nobody else's, though it be put under their name.
    let other = try ServerAddress("https://other.example")
    expectEqual(TicketKeyRecord(server: other, records: records).read(), .absent)
    let all = records.kept
    expectEqual(all.count, 1)
    for name in all.keys {
      expect(
        name.utf8.count <= 64 && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789.-".utf8.contains($0) })
    }
    let stolen = Records()
    for bytes in all.values {
      TicketKeyRecord(server: other, records: stolen).keep(set, fetched: Vector.issued)
      for name in stolen.kept.keys { stolen.keep(bytes, as: name) }
      expect(isDamaged(TicketKeyRecord(server: other, records: stolen).read()))
      // Of damage nothing is believed.
      for length in 0..<bytes.count {
        for name in all.keys { records.keep(Array(bytes.prefix(length)), as: name) }
        expect(isDamaged(TicketKeyRecord(server: server, records: records).read()))
      }
    }
  }

  private func isDamaged(_ reading: TicketKeyRecord.Reading) -> Bool {
    if case .damaged = reading { true } else { false }
  }
}

/// Sealed records, in memory.
final class Records: SessionRecords {
  private let records = Mutex<[String: [UInt8]]>([:])
  var kept: [String: [UInt8]] { records.withLock { $0 } }
  func read(_ name: String) -> [UInt8]? { kept[name] }
  func keep(_ bytes: [UInt8]?, as name: String) { records.withLock { $0[name] = bytes } }
}
