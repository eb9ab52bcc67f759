// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode, warnings are errors, and imports say what they give away. A build for release can be looked
/// into by tests, as one for debugging can: what stations run is compiled once, and is what the tests prove.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
]

/// What holds the outputs or handles pictures, the journal and the lists, and what tests compute with for long is optimised in every
/// build for release, also where `scripts/build quick` does without.
let fast: [SwiftSetting] =
  strict
  + [.unsafeFlags(["-Xfrontend", "-O", "-Xfrontend", "-enable-default-cmo"], .when(configuration: .release))]

/// What is as quick at stations as that, and where `scripts/build quick` compiles it as it does all else: `-Onone` comes after this.
let plain: [SwiftSetting] =
  strict + [.unsafeFlags(["-O", "-Xfrontend", "-enable-default-cmo"], .when(configuration: .release))]

/// What waits for people, files and networks is made small: a fifth less work for the compiler, and it waits no longer for it.
let small: [SwiftSetting] = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// What no station runs is compiled quickly rather than to run quickly. One pass
/// makes module and code, for nobody waits for the module.
let quick: [SwiftSetting] =
  strict + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// Programs for stations have Swift's libraries inside, see `scripts/programs`. Others need those of the toolchain, as tests do.
let stationLink: [LinkerSetting] =
  Context.environment["SCANGATE_LINK"] == "static"
  ? [
    .unsafeFlags(
      [
        "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
        "-lswiftSynchronization",
      ], .when(configuration: .release))
  ] : []

/// `scripts/build` names another linker than the compiler's usual one, which takes four times as long. Everything links the room that has this.
let quickLink: [LinkerSetting] =
  Context.environment["SCANGATE_LINKER"].map { [.unsafeFlags(["-use-ld=\($0)"], .when(configuration: .release))] } ?? []

/// One folder a floor, from the ground up: what a room may import stands on its own floor or below.
let floors: [(name: String, rooms: [String])] = [
  ("Model", ["ScanModel", "WireCoding"]),
  ("Rules", ["Reading", "Calls", "Admission", "Signalling"]),
  (
    "Linux",
    [
      "CBuild", "CCarried", "CEvdev", "CLinux", "CMosquitto", "CNATS", "COpenSSL", "CPNG", "CPangoCairo", "CQREncode",
      "CSQLite",
      "CSeccomp",
      "CSodium",
      "CTurboJPEG", "CUdev", "CV4LConvert", "CXKB", "CZBar", "LibCrypto", "LinuxIO",
    ]
  ),
  ("Vision", ["CodeVision", "DecodeProtocol", "DecodeWorker", "DecodeClient", "scangate-decode"]),
  ("Readers", ["ReaderKit", "WedgeReader", "SerialReader", "CameraReader", "KnownScanners"]),
  ("Outputs", ["SignalOutputs", "HolderProtocol", "OutputHolder", "HolderClient", "scangate-outputs"]),
  ("Storage", ["SQLiteFile", "Sealing", "Journal", "TicketLists"]),
  ("Web", ["WireText", "CodeSigning", "TicketTransport"]),
  ("Fleet", ["FleetBook", "FleetKeeping", "FleetLists", "JetStreamClaims", "FleetSetUp"]),
  ("TicketSystems", ["TicketSystemKit", "EventSchedule", "Subscriptions", "Bookings", "SignedTickets"]),
  ("SetUp", ["SetUpCodes", "Enrolment", "KioskControl"]),
  (
    "Station",
    [
      "StationProtocol", "StationReport", "ScanConfiguration", "StationSetUp", "Gateway", "StationSocket", "Service",
      "Doctor", "FirstRun",
    ]
  ),
  ("Reports", ["Reports", "ReportPages", "ReportProtocol", "ReportWorker", "ReportClient", "scangate-report"]),
  ("Faces", ["Alerts", "Console", "FirstRunPage", "MQTTBridge"]),
  ("Venue", ["VenueServer"]),
]

/// What `scangate version --json` tells of the build, where `scripts/build` says it.
let buildFacts: [CSetting] = ["SCANGATE_COMMIT", "SCANGATE_COMPILER", "SCANGATE_PACKAGES"].compactMap { name in
  Context.environment[name].map { .define(name, to: "\"\($0)\"") }
}

/// Where the room lies.
func floorFolder(of room: String) -> String { floors.first { $0.rooms.contains(room) }.map { "\($0.name)/" } ?? "" }

func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = fast,
  link: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(floorFolder(of: name))\(name)", swiftSettings: settings,
    linkerSettings: link)
}

