import CodeSigning
import Foundation
import LibCrypto
import ScanModel

@testable import SignedTickets

/// Whoever signs tickets: made by hand, so that it shares nothing with what reads them.
struct Issuer: Sendable {
  static let tenant = "00000000-0000-0000-0000-000000000001"

  let kid: String
  let key: Ed25519.PrivateKey

  /// The first test vector of RFC 8032, 7.1: anybody can look up its private half.
  static let vector: Issuer = {
    let seed = Data(base64Encoded: "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=").map { [UInt8]($0) } ?? []
    guard let key = Ed25519.PrivateKey(rawRepresentation: seed) else { preconditionFailure("a key of 32 bytes is one") }
    return Issuer(kid: "dev-ed25519", key: key)
  }()

  /// Another one.
  static func other(_ kid: String) -> Issuer { Issuer(kid: kid, key: Ed25519.PrivateKey()) }

  var verifying: VerifyingKey? { key.publicKey.flatMap { VerifyingKey(bytes: $0.rawRepresentation) } }

  /// Its key as it is published.
  func jwk(kid: String? = nil) -> String {
    let x = key.publicKey.map { Self.base64url($0.rawRepresentation) } ?? ""
    return #"{"kty":"OKP","crv":"Ed25519","kid":"\#(kid ?? self.kid)","x":"\#(x)"}"#
  }

  /// What a server tells of its keys.
  static func jwks(_ keys: String...) -> String { #"{"keys":[\#(keys.joined(separator: ","))]}"# }

  /// The text of a ticket with these bytes as its payload.
  func text(_ payload: [UInt8], kid: String? = nil) -> String {
    let signature = key.signature(for: payload) ?? []
    return "ed25519.v1.\(kid ?? self.kid).\(Self.base64url(signature)).\(Self.base64url(payload))"
  }

  /// A payload, as JSON.
  static func payload(
    jti: String = "tkt_0011223344556677", tenant: String = tenant, performance: String = "perf_1", seat: String = "A-1",
    issued: Int64, ends: Int64, changing: (inout [(String, String)]) -> Void = { _ in }
  ) -> [UInt8] {
    var members = [
      ("ver", "1"), ("tenant_id", "\"\(tenant)\""), ("order_id", "\"order-1\""),
      ("performance_id", "\"\(performance)\""), ("seat_id", "\"\(seat)\""), ("jti", "\"\(jti)\""),
      ("iat", "\(issued)"), ("exp", "\(ends)"),
    ]
    changing(&members)
    return [UInt8](("{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}").utf8)
  }

  /// A ticket that is good for two hours from `now` on.
  func ticket(
    _ jti: String = "tkt_0011223344556677", at now: WallTime, tenant: String = tenant, performance: String = "perf_1",
    kid: String? = nil
  ) -> String {
    text(
      Self.payload(
        jti: jti, tenant: tenant, performance: performance, issued: now.seconds, ends: now.seconds + 7_200), kid: kid)
  }

  static func base64url(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}

/// The vector in `REAL-SERVERS.md`, section 5: the real server's library finds it good.
enum Vector {
  static let text =
    "ed25519.v1.dev-ed25519.yriYxbUtOiSPbH1qQhu0Pzzz0zJ6ZCTDp4vB6AKff8x76TrT_hIoPUADo7jmQK4wv-SD5mLjydba3FdQ0cgnBg."
    + "eyJ2ZXIiOjEsInRlbmFudF9pZCI6IjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMSIsIm9yZGVyX2lkIjoiMDAwMDAwMDAtMDAw"
    + "MC0wMDAwLTAwMDAtMDAwMDAwMDAwMTIzIiwicGVyZm9ybWFuY2VfaWQiOiJwZXJmXzEiLCJzZWF0X2lkIjoiQS0xIiwianRpIjoidGt0XzAwMTEy"
    + "MjMzNDQ1NTY2NzciLCJpYXQiOjE3NjU5ODAwMDAsImV4cCI6MTc2NTk4NzIwMH0"
  /// Its key, as the server publishes it.
  static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
  static let issued = WallTime(seconds: 1_765_980_000), ends = WallTime(seconds: 1_765_987_200)
}
