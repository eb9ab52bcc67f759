package import CodeSigning

/// What signs set-up codes.
package enum OrganiserPurpose: SigningPurpose {
  package static let head = "scangate-organiser-key-1 "
  package static let words = "organiser's key"
  package static let danger = "set stations up"
  package static let maker = "scangate enrol-code --make-key"
}

/// An organiser's key: signs set-up codes.
package typealias OrganiserKey = SigningKey<OrganiserPurpose>

/// Its public half, for trust lists.
package typealias OrganiserPublicKey = VerifyingKey
