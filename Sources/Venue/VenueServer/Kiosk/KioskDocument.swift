/// The configurations that a new kiosk gets, one for each family of servers. They are facts of those servers, with what a
/// gate makes of them in mind.
enum KioskDocument {
  static func text(_ family: KioskShape.Family, id: String, now: Timestamp) -> String {
    switch family {
    case .document: document(id: id, now: now).text()
    case .cueit: cueit.text()
    case .nova: nova.text()
    }
  }

  /// Members that a new configuration does not have and that may be set as texts.
  static let optional: Set<String> = [
    "location", "department", "ui.theme.customCSS", "ui.branding.logo", "ui.branding.favicon", "ui.branding.footerText",
    "ui.branding.supportContact", "ui.background.overlay", "logoUrl", "backgroundUrl",
  ]

  /// Members that a new configuration does not have and that may be set as numbers.
  static let optionalNumbers: Set<String> = ["maintenance.schedule.dayOfWeek", "maintenance.schedule.dayOfMonth"]

  private static func document(id: String, now: Timestamp) -> JSONText {
    .object([
      ("id", .string(id)), ("name", .string("Kiosk")), ("roomName", .string("Room")), ("mode", .string("custom")),
      ("status", .string("active")), ("settings", settings), ("ui", ui), ("integrations", integrations),
      (
        "security",
        .object([
          ("adminPIN", .string("")), ("sessionTimeout", .integer(30)), ("maxFailedAttempts", .integer(3)),
          ("lockoutDuration", .integer(10)), ("encryption", .bool(true)), ("auditLog", .bool(true)),
        ])
      ),
      (
        "maintenance",
        .object([
          ("enabled", .bool(false)),
          (
            "schedule",
            .object([("type", .string("daily")), ("time", .string("02:00")), ("duration", .integer(30))])
          ),
          (
            "notifications",
            .object([
              ("enabled", .bool(true)), ("advanceNotice", .integer(15)),
              ("message", .string("System maintenance will begin shortly.")), ("countdown", .bool(true)),
            ])
          ),
          ("autoRestart", .bool(true)), ("updateCheck", .bool(true)),
        ])
      ),
      ("createdAt", .string(now.utc)), ("updatedAt", .string(now.utc)),
    ])
  }

  private static let settings = JSONText.object([
    ("autoRefresh", .bool(true)), ("refreshInterval", .integer(30)), ("timezone", .string("UTC")),
    ("language", .string("en")),
    (
      "accessibility",
      .object([
        ("fontSize", .string("medium")), ("highContrast", .bool(false)), ("screenReader", .bool(false)),
        ("reduceMotion", .bool(false)), ("buttonSize", .string("medium")),
      ])
    ),
    (
      "notifications",
      .object([
        ("enabled", .bool(true)), ("sound", .bool(true)), ("vibration", .bool(false)), ("displayDuration", .integer(5)),
        ("priority", .string("medium")),
      ])
    ),
    (
      "behavior",
      .object([
        ("idleTimeout", .integer(300)), ("resetOnIdle", .bool(true)),
        ("welcomeMessage", .string("Welcome! How can we help you today?")),
        ("thankYouMessage", .string("Thank you for your feedback!")),
        ("errorMessage", .string("Something went wrong. Please try again.")),
        ("offlineMessage", .string("Currently offline. Please try again later.")),
      ])
    ),
  ])

  private static let ui = JSONText.object([
    (
      "theme",
      .object([
        ("name", .string("default")), ("mode", .string("light")), ("primaryColor", .string("#007AFF")),
        ("accentColor", .string("#34C759")),
      ])
    ),
    ("branding", .object([("organizationName", .string("The venue"))])),
    (
      "layout",
      .object([
        ("headerHeight", .integer(80)), ("footerHeight", .integer(60)), ("sidebarWidth", .integer(300)),
        ("padding", .integer(20)), ("borderRadius", .integer(8)), ("showHeader", .bool(true)),
        ("showFooter", .bool(true)), ("showSidebar", .bool(false)),
      ])
    ),
    (
      "colors",
      .object([
        ("primary", .string("#007AFF")), ("secondary", .string("#5856D6")), ("accent", .string("#34C759")),
        ("background", .string("#F2F2F7")), ("surface", .string("#FFFFFF")), ("text", .string("#000000")),
        ("textSecondary", .string("#8E8E93")), ("border", .string("#C6C6C8")), ("success", .string("#34C759")),
        ("warning", .string("#FF9500")), ("error", .string("#FF3B30")), ("info", .string("#007AFF")),
      ])
    ),
    (
      "typography",
      .object([
        ("fontFamily", .string("SF Pro Display")),
        (
          "fontSize",
          .object([
            ("small", .integer(14)), ("medium", .integer(16)), ("large", .integer(18)), ("xlarge", .integer(24)),
          ])
        ),
        ("fontWeight", .object([("normal", .integer(400)), ("medium", .integer(500)), ("bold", .integer(700))])),
        ("lineHeight", .decimal(1.5)), ("letterSpacing", .integer(0)),
      ])
    ),
    (
      "background",
      .object([
        ("type", .string("color")), ("value", .string("#F2F2F7")), ("opacity", .integer(1)), ("blur", .integer(0)),
      ])
    ),
  ])

  private static let integrations = JSONText.object([
    (
      "ticketing",
      .object([
        ("enabled", .bool(true)), ("endpoint", .string("/api/tickets")), ("defaultPriority", .string("medium")),
        ("defaultCategory", .string("general")),
        ("requiredFields", .array([.string("title"), .string("description")])), ("customFields", .array([])),
      ])
    ),
    (
      "feedback",
      .object([
        ("enabled", .bool(true)), ("endpoint", .string("/api/feedback")),
        (
          "types",
          .array([.object([("id", .string("rating")), ("name", .string("Rating")), ("enabled", .bool(true))])])
        ),
        ("autoSubmit", .bool(true)), ("showThankYou", .bool(true)), ("thankYouDuration", .integer(3)),
      ])
    ),
    ("analytics", .object([("enabled", .bool(false)), ("provider", .string("custom")), ("events", .array([]))])),
    (
      "monitoring",
      .object([
        ("enabled", .bool(true)), ("endpoint", .string("/api/monitoring")), ("interval", .integer(60)),
        ("metrics", .array([])),
      ])
    ),
  ])

  private static let cueit = JSONText.object([
    ("statusEnabled", .bool(false)), ("currentStatus", .string("open")), ("openMsg", .string("We are open!")),
    ("closedMsg", .string("We are closed.")), ("errorMsg", .string("Service temporarily unavailable.")),
    ("logoUrl", .string("/logo.png")), ("backgroundUrl", .null), ("welcomeMessage", .string("Welcome")),
    ("helpMessage", .string("Need help?")), ("schedule", .null), ("officeHours", .null),
  ])

  private static let nova = JSONText.object([
    ("active", .bool(true)), ("roomName", .string("Room")), ("logoUrl", .string("/logo.png")), ("backgroundUrl", .null),
    ("theme", .string("light")),
    (
      "statusMessages",
      .object([
        ("available", .string("Available")), ("inUse", .string("In use")), ("meeting", .string("In a meeting")),
        ("brb", .string("Be right back")), ("lunch", .string("Out to lunch")), ("unavailable", .string("Unavailable")),
      ])
    ),
    (
      "features",
      .object([
        ("ticketSubmission", .bool(true)), ("statusUpdates", .bool(true)), ("directoryIntegration", .bool(false)),
      ])
    ),
  ])
}
