import Expectations
import KioskControl
import ScanModel
import ScriptedHTTP
import Testing

/// What is read of a configuration, and what is not.
@Suite struct ConfigurationTests {
  private func read(_ body: String) async throws -> Result<ControlConfiguration, ControlFault> {
    let server = ScriptedServer { _, request, connection in
      connection.send(
        request.contains("remote-config")
          ? Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#) : Answers.ok(body))
    }
    let service = try await Service.open(server)
    let result = await service.configuration()
    await service.close()
    return result
  }

  @Test func theDocumentsWhole() async throws {
    let configuration = try #require(try await read(Answers.configuration).value)
    var expected = ControlConfiguration()
    expected.id = "kiosk-1"
    expected.name = "Box office east"
    expected.roomName = "East hall"
    expected.location = "Building 2"
    expected.department = "Tickets"
    expected.mode = "facilities"
    expected.refreshInterval = .seconds(60)
    expected.timeZone = "Europe/Vienna"
    expected.texts = [
      "welcomeMessage": "Welcome", "thankYouMessage": "Thank you", "errorMessage": "Sorry",
      "offlineMessage": "Back soon",
      "organizationName": "Venue", "footerText": "Ground floor", "supportContact": "+43 1 234",
      "maintenanceMessage": "Soon closed",
    ]
    expected.sessionTimeout = .seconds(1_800)
    expected.lockOut.attempts = 3
    expected.lockOut.duration = .seconds(600)
    expected.maintenance = .init(day: .weekly(1), minute: 150, minutes: 45)
    expected.isStateTold = true
    expected.isMaintenanceTold = true
    expected.isLockOutTold = true
    expected.updated = WallTime(seconds: 1_752_580_800)
    expected.ignored = [
      "createdAt", "integrations", "maintenance.notifications.enabled", "security.adminPIN", "security.allowedIPs",
      "settings.autoRefresh", "settings.behavior.idleTimeout", "settings.language",
      "ui.theme",
    ]
    expectEqual(configuration, expected)
  }

  @Test func theRealServersWhole() async throws {
    let configuration = try #require(try await read(Answers.remoteConfiguration).value)
    var expected = ControlConfiguration()
    expected.isStateTold = true
    expected.id = "kiosk-1"
    expected.roomName = "East hall"
    expected.statusMessages = [
      .available: "Free", .inUse: "Taken", .meeting: "Meeting", .brb: "BRB", .lunch: "Lunch", .unavailable: "Closed",
    ]
    expected.ignored = ["backgroundUrl", "features", "logoUrl", "theme"]
    expectEqual(configuration, expected)
  }

  @Test func theEarlierRealServersWhole() async throws {
    let configuration = try #require(try await read(Answers.earlierConfiguration).value)
    var expected = ControlConfiguration()
    expected.isStateTold = true
    expected.texts = [
      "currentStatus": "open", "openMsg": "Open", "closedMsg": "Closed", "errorMsg": "Error", "welcomeMessage": "Hello",
      "helpMessage": "Ask",
    ]
    expected.ignored = ["backgroundUrl", "logoUrl", "officeHours", "schedule"]
    expectEqual(configuration, expected)
  }

  @Test(arguments: [
    (#""status":"active""#, ControlConfiguration.State.active), (#""status":"inactive""#, .inactive),
    (#""status":"maintenance""#, .maintenance), (#""status":"offline""#, .offline), (#""status":"error""#, .error),
    (#""active":false"#, .inactive), (#""active":0"#, .inactive), (#""isActive":false"#, .inactive),
    (#""active":false,"isActive":true"#, .inactive), (#""active":1"#, .active),
    (#""status":"active","active":false"#, .inactive), (#""status":"maintenance","active":false"#, .maintenance),
    (#""status":"maintenance","active":true"#, .maintenance), (#""status":"error","active":false"#, .inactive),
    (#""status":"available""#, .active), (#""status":"unavailable""#, .active), (#""status":"open""#, .active),
    (#""status":null"#, .active), (#""status":[]"#, .active), (#""active":"false""#, .inactive),
  ])
  func theState(member: String, state: ControlConfiguration.State) async throws {
    let configuration = try #require(try await read(#"{"id":"k",\#(member)}"#).value)
    expectEqual(configuration.state, state)
  }

  @Test func theRoomsStatusIsShownAndChangesNothing() async throws {
    for word in ["available", "in-use", "inUse", "meeting", "brb", "lunch", "unavailable"] {
      let configuration = try #require(try await read(#"{"id":"k","status":"\#(word)"}"#).value)
      expectEqual(configuration.texts, ["status": word])
      expect(!configuration.state.isOutOfService)
    }
  }

  @Test(arguments: [
    ("30", 30), ("0", 30), ("-5", 30), ("3600", 3_600), ("86400", 3_600), ("1e300", 3_600), ("45.9", 45),
    ("\"60\"", 300), ("1e999", 300), ("null", 300), ("[60]", 300),
  ])
  func intervalsAreBounded(value: String, seconds: Int) async throws {
    let configuration = try #require(try await read(#"{"id":"k","settings":{"refreshInterval":\#(value)}}"#).value)
    expectEqual(configuration.refreshInterval, .seconds(seconds))
  }

  @Test(arguments: [("0", "0", 3, 60), ("3", "1", 3, 60), ("1e99", "1e99", 20, 3_600), ("true", "\"9\"", 5, 60)])
  func theLockOutIsBounded(attempts: String, minutes: String, expected: Int, seconds: Int) async throws {
    let configuration = try #require(
      try await read(#"{"id":"k","security":{"maxFailedAttempts":\#(attempts),"lockoutDuration":\#(minutes)}}"#).value)
    expectEqual(configuration.lockOut.attempts, expected)
    expectEqual(configuration.lockOut.duration, .seconds(seconds))
  }

  @Test(arguments: [
    (#"{"type":"daily","time":"02:00","duration":30}"#, ControlConfiguration.MaintenanceWindow.Day.daily, 30),
    (#"{"type":"weekly","time":"02:00","dayOfWeek":0,"duration":1e9}"#, .weekly(0), 1_440),
    (#"{"type":"monthly","time":"02:00","dayOfMonth":31,"duration":1.5}"#, .monthly(31), 1),
  ])
  func maintenanceWindows(schedule: String, day: ControlConfiguration.MaintenanceWindow.Day, minutes: Int) async throws
  {
    for isEnabled in [true, false] {
      let configuration = try #require(
        try await read(#"{"id":"k","maintenance":{"enabled":\#(isEnabled),"schedule":\#(schedule)}}"#).value)
      expectEqual(configuration.maintenance, (isEnabled ? .init(day: day, minute: 120, minutes: minutes) : nil))
    }
  }

  @Test(arguments: [
    #"{"type":"hourly","time":"02:00","duration":30}"#, #"{"type":"daily","time":"24:00","duration":30}"#,
    #"{"type":"daily","time":"2:00","duration":30}"#, #"{"type":"daily","time":"+2:00","duration":30}"#,
    #"{"type":"daily","time":120,"duration":30}"#, #"{"type":"daily","time":"02:00","duration":0}"#,
    #"{"type":"daily","time":"02:00","duration":1e999}"#, #"{"type":"weekly","time":"02:00","duration":30}"#,
    #"{"type":"weekly","time":"02:00","dayOfWeek":7,"duration":30}"#,
    #"{"type":"daily","time":"::::::","duration":30}"#,
    #"{"type":"monthly","time":"02:00","dayOfMonth":0,"duration":30}"#, "[]", "null", "\"daily\"", "{}",
  ])
  func aScheduleThatIsNoneIsLeftOut(schedule: String) async throws {
    let configuration = try #require(
      try await read(#"{"id":"k","maintenance":{"enabled":true,"schedule":\#(schedule)}}"#).value)
    expect(configuration.maintenance == nil)
  }

  @Test(
    arguments: [
      ("\"Europe/Vienna\"", "Europe/Vienna"), ("\"Etc/GMT+3\"", "Etc/GMT+3"), ("\"../../etc/passwd\"", nil),
      ("\"/etc/passwd\"", nil), ("\"\"", nil), ("\"Europe Vienna\"", nil), ("3", nil),
    ] as [(String, String?)])
  func timeZonesAreNames(value: String, expected: String?) async throws {
    let configuration = try #require(try await read(#"{"id":"k","settings":{"timezone":\#(value)}}"#).value)
    expectEqual(configuration.timeZone, expected)
  }

  /// Every field with every wrong type: it is left out and named, and the rest holds.
  @Test func wrongTypesAreLeftOutAndTheRestHolds() async throws {
    let fields = [
      "name", "roomName", "location", "department", "mode", "status", "settings", "ui", "security", "maintenance",
      "statusMessages", "active", "updatedAt", "openMsg",
    ]
    for field in fields {
      for wrong in ["7", "1.5", "[]", "[{}]", "null"] {
        let configuration = try #require(try await read(#"{"id":"k","\#(field)":\#(wrong)}"#).value)
        var expected = ControlConfiguration()
        expected.id = "k"
        expected.ignored = [field]
        expectEqual(configuration, expected, "\(field): \(wrong)")
      }
    }
  }

  @Test(arguments: [
    "{}", #"{"success":true}"#, #"{"message":"ok"}"#, #"{"status":"ok"}"#, #"{"outputs":{"relay":"open"}}"#,
    #"{"config":{}}"#, #"{"data":{"config":{}}}"#, #"{"name":null,"settings":{},"ui":{"branding":{}}}"#,
    #"{"name":[]}"#,
    "[]", "\"text\"", "7", "null", "true", #"{"data":[]}"#, #"{"data":"x"}"#, #"{"config":[]}"#, #"{"config":"x"}"#,
    "{",
  ])
  func whatIsNoConfigurationIsAFault(body: String) async throws {
    try await expectEqual(read(body).fault?.kind, .configuration)
  }

  @Test func hostileNamesAreCleaned() async throws {
    let name = #"\u001b[31mEast\u202e hall\u0000\u200b \u009b2J"#
    let long = String(repeating: "Ä", count: 5_000)
    let configuration = try #require(
      try await read(
        #"{"id":"k","name":"\#(name)","roomName":"\#(long)","ev\u001b[2Jil\u202ename":1,"statusMessages":{"brb":"\#(name)"}}"#
      ).value)
    expectEqual(configuration.name, "[31mEast hall 2J")
    expectEqual(configuration.roomName?.unicodeScalars.count, 200)
    expectEqual(configuration.statusMessages[.brb], "[31mEast hall 2J")
    expectEqual(configuration.ignored, ["ev [2Jilname"])
  }

  @Test func namesThatAreNotAppliedAreBounded() async throws {
    let members = (0..<5_000).map { #""\#(String(repeating: "n", count: 100))\#($0)":1"# }.joined(separator: ",")
    // Too large for the wire's limit: half of it.
    let configuration = try #require(
      try await read(#"{"id":"k",\#(members.prefix(200_000).split(separator: ",").dropLast().joined(separator: ","))}"#)
        .value)
    expect(configuration.ignored.count <= 64)
    expect(configuration.ignored.allSatisfy { $0.unicodeScalars.count <= 80 })
  }

  @Test func theTokenIsNotShownByAText() async throws {
    let token = Service.token
    let configuration = try #require(
      try await read(#"{"id":"\#(token)","name":"x\#(token)y","\#(token)":1,"mode":"Bearer \#(token)"}"#).value)
    expect(!"\(configuration)".contains(token))
    expectEqual(configuration.name, "x(token)y")
  }

  /// A state that is spelt differently still takes the station out of service; one that nobody can read says nothing.
  @Test(arguments: [
    (#"{"name":"N","status":"Maintenance"}"#, ControlConfiguration.State.maintenance, true),
    (#"{"name":"N","status":"MAINTENANCE "}"#, .maintenance, true),
    (#"{"name":"N","status":["maintenance"]}"#, .active, false), (#"{"name":"N","status":null}"#, .active, false),
    (#"{"name":"N","status":"disabled"}"#, .active, false), (#"{"name":"N"}"#, .active, false),
    (#"{"name":"N","isActive":"false"}"#, .inactive, true), (#"{"name":"N","active":1}"#, .active, true),
    (#"{"config":{"name":"x"},"status":"inactive"}"#, .inactive, true),
    (#"{"data":{"name":"N"},"status":"inactive"}"#, .inactive, true),
    (#"{"success":true,"data":{"name":"N","status":"active"},"status":"inactive"}"#, .active, true),
  ]) func aStateIsReadOrNotTold(
    _ body: String, _ state: ControlConfiguration.State, _ isTold: Bool
  ) async throws {
    let configuration = try #require(try await read(body).value)
    expectEqual(configuration.state, state)
    expectEqual(configuration.isStateTold, isTold)
  }
}

/// Who may look at a station, and what may be ordered of it, no control service says.
@Suite struct ForeignSectionTests {
  @Test func aDocumentSaysNothingOfConsoleAndBridge() async throws {
    func read(_ more: String) async throws -> ControlConfiguration {
      let body = #"{"success":true,"data":{"id":"kiosk-1","name":"Box office"\#(more)}}"#
      let server = ScriptedServer { _, request, connection in
        connection.send(
          request.contains("remote-config")
            ? Answers.response("404 Not Found", #"{"error":"Kiosk not found"}"#) : Answers.ok(body))
      }
      let service = try await Service.open(server)
      let result = await service.configuration()
      await service.close()
      return try #require(result.value)
    }
    let plain = try await read("")
    for name in ["console", "mqtt"] {
      let section =
        #"{"listen":"0.0.0.0:8088","allowPlainHTTP":true,"orders":["openOnce"],"names":true,"broker":"evil.example"}"#
      for place in [
        #","\#(name)":\#(section)"#, #","settings":{"\#(name)":\#(section)}"#,
        #","integrations":{"\#(name)":\#(section)}"#,
      ] {
        var read = try await read(place)
        read.ignored = plain.ignored
        expectEqual(read, plain, "\(place)")
      }
    }
  }
}
