internal import WireText

/// What can be listed, shown and changed by its name.
struct DeskResource: Sendable {
  /// Its part of the path.
  let path: String
  /// One of them, in words.
  let one: String
  /// What a server tells of it and nobody sets, besides `…_html`.
  let readOnly: Set<String>
  /// What can be set and servers never tell: it cannot be looked at afterwards.
  var untold: Set<String> = []

  static let events = DeskResource(
    path: "events", one: "event",
    readOnly: [
      "category", "created_at", "curator_role", "flyer_image_id", "flyer_image_url", "guest_url", "has_password", "id",
      "members", "notification_settings", "schedules", "slug", "updated_at", "url", "user_id", "venue", "venue_name",
    ],
    untold: [
      "days_of_week", "event_password", "password", "recurring_end_type", "recurring_end_value", "schedule_type",
      "venue_room_id",
    ])
  static let venues = DeskResource(path: "venues", one: "venue", readOnly: profile)
  static let talent = DeskResource(path: "talent", one: "talent", readOnly: profile)

  private static let profile: Set<String> = [
    "background_image_url", "created_at", "header_image_url", "id", "profile_image_url", "slug", "subdomain", "type",
    "updated_at", "url", "user_id",
  ]

  /// The path of one.
  func path(_ id: String) -> String { "/\(path)/\(PercentCoding.encode(id))" }
}
