/// Whether a subscription may become an account's membership. Pure.
///
/// ```
/// account \ subscription   none     not over   over          each is a membership: what the account has, and what the
/// none                     yes      no         no            subscription is to somebody already
/// not over                 no       no         no
/// over                     yes      no         no
/// ```
struct LinkStrategy {
  enum Decision: Equatable {
    /// It becomes the account's membership.
    case link
    /// It is already, and is told as it is.
    case unchanged
    case refused(field: String, code: String, message: String)
  }

  /// What the account has.
  let account: StoredMembership?
  /// What the subscription is already.
  let linked: StoredMembership?
  let subscription: StoredSubscription
  let now: Timestamp

  /// As the document has it.
  var documented: Decision {
    if linked != nil {
      return .refused(
        field: "iap_membership", code: "already_linked",
        message: "An apple subscription cannot link to multiple FTC accounts")
    }
    guard let account else { return .link }
    if account.appleID != nil {
      return .refused(
        field: "ftc_membership", code: "already_linked",
        message: "Target ftc account is already linked to another apple subscription")
    }
    if !account.isExpired(at: now) {
      return .refused(
        field: "ftc_membership", code: "valid_non_iap",
        message: "Target ftc account already has a valid non-iap membership")
    }
    return .link
  }

  /// As the real server decides.
  /// - Parameter force: whether another subscription of the account's may be replaced.
  func real(force: Bool) -> Decision {
    if linked?.ftcID == account?.ftcID {
      guard let account else { return .link }
      return account.ends(before: subscription) ? .link : .unchanged
    }
    if linked != nil { return Self.claimed }
    guard let account else { return .link }
    if account.payMethod == .apple, account.appleID != nil {
      return force
        ? .link
        : .refused(
          field: "ftcId", code: "linked_to_other_iap",
          message: "FTC account is already linked to another Apple subscription")
    }
    // What somebody wrote by hand may have been this subscription.
    let mayBeIt = account.payMethod == nil && account.ends(before: subscription, byDays: 1)
    if !account.isExpired(at: now) {
      return mayBeIt
        ? .link
        : .refused(
          field: "ftcId", code: "has_valid_non_iap",
          message: "FTC account already has a valid membership via non-Apple channel")
    }
    if subscription.isExpired(at: now), !mayBeIt {
      return .refused(
        field: "originalTxId", code: "already_expired",
        message: "You are not allowed to link to an already expired IAP subscription")
    }
    return .link
  }

  /// Another account has it.
  static let claimed = Decision.refused(
    field: "originalTxId", code: "linked_to_other_ftc",
    message: "Apple subscription is already claimed by another ftc account.")
}
