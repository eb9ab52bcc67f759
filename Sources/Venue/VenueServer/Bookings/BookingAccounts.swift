import HTTPTypes
import SQLiteFile

/// Accounts of those who buy.
extension BookingDesk {
  /// `POST /api/auth/signup`
  func signUp(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.unreadable }
    guard let email = input.text("email")?.lowercased(), let name = input.text("name"),
      case .string(let password)? = input.members?["password"], !password.isEmpty
    else { return shape.failure(.badRequest, "Email, password, and name are required") }
    guard Self.isEmail(email) else { return Self.noEmail(shape) }
    guard (2...100).contains(name.count) else {
      return shape.failure(.badRequest, "Name must be between 2 and 100 characters")
    }
    if let refusal = weak(password) { return refusal }
    guard try users.find(email) == nil else {
      return shape.failure(.conflict, "An account with this email already exists")
    }
    var random = SystemRandomNumberGenerator()
    let user = try users.add(email, name: name, password: password, &random)
    try users.send(.verify, to: email, &random)
    return try signedIn(
      user, shape == .real ? .created : .ok, "Account created successfully", life: BookingToken.life,
      more: [("emailSent", true), ("welcomeEmailSent", true)])
  }

  /// `POST /api/auth/signin`
  func signIn(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.unreadable }
    guard let email = input.text("email")?.lowercased(), let password = input.text("password") else {
      return shape.failure(.badRequest, "Email and password are required")
    }
    guard Self.isEmail(email) else { return Self.noEmail(shape) }
    guard let user = try users.find(email), try users.has(password, email) else {
      return shape.failure(.unauthorized, "Invalid email or password")
    }
    return try signedIn(user, .ok, "Signed in successfully", life: BookingToken.life)
  }

  /// `POST /api/auth/social`: a provider's token is believed unless it is the word `forged`.
  func social(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.failure(.badRequest, "Invalid request format") }
    let isReal = shape == .real
    let (token, email) = (
      input.text(isReal ? "idToken" : "token"), isReal ? input.text("user", "email") : input.text("email")
    )
    guard let provider = input.text("provider"), let token, !isReal || input.members?["user"]?.isList == true else {
      return shape.failure(.badRequest, "Missing required fields: provider, idToken, and user are required")
    }
    if isReal, email == nil || input.text("user", "id") == nil {
      return shape.failure(.badRequest, "Missing required user fields: email and id are required")
    }
    guard ["google", "apple"].contains(provider) else {
      return shape.failure(.badRequest, "Invalid provider. Must be google or apple")
    }
    guard token != "forged" else { return shape.failure(.unauthorized, "Invalid authentication token") }
    // Without an address somebody is known by the provider's word alone, which is the same each time.
    let known = email?.lowercased() ?? "\(provider)-\(APIKeys.hash(token).prefix(12))@social.example"
    let name = isReal ? input.text("user", "name") : input.text("name")
    var random = SystemRandomNumberGenerator()
    let user =
      try users.find(known)
      ?? users.add(
        known, name: name ?? String(known.prefix { $0 != "@" }), password: Secret.password(&random), &random)
    try users.verify(known)
    return try signedIn(
      try users.find(known) ?? user, .ok, "Authentication successful", life: BookingToken.socialLife)
  }

  /// `/api/auth/verify`
  func verify(_ input: BookingInput) throws -> Answer {
    guard let token = input.bearer else { return shape.failure(.unauthorized, "No authentication token provided") }
    guard let user = try user(ofToken: token) else {
      return shape.failure(.unauthorized, "Invalid or expired token")
    }
    return .ok(["success": true, "user": user.text(shape), "token": .string(token)])
  }

  /// `GET /api/auth/verify-email?token&email` of the real server, `POST {token,email}` of the document's.
  func verifyEmail(token: String?, email: String?) throws -> Answer {
    guard let token, let email = email?.lowercased(), !token.isEmpty, !email.isEmpty else {
      return shape.failure(.badRequest, "Email and verification token are required")
    }
    guard Self.isEmail(email) else { return shape.failure(.badRequest, "Invalid email format") }
    guard let user = try users.find(email) else { return shape.failure(.notFound, "Account not found") }
    if user.verified != nil { return done("Email address is already verified") }
    guard try users.isGood(token, .verify, of: email) else {
      return shape.failure(
        .badRequest, "Invalid or expired verification token. Please request a new verification email.")
    }
    try users.verify(email)
    return done("Email address has been verified successfully! You can now sign in.")
  }

  /// `POST /api/auth/verify-email {email}` of the real server: whatever else is in it, another mail is sent.
  func resend(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.unreadable }
    guard let email = input.text("email")?.lowercased() else { return shape.failure(.badRequest, "Email is required") }
    guard Self.isEmail(email) else { return Self.noEmail(shape) }
    guard let user = try users.find(email) else {
      return done("If an account with that email exists and is not verified, a verification email has been sent.")
    }
    if user.verified != nil { return done("Email address is already verified") }
    var random = SystemRandomNumberGenerator()
    try users.send(.verify, to: email, &random)
    return done("Verification email has been sent. Please check your inbox.")
  }

  /// `POST /api/auth/password-reset`
  func resetPassword(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.unreadable }
    guard let email = input.text("email")?.lowercased() else { return shape.failure(.badRequest, "Email is required") }
    guard Self.isEmail(email) else { return Self.noEmail(shape) }
    var random = SystemRandomNumberGenerator()
    if try users.find(email) != nil { try users.send(.reset, to: email, &random) }
    // Who has an account is nobody's business.
    return done("If an account with that email exists, a password reset link has been sent.")
  }

  /// `PUT /api/auth/password-reset`
  func confirmPassword(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.unreadable }
    guard let email = input.text("email")?.lowercased(), let token = input.text("token"),
      case .string(let password)? = input.members?["newPassword"], !password.isEmpty
    else { return shape.failure(.badRequest, "Email, token, and new password are required") }
    guard Self.isEmail(email) else { return Self.noEmail(shape) }
    if let refusal = weak(password) { return refusal }
    guard try users.isGood(token, .reset, of: email) else {
      return shape.failure(.badRequest, "Invalid or expired reset token. Please request a new password reset.")
    }
    try users.setPassword(password, of: email)
    return done("Password has been reset successfully. You can now sign in with your new password.")
  }

  private func signedIn(
    _ user: BookingUser, _ status: HTTPResponse.Status, _ words: String, life: Int64,
    more: [(key: String, value: JSONText)] = []
  ) throws -> Answer {
    let token = JSONText.string(try token(for: user, life: life))
    guard shape == .real else {
      return Answer(status: status, body: ["success": true, "user": user.text(shape), "token": token])
    }
    let members: [(key: String, value: JSONText)] = [
      ("success", true), ("message", .string(words)), ("user", user.text(shape)), ("token", token),
    ]
    return Answer(status: status, body: .object(members + more))
  }

  private func done(_ words: String) -> Answer { .ok(["success": true, "message": .string(words)]) }

  private func weak(_ password: String) -> Answer? {
    var faults: [JSONText] = []
    if password.utf16.count < 8 { faults.append("Password must be at least 8 characters long") }
    if !password.contains(where: { ("A"..."Z").contains($0) }) {
      faults.append("Password must contain at least one uppercase letter")
    }
    if !password.contains(where: { ("a"..."z").contains($0) }) {
      faults.append("Password must contain at least one lowercase letter")
    }
    if !password.contains(where: { ("0"..."9").contains($0) }) {
      faults.append("Password must contain at least one number")
    }
    guard !faults.isEmpty else { return nil }
    return Answer(
      status: .badRequest,
      body: ["success": false, "error": "Password requirements not met", "details": .array(faults)])
  }

  private static func noEmail(_ shape: BookingShape) -> Answer {
    shape.failure(.badRequest, "Please provide a valid email address")
  }

  /// Something, an `@`, something with a dot in it, and no white space.
  private static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !text.contains(where: \.isWhitespace) else { return false }
    return parts[1].dropFirst().dropLast().contains(".")
  }
}