func library(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(floorFolder(of: name))\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// - Parameter floor: where the tests lie, if what they prove is no room of the product.
func tests(of name: String, on floor: String? = nil, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: ["Expectations", .byName(name: name)] + dependencies,
    path: "Tests/\(floor.map { "\($0)/" } ?? floorFolder(of: name))\(name)Tests", swiftSettings: quick)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

let package = Package(
  name: "scangate",
  products: [
    .executable(name: "scangate", targets: ["scangate"]),
    .executable(name: "scangate-outputs", targets: ["scangate-outputs"]),
    .executable(name: "scangate-decode", targets: ["scangate-decode"]),
    .executable(name: "scangate-report", targets: ["scangate-report"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // The words of the house and its pure middle.
    room("ScanModel", link: quickLink),
    room("Reading", ["ScanModel"]),
    room("Calls", ["ScanModel"], plain),
    room("Admission", ["Calls", "ScanModel"]),
    room("Signalling", ["ScanModel"]),

    // The machine.
    .target(name: "CLinux", path: "Sources/Linux/CLinux"),
    // Pages, texts and the scanners' list, as files that C takes as they are.
    .target(name: "CCarried", path: "Sources/Linux/CCarried"),
    .target(name: "CBuild", path: "Sources/Linux/CBuild", cSettings: buildFacts),
    // Not linked: it is loaded where there is a fleet. Wants libnats-dev to be compiled.
    .target(name: "CNATS", path: "Sources/Linux/CNATS"),
    library("CEvdev", "libevdev", "libevdev-dev"),
    library("CUdev", "libudev", "libudev-dev"),
    library("CXKB", "xkbcommon", "libxkbcommon-dev"),
    library("COpenSSL", "libcrypto", "libssl-dev"),
    library("CSodium", "libsodium", "libsodium-dev"),
    library("CMosquitto", "libmosquitto", "libmosquitto-dev"),
    library("CPNG", "libpng", "libpng-dev"),
    library("CPangoCairo", "pangocairo", "libpango1.0-dev"),
    library("CQREncode", "libqrencode", "libqrencode-dev"),
    library("CSeccomp", "libseccomp", "libseccomp-dev"),
    library("CSQLite", "sqlite3", "libsqlite3-dev"),
    library("CTurboJPEG", "libturbojpeg", "libturbojpeg0-dev"),
    library("CV4LConvert", "libv4lconvert", "libv4l-dev"),
    library("CZBar", "zbar", "libzbar-dev"),
    .target(
      name: "KnownScanners", dependencies: ["CCarried"], path: "Sources/Readers/KnownScanners",
      exclude: ["scanners.hwdb"], swiftSettings: plain),
    room("LinuxIO", ["CEvdev", "CLinux", "CUdev", "ScanModel"]),
    room("ReaderKit", ["LinuxIO", "ScanModel"], plain),
    room("WedgeReader", ["CXKB", "LinuxIO", "ReaderKit", "Reading", "ScanModel"], plain),
    room("SerialReader", ["LinuxIO", "ReaderKit", "Reading", "ScanModel"], plain),
    room("SignalOutputs", ["CLinux", "LinuxIO", "ScanModel", "Signalling"]),

    // Pictures: pixels in, symbols out.
    room("CodeVision", ["CZBar", "ScanModel"]),

    // What the protocols between our processes have in common.
    room("WireCoding", ["ScanModel"]),

    // Pictures are read in a process of their own, behind a fence: no Foundation, no NIO, no network code in it. The gateway's
    // half links neither zbar nor what reads JPEG and PNG.
    room("DecodeProtocol", ["ScanModel", "WireCoding"]),
    room(
      "DecodeWorker",
      [
        "CLinux", "CPNG", "CSeccomp", "CTurboJPEG", "CV4LConvert", "CodeVision", "DecodeProtocol", "ScanModel",
        "WireCoding",
      ]),
    room("DecodeClient", ["CLinux", "DecodeProtocol", "LinuxIO", "ScanModel", "WireCoding"]),
    .executableTarget(
      name: "scangate-decode", dependencies: ["DecodeWorker"], path: "Sources/Vision/scangate-decode",
      swiftSettings: fast, linkerSettings: stationLink),
    room("CameraReader", ["DecodeClient", "DecodeProtocol", "LinuxIO", "ReaderKit", "Reading", "ScanModel"]),

    // The outputs in a process of their own: no Foundation, no NIO in any of these.
    room("HolderProtocol", ["ScanModel", "Signalling", "WireCoding"]),
    room("OutputHolder", ["HolderProtocol", "LinuxIO", "ScanModel", "SignalOutputs", "WireCoding"]),
    room("HolderClient", ["HolderProtocol", "LinuxIO", "ScanModel", "WireCoding"], plain),
    .executableTarget(
      name: "scangate-outputs",
      dependencies: ["CLinux", "HolderProtocol", "LinuxIO", "OutputHolder", "ScanModel", "SignalOutputs"],
      path: "Sources/Outputs/scangate-outputs", swiftSettings: fast,
      linkerSettings: stationLink),

    // What outlives the process.
    room("LibCrypto", ["COpenSSL", "CSodium"], plain),
    room("Sealing", ["LibCrypto", "LinuxIO", "ScanModel"], plain),
    room("SQLiteFile", ["CSQLite"], plain),
    room("Journal", ["CLinux", "CSQLite", "LinuxIO", "SQLiteFile", "ScanModel", "Sealing"]),
    room("TicketLists", ["LinuxIO", "Reading", "SQLiteFile", "ScanModel", "Sealing", "WireCoding"]),

    // What strangers write, read and written by hand: JSON, times, percent-encoding. No network in it.
    room("WireText", ["ScanModel"], plain),

    // Codes that somebody has signed: keys, their files and lists, and the text that a QR code holds.
    room("CodeSigning", ["LibCrypto", "LinuxIO", "ScanModel", "WireText"], plain),

    // Several stations, one book.
    room("FleetBook", ["LibCrypto", "ScanModel", "WireCoding"]),
    room("FleetKeeping", ["FleetBook", "LinuxIO", "ScanModel", "WireCoding"], small),
    room(
      "FleetLists", ["FleetBook", "LibCrypto", "LinuxIO", "ScanModel", "Sealing", "TicketLists", "WireCoding"], small),
    room(
      "JetStreamClaims",
      ["CNATS", "CodeSigning", "FleetBook", "LibCrypto", "LinuxIO", "ScanModel", "WireText"], small),
    room(
      "FleetSetUp",
      ["CodeSigning", "FleetBook", "JetStreamClaims", "LibCrypto", "LinuxIO", "ScanModel", "WireCoding", "WireText"],
      small),

    // Ticket systems.
    room(
      "TicketTransport",
      ["Calls", "ScanModel", "WireText", nioCompression, nioCore, nioHTTP1, nioPosix, nioSSL, nioTLS], small),
    room("TicketSystemKit", ["Calls", "LinuxIO", "Reading", "ScanModel", "TicketTransport", "WireText"], small),
    room(
      "EventSchedule",
      [
        "Calls", "DecodeClient", "DecodeProtocol", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit",
        "TicketTransport", "WireCoding", "WireText", argumentParser,
      ], small),

    room(
      "Subscriptions",
      [
        "Calls", "CodeSigning", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText",
        argumentParser,
      ], small),

    room(
      "Bookings",
      [
        "Calls", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText", argumentParser,
      ], small),

    room(
      "SignedTickets",
      [
        "Calls", "CodeSigning", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText",
        argumentParser,
      ], small),

    // Setting a station up by a scan: what codes say, whom they may name, and the services that give something for them.
    room("SetUpCodes", ["CodeSigning", "ScanModel", "WireText"], plain),
    room("Enrolment", ["Calls", "ScanModel", "SetUpCodes", "TicketTransport", "WireText"], small),
    room("KioskControl", ["ScanModel", "TicketTransport", "WireText"], small),

    // What whoever looks at a running station and the station say to each other, and the looker's half of it. No Foundation, no NIO.
    room("StationProtocol", ["LinuxIO", "ScanModel", "WireCoding"], small),

    // How a station is, judged, and written for programs.
    room("StationReport", ["ScanModel", "StationProtocol", "WireText"], small),

    // The whole.
    room(
      "ScanConfiguration",
      [
        "FleetBook", "LibCrypto", "Reading", "ScanModel", "StationProtocol", "TicketSystemKit", "TicketTransport", yams,
      ], small),
    room(
      "StationSetUp",
      [
        "Calls", "Enrolment", "KioskControl", "LinuxIO", "Reading", "ScanConfiguration", "ScanModel", "Sealing",
        "SetUpCodes", "TicketSystemKit", "TicketTransport",
      ], small),
    room(
      "Gateway",
      [
        "Admission", "Calls", "CameraReader", "DecodeClient", "FleetBook", "FleetKeeping", "HolderClient",
        "HolderProtocol", "LinuxIO", "Reading",
        "ScanConfiguration", "ScanModel", "Sealing", "SerialReader", "SetUpCodes", "SignalOutputs", "Signalling",
        "StationProtocol", "StationSetUp", "TicketSystemKit", "WedgeReader", "WireText",
      ], small),
    // The socket that everybody else sees the station through.
    room(
      "StationSocket", ["Gateway", "LinuxIO", "ScanConfiguration", "ScanModel", "StationProtocol", "WireCoding"], small),
    room(
      "Service",
      [
        "FleetBook", "FleetKeeping", "FleetLists", "Gateway", "JetStreamClaims", "Journal", "LibCrypto", "LinuxIO",
        "ScanConfiguration", "ScanModel", "Sealing", "StationProtocol", "StationSetUp",
        "StationSocket",
        "TicketLists",
        "TicketSystemKit", "TicketTransport", logging, serviceLifecycle, unixSignals,
      ], small),
    room(
      "Doctor",
      [
        "CLinux", "CameraReader", "Gateway", "Journal", "KnownScanners", "LinuxIO", "Reading", "ScanConfiguration",
        "ScanModel", "Sealing", "SerialReader", "Service", "SignalOutputs", "StationProtocol", "StationReport",
        "StationSetUp",
        "TicketLists",
        "TicketSystemKit", "TicketTransport", "WedgeReader", "WireText",
      ], small),
    // The first run of a station: questions, answers and effects. Pure.
    .target(
      name: "FirstRun",
      dependencies: ["CCarried", "KnownScanners", "ScanModel", "TicketSystemKit", "WireText"],
      path: "Sources/Station/FirstRun", exclude: ["texts.json"], swiftSettings: small),
    // Reports: from the journal to tables and pages, made by a process of its own that has no key and no network.
    room("Reports", ["LinuxIO", "ScanModel", "WireText"], small),
    room("ReportPages", ["CPangoCairo", "Reports", "ScanModel"], small),
    room("ReportProtocol", ["ScanModel", "WireCoding"], small),
    room(
      "ReportWorker",
      ["CLinux", "Journal", "LinuxIO", "ReportPages", "ReportProtocol", "Reports", "ScanModel", "WireCoding"], small),
    room("ReportClient", ["LinuxIO", "ReportProtocol", "ScanModel", "WireCoding"], small),
    .executableTarget(
      name: "scangate-report", dependencies: ["LinuxIO", "ReportProtocol", "ReportWorker"],
      path: "Sources/Reports/scangate-report", swiftSettings: small, linkerSettings: stationLink),
    // The station as machines see it: processes of their own behind the station's socket.
    room(
      "Alerts",
      ["LinuxIO", "ScanConfiguration", "ScanModel", "StationProtocol", "TicketTransport", "WireText"], small),
    .target(
      name: "Console",
      dependencies: [
        "Alerts", "CCarried", "CodeSigning", "LibCrypto", "LinuxIO", "Reading", "ReportClient", "ReportProtocol",
        "ScanConfiguration", "ScanModel",
        "StationProtocol",
        "StationReport", "TicketSystemKit", "TicketTransport", "WireText", httpTypes, hummingbird, hummingbirdCore,
        logging, mustache, nioCore,
        nioHTTP1, nioPosix, nioSSL, nioTLS,
        serviceLifecycle,
      ], path: "Sources/Faces/Console",
      exclude: ["openapi.json", "Pages/Static", "Pages/Templates", "Pages/texts.json"],
      swiftSettings: small),
    // The first run as a page: a process of its own, which has one socket and no rights.
    room(
      "FirstRunPage",
      [
        "CLinux", "FirstRun", "LinuxIO", "ScanModel", "WireText", httpTypes, hummingbird, logging,
        nioCore, serviceLifecycle,
      ], small),
    // The station as a broker sees it: a process of its own on the station's socket. No NIO, no Foundation in it.
    room(
      "MQTTBridge",
      ["CMosquitto", "LibCrypto", "LinuxIO", "ScanModel", "StationProtocol", "WireText", logging], small),
    room(
      "VenueServer",
      [
        "CSQLite", "LibCrypto", "SQLiteFile", httpTypes, hummingbird, hummingbirdCore, hummingbirdTLS,
        logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
      ], small),
    .executableTarget(
      name: "scangate",
      dependencies: [
        "Bookings", "CBuild", "CQREncode", "CameraReader", "CodeSigning", "Console", "DecodeClient", "DecodeProtocol",
        "Doctor",
        "EventSchedule", "FirstRun", "FirstRunPage",
        "FleetBook", "FleetSetUp", "Gateway", "JetStreamClaims", "Journal",
        "KnownScanners", "LibCrypto", "LinuxIO", "MQTTBridge", "Reading", "ReportClient", "ReportProtocol",
        "Reports",
        "SQLiteFile", "ScanConfiguration",
        "ScanModel", "Sealing", "SerialReader", "Service",
        "SetUpCodes", "SignalOutputs", "SignedTickets", "StationProtocol", "StationReport", "StationSetUp",
        "StationSocket", "Subscriptions", "TicketLists",
        "TicketSystemKit", "VenueServer", "WedgeReader", "WireText", argumentParser, logging, serviceLifecycle,
        unixSignals,
      ],
      swiftSettings: small, linkerSettings: stationLink),

    // What tests share, and the tests. What is measured is optimised as the product is.
    .target(
      name: "ScanTesting", dependencies: ["LinuxIO", "ScanModel"], path: "Tests/Shared/ScanTesting",
      swiftSettings: quick),
    .target(name: "Expectations", path: "Tests/Shared/Expectations", swiftSettings: quick),
    // Hundreds of thousands of worlds are looked at.
    .target(
      name: "FleetTesting", dependencies: ["FleetBook", "LinuxIO", "ScanModel", "ScanTesting"],
      path: "Tests/Fleet/FleetTesting",
      swiftSettings: fast),
    .target(name: "CMockDevices", path: "Tests/Readers/CMockDevices"),
    .executableTarget(
      name: "wedge-mock", dependencies: ["CMockDevices", "LinuxIO", "Reading", "ScanModel", "WedgeReader"],
      path: "Tests/Readers/WedgeMock", swiftSettings: quick),
    .executableTarget(
      name: "serial-mock", dependencies: ["CMockDevices", "LinuxIO", "Reading", "ScanModel", "SerialReader"],
      path: "Tests/Readers/SerialMock", swiftSettings: quick),
    .executableTarget(
      name: "holder-bench",
      dependencies: ["HolderClient", "HolderProtocol", "LinuxIO", "OutputHolder", "ScanModel", "SignalOutputs"],
      path: "Tests/Outputs/HolderBench", swiftSettings: fast),
    .executableTarget(
      name: "decode-bench",
      dependencies: ["CodeVision", "DecodeClient", "DecodeProtocol", "DecodeWorker", "ScanModel"],
      path: "Tests/Vision/DecodeBench", swiftSettings: fast),
    .executableTarget(
      name: "claim-bench",
      dependencies: ["FleetBook", "FleetSetUp", "JetStreamClaims", "LibCrypto", "LinuxIO", "ScanModel"],
      path: "Tests/Fleet/ClaimBench", swiftSettings: plain),
    .executableTarget(
      name: "decide-bench",
      dependencies: [
        "Bookings", "CodeSigning", "EventSchedule", "LinuxIO", "ScanConfiguration", "ScanModel", "ScriptedHTTP",
        "Sealing", "Subscriptions", "TicketLists", "TicketSystemKit",
      ], path: "Tests/TicketSystems/DecideBench", swiftSettings: plain),
    .target(
      name: "CameraTesting", dependencies: ["LinuxIO", "ScanModel"], path: "Tests/Readers/CameraTesting",
      swiftSettings: fast),
    .executableTarget(
      name: "camera-replay",
      dependencies: [
        "CameraReader", "CameraTesting", "DecodeClient", "DecodeProtocol", "LinuxIO", "Reading", "ScanModel",
      ],
      path: "Tests/Readers/CameraReplay", swiftSettings: plain),
    .executableTarget(
      name: "journal-child", dependencies: ["Journal", "LinuxIO", "ScanModel", "Sealing"],
      path: "Tests/Storage/JournalChild",
      swiftSettings: plain),
    .target(name: "CPowerCut", path: "Tests/Storage/CPowerCut", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "PowerCut", dependencies: ["CPowerCut", "ScanTesting"], path: "Tests/Storage/PowerCut",
      exclude: ["README.md"],
      swiftSettings: fast),
    .testTarget(
      name: "ExpectationsTests", dependencies: ["Expectations"], path: "Tests/Shared/ExpectationsTests",
      swiftSettings: quick),
    tests(of: "PowerCut", on: "Storage", ["CSQLite", "ScanTesting"]),
    tests(of: "LinuxIO", ["CLinux", "ScanModel", "ScanTesting"]),
    .testTarget(
      name: "CodeVisionTests",
      dependencies: ["CodeVision", "Expectations", "Reading", "ScanModel", "ScanTesting", "decode-bench"],
      path: "Tests/Vision/CodeVisionTests",
      exclude: ["pictures"], swiftSettings: quick),
    tests(of: "KnownScanners", ["EventSchedule", "ScanConfiguration", "ScanModel", "TicketSystemKit"]),
    tests(of: "ScanModel", ["ScanTesting"]),
    tests(of: "Reading", ["ScanModel", "ScanTesting"]),
    tests(of: "Calls", ["ScanModel", "ScanTesting"]),
    tests(of: "Admission", ["ScanModel", "ScanTesting"]),
    tests(of: "Signalling", ["ScanModel", "ScanTesting"]),
    tests(of: "ReaderKit", ["LinuxIO", "ScanModel"]),
    tests(of: "WedgeReader", ["CLinux", "LinuxIO", "Reading", "ScanModel", "wedge-mock"]),
    tests(
      of: "CameraReader",
      ["CameraTesting", "DecodeClient", "LinuxIO", "Reading", "ScanModel", "ScanTesting", "scangate-decode"]),
    tests(of: "SerialReader", ["CMockDevices", "LinuxIO", "Reading", "ScanModel", "serial-mock"]),
    tests(of: "SignalOutputs", ["CLinux", "LinuxIO", "ScanModel", "ScanTesting"]),
    tests(of: "HolderProtocol", ["ScanModel", "ScanTesting", "SignalOutputs", "Signalling", "WireCoding"]),
    .executableTarget(
      name: "decode-mock", dependencies: ["CLinux", "DecodeProtocol", "DecodeWorker", "ScanModel"],
      path: "Tests/Vision/DecodeMock", swiftSettings: quick),
    tests(of: "DecodeProtocol", ["ScanModel", "ScanTesting", "WireCoding"]),
    tests(of: "DecodeWorker", ["CTurboJPEG", "CodeVision", "DecodeProtocol", "ScanModel", "ScanTesting"]),
    tests(
      of: "DecodeClient", ["DecodeProtocol", "LinuxIO", "ScanModel", "ScanTesting", "decode-mock", "scangate-decode"]),
    tests(
      of: "OutputHolder",
      [
        "CLinux", "HolderClient", "HolderProtocol", "LinuxIO", "ScanModel", "ScanTesting", "SignalOutputs",
        "Signalling", "holder-bench", "scangate-outputs",
      ]),
    tests(of: "LibCrypto", ["ScanTesting"]),
    tests(of: "Sealing"),
    tests(of: "FleetBook", ["FleetTesting", "LibCrypto", "ScanModel", "ScanTesting", "WireCoding"]),
    tests(
      of: "FleetKeeping", ["FleetBook", "FleetTesting", "LibCrypto", "ScanModel", "ScanTesting", "WireCoding"]),
    tests(
      of: "FleetLists",
      ["FleetBook", "LibCrypto", "LinuxIO", "ScanModel", "ScanTesting", "Sealing", "TicketLists", "WireCoding"]),
    tests(
      of: "JetStreamClaims",
      [
        "CNATS", "FleetBook", "FleetLists", "FleetTesting", "LibCrypto", "LinuxIO", "ScanModel", "ScanTesting",
        "Sealing", "TicketLists", "WireText",
      ]),
    tests(
      of: "FleetSetUp",
      [
        "CodeSigning", "FleetBook", "FleetTesting", "JetStreamClaims", "LibCrypto", "LinuxIO", "ScanModel",
        "ScanTesting",
      ]),
    tests(
      of: "Journal",
      [
        "CLinux", "CSQLite", "LinuxIO", "PowerCut", "SQLiteFile", "ScanModel", "ScanTesting", "Sealing",
        "journal-child",
      ]),
    .testTarget(
      name: "TicketListsTests",
      dependencies: [
        "Expectations", "LinuxIO", "SQLiteFile", "ScanModel", "ScanTesting", "Sealing", "TicketLists", "WireCoding",
      ],
      path: "Tests/Storage/TicketListsTests",
      exclude: ["exports"], swiftSettings: quick),
    tests(of: "WireText", ["ScanModel", "ScanTesting"]),
    tests(of: "TicketTransport", ["Calls", "ScanModel", "ScanTesting", "ScriptedHTTP", nioCore]),
    .target(
      name: "ScriptedHTTP", dependencies: [nioCore, nioPosix, nioSSL], path: "Tests/Web/ScriptedHTTP",
      swiftSettings: quick),
    tests(
      of: "EventSchedule",
      [
        "Calls", "LinuxIO", "ScanModel", "ScanTesting", "ScriptedHTTP", "TicketSystemKit", "TicketTransport",
        "WireText",
        nioCore, nioPosix, nioSSL,
      ]),
    tests(
      of: "Subscriptions",
      [
        "Admission", "Calls", "CodeSigning", "Gateway", "LibCrypto", "LinuxIO", "Reading", "ScanConfiguration",
        "ScanModel", "ScanTesting", "ScriptedHTTP", "Sealing", "TicketLists", "TicketSystemKit", "TicketTransport",
        "VenueServer", "WireText",
      ]),
    tests(
      of: "Bookings",
      [
        "Admission", "Calls", "Gateway", "Journal", "LinuxIO", "Reading", "ScanConfiguration", "ScanModel",
        "ScanTesting", "ScriptedHTTP", "Sealing", "TicketLists", "TicketSystemKit", "TicketTransport", "VenueServer",
        "WireText",
      ]),
    tests(
      of: "SignedTickets",
      [
        "Admission", "Calls", "CodeSigning", "Gateway", "LibCrypto", "LinuxIO", "Reading", "ScanConfiguration",
        "ScanModel", "ScanTesting", "ScriptedHTTP", "Sealing", "TicketLists", "TicketSystemKit", "TicketTransport",
        "VenueServer", "WireText",
      ]),
    // A toy, for what another ticket system costs.
    .testTarget(
      name: "CodeFileTests",
      dependencies: [
        "Admission", "EventSchedule", "Expectations", "Gateway", "LinuxIO", "ScanConfiguration", "ScanModel",
        "ScanTesting", "Sealing", "StationSetUp", "TicketLists", "TicketSystemKit",
      ], path: "Tests/TicketSystems/CodeFileTests", swiftSettings: quick),
    tests(of: "CodeSigning", ["LibCrypto", "ScanTesting", "WireText"]),
    tests(of: "SetUpCodes", ["CodeSigning", "LibCrypto", "ScanModel", "ScanTesting"]),
    tests(
      of: "Enrolment",
      ["Calls", "ScanModel", "ScriptedHTTP", "SetUpCodes", "TicketTransport"]),
    tests(
      of: "KioskControl",
      ["ScanModel", "ScanTesting", "ScriptedHTTP", "TicketTransport", "WireText"]),
    .testTarget(
      name: "ScanConfigurationTests",
      dependencies: [
        "Bookings", "Calls", "EventSchedule", "Expectations", "FleetBook", "FleetSetUp", "LibCrypto", "Reading",
        "ScanConfiguration", "ScanModel",
        "ScanTesting", "SignedTickets", "StationProtocol", "Subscriptions", "TicketSystemKit", "TicketTransport",
      ],
      path: "Tests/Station/ScanConfigurationTests",
      exclude: ["bad"],
      swiftSettings: quick),
    .target(
      name: "ControlTesting", dependencies: ["ScanModel"], path: "Tests/SetUp/ControlTesting", swiftSettings: quick),
    .executableTarget(
      name: "control-child", dependencies: ["ControlTesting", "Gateway", "ScanModel", "Sealing", "StationSetUp"],
      path: "Tests/SetUp/ControlChild", swiftSettings: quick),
    tests(
      of: "Gateway",
      [
        "Admission", "Calls", "Enrolment", "EventSchedule", "FleetBook", "FleetKeeping", "FleetTesting", "KioskControl",
        "LibCrypto", "LinuxIO", "Reading", "ScanConfiguration",
        "ScanModel", "ScanTesting", "ScriptedHTTP", "Sealing", "StationProtocol", "StationSetUp", "TicketSystemKit",
      ]),
    tests(of: "StationProtocol", ["ScanModel", "ScanTesting", "WireCoding"]),
    // A service as a test wants it, on a real socket.
    .target(
      name: "StationTesting", dependencies: ["LinuxIO", "ScanModel", "StationProtocol"],
      path: "Tests/Station/StationTesting", swiftSettings: quick),
    tests(of: "StationReport", ["ScanModel", "StationProtocol", "StationTesting"]),
    tests(
      of: "MQTTBridge",
      [
        "Gateway", "LinuxIO", "ScanModel", "ScanTesting", "ScriptedHTTP", "StationProtocol", "StationSocket",
        "WireText",
        logging,
      ]),
    tests(
      of: "StationSocket",
      [
        "EventSchedule", "Gateway", "LinuxIO", "ScanConfiguration", "ScanModel", "ScanTesting", "StationProtocol",
        "TicketSystemKit", "WireCoding",
      ]),
    tests(
      of: "Doctor",
      [
        "EventSchedule", "FleetBook", "Gateway", "JetStreamClaims", "Journal", "LibCrypto", "LinuxIO",
        "ScanConfiguration", "ScanModel", "ScanTesting", "ScriptedHTTP", "Sealing", "Service", "SignalOutputs",
        "StationProtocol", "StationReport", "StationSetUp",
        "StationTesting", "TicketLists", "TicketSystemKit",
        "TicketTransport",
      ]),
    tests(
      of: "FirstRun",
      ["EventSchedule", "ScanConfiguration", "ScanModel", "ScanTesting", "TicketSystemKit"]),
    tests(of: "FirstRunPage", ["FirstRun", "ScanModel", "ScanTesting"]),
    // A room of their own beside the gates': what they keep busy must not make a gate's scan too old.
    tests(
      of: "StationSetUp",
      ["ControlTesting", "Gateway", "LinuxIO", "ScanModel", "ScanTesting", "Sealing", "control-child"]),
    tests(
      of: "scangate",
      [
        "Admission", "Bookings", "CMockDevices", "DecodeClient", "Doctor", "EventSchedule", "Gateway", "Journal",
        "LinuxIO", "ScanConfiguration", "ScanModel", "ScanTesting", "ScriptedHTTP", "Sealing", "SetUpCodes",
        "SignedTickets", "StationProtocol",
        "StationReport", "StationTesting", "Subscriptions", "TicketLists", "TicketSystemKit", "TicketTransport",
        "VenueServer", "scangate-decode",
        "scangate-outputs", argumentParser,
      ]),
    tests(of: "Reports", ["LinuxIO", "ScanModel", "ScanTesting"]),
    tests(of: "ReportPages", ["LinuxIO", "Reports", "ScanModel", "ScanTesting"]),
    tests(of: "ReportProtocol", ["ScanModel", "ScanTesting", "WireCoding"]),
    tests(
      of: "ReportWorker",
      [
        "Journal", "LinuxIO", "ReportClient", "ReportProtocol", "Reports", "ScanModel", "ScanTesting", "Sealing",
        "WireCoding",
      ]),
    tests(
      of: "Alerts",
      [
        "LinuxIO", "ScanConfiguration", "ScanModel", "ScanTesting", "ScriptedHTTP", "StationProtocol", "StationTesting",
        "TicketTransport",
      ]),
    tests(
      of: "Console",
      [
        "Alerts", "LibCrypto", "LinuxIO", "ScanConfiguration", "ScanModel", "ScanTesting", "ScriptedHTTP",
        "StationProtocol",
        "StationReport", "StationTesting", "TicketSystemKit", "TicketTransport", "WireText", httpTypes, logging,
        nioCore, nioHTTP1, nioPosix, nioSSL,
        nioTLS, serviceLifecycle,
      ]),
    tests(
      of: "VenueServer",
      [
        "CSQLite", "SQLiteFile", "ScriptedHTTP", logging, nioCore, nioHTTP1, nioPosix, nioSSL,
        serviceLifecycle,
      ]),
    // The fuzzers' inputs, read without the engine.
    .testTarget(
      name: "FuzzCorpusTests",
      dependencies: [
        "Bookings", "CodeSigning", "CodeVision", "Console", "DecodeProtocol", "DecodeWorker", "EventSchedule",
        "Expectations", "HolderProtocol", "KioskControl", "LibCrypto", "LinuxIO", "Reading", "ReportProtocol",
        "ScanConfiguration",
        "ScanModel",
        "SetUpCodes", "SignalOutputs", "SignedTickets", "StationProtocol", "Subscriptions", "TicketSystemKit",
        "TicketTransport",
        "WedgeReader", "WireText",
      ],
      path: "Fuzz",
      exclude: [
        "LibCrypto", "Fuzzers/Engine.swift", "LibFuzzer", "Package.swift", "README.md", "Rooms", "corpus", "run",
      ],
      swiftSettings: quick),
  ],
  swiftLanguageModes: [.v6]
)

// `make room ROOM=Journal`: the tests of other rooms are not there to be compiled; `scripts/test-arm64` names several, `Journal,Reading`;
// `scripts/programs`: no test is.
if let named = Context.environment["SCANGATE_ROOM"] {
  let rooms = named.split(separator: ",").map(String.init)
  let tests = Set(rooms.map { $0 + "Tests" })
  package.targets.removeAll { $0.type == .test && !tests.contains($0.name) }
  // What is worked on is compiled over and over.
  for target in package.targets where [target.name] == rooms { target.swiftSettings = quick }
}
