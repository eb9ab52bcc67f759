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
    [
      "id": .string(id), "name": "Kiosk", "roomName": "Room", "mode": "custom", "status": "active",
      "settings": settings, "ui": ui, "integrations": integrations,
      "security": [
        "adminPIN": "", "sessionTimeout": 30, "maxFailedAttempts": 3, "lockoutDuration": 10, "encryption": true,
        "auditLog": true,
      ],
      "maintenance": [
        "enabled": false, "schedule": ["type": "daily", "time": "02:00", "duration": 30],
        "notifications": [
          "enabled": true, "advanceNotice": 15, "message": "System maintenance will begin shortly.", "countdown": true,
        ],
        "autoRestart": true, "updateCheck": true,
      ],
      "createdAt": .string(now.utc), "updatedAt": .string(now.utc),
    ]
  }

  private static let settings: JSONText = [
    "autoRefresh": true, "refreshInterval": 30, "timezone": "UTC", "language": "en",
    "accessibility": [
      "fontSize": "medium", "highContrast": false, "screenReader": false, "reduceMotion": false, "buttonSize": "medium",
    ],
    "notifications": ["enabled": true, "sound": true, "vibration": false, "displayDuration": 5, "priority": "medium"],
    "behavior": [
      "idleTimeout": 300, "resetOnIdle": true, "welcomeMessage": "Welcome! How can we help you today?",
      "thankYouMessage": "Thank you for your feedback!", "errorMessage": "Something went wrong. Please try again.",
      "offlineMessage": "Currently offline. Please try again later.",
    ],
  ]

  private static let ui: JSONText = [
    "theme": ["name": "default", "mode": "light", "primaryColor": "#007AFF", "accentColor": "#34C759"],
    "branding": ["organizationName": "The venue"],
    "layout": [
      "headerHeight": 80, "footerHeight": 60, "sidebarWidth": 300, "padding": 20, "borderRadius": 8, "showHeader": true,
      "showFooter": true, "showSidebar": false,
    ],
    "colors": [
      "primary": "#007AFF", "secondary": "#5856D6", "accent": "#34C759", "background": "#F2F2F7", "surface": "#FFFFFF",
      "text": "#000000", "textSecondary": "#8E8E93", "border": "#C6C6C8", "success": "#34C759", "warning": "#FF9500",
      "error": "#FF3B30", "info": "#007AFF",
    ],
    "typography": [
      "fontFamily": "SF Pro Display", "fontSize": ["small": 14, "medium": 16, "large": 18, "xlarge": 24],
      "fontWeight": ["normal": 400, "medium": 500, "bold": 700], "lineHeight": 1.5, "letterSpacing": 0,
    ],
    "background": ["type": "color", "value": "#F2F2F7", "opacity": 1, "blur": 0],
  ]

  private static let integrations: JSONText = [
    "ticketing": [
      "enabled": true, "endpoint": "/api/tickets", "defaultPriority": "medium", "defaultCategory": "general",
      "requiredFields": ["title", "description"], "customFields": [],
    ],
    "feedback": [
      "enabled": true, "endpoint": "/api/feedback", "types": [["id": "rating", "name": "Rating", "enabled": true]],
      "autoSubmit": true, "showThankYou": true, "thankYouDuration": 3,
    ],
    "analytics": ["enabled": false, "provider": "custom", "events": []],
    "monitoring": ["enabled": true, "endpoint": "/api/monitoring", "interval": 60, "metrics": []],
  ]

  private static let cueit: JSONText = [
    "statusEnabled": false, "currentStatus": "open", "openMsg": "We are open!", "closedMsg": "We are closed.",
    "errorMsg": "Service temporarily unavailable.", "logoUrl": "/logo.png", "backgroundUrl": nil,
    "welcomeMessage": "Welcome", "helpMessage": "Need help?", "schedule": nil, "officeHours": nil,
  ]

  private static let nova: JSONText = [
    "active": true, "roomName": "Room", "logoUrl": "/logo.png", "backgroundUrl": nil, "theme": "light",
    "statusMessages": [
      "available": "Available", "inUse": "In use", "meeting": "In a meeting", "brb": "Be right back",
      "lunch": "Out to lunch", "unavailable": "Unavailable",
    ],
    "features": ["ticketSubmission": true, "statusUpdates": true, "directoryIntegration": false],
  ]
}
