// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that neither fuzzers nor instrumentation touch the product's build. `Rooms` is the folder of the
// product's rooms; those that speak HTTP come without their network half, which would bring minutes of packages along.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// What leads the engine: it sees the way that an input takes through these modules, and not through the packages of others.
/// Fuzzers look at internal parts.
let led: [SwiftSetting] = strict + [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])]

/// A room of the product, without these files.
///
/// A short run builds with `-Onone`, which leaves more time for inputs. A room that computes for long is optimised in spite of
/// it, by the one flag that counts after it.
func room(
  _ floor: String, _ name: String, _ dependencies: [Target.Dependency] = [], without excluded: [String] = [],
  isOptimised: Bool = false
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Rooms/\(floor)/\(name)", exclude: excluded,
    swiftSettings: led + (isOptimised ? [.unsafeFlags(["-Xfrontend", "-O"])] : []))
}

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/jpsim/Yams", from: "6.2.2")],
  targets: [
    room("Model", "ScanModel"),
    room("Rules", "Reading", ["ScanModel"]),
    room("Rules", "Calls", ["ScanModel"]),
    room("Rules", "Signalling", ["ScanModel"]),
    .target(name: "CLinux", path: "Rooms/Linux/CLinux"),
    .systemLibrary(name: "CEvdev", path: "Rooms/Linux/CEvdev", pkgConfig: "libevdev"),
    .systemLibrary(name: "CUdev", path: "Rooms/Linux/CUdev", pkgConfig: "libudev"),
    .systemLibrary(name: "CXKB", path: "Rooms/Linux/CXKB", pkgConfig: "xkbcommon"),
    room("Linux", "LinuxIO", ["CEvdev", "CLinux", "CUdev", "ScanModel"]),
    room("Readers", "ReaderKit", ["LinuxIO", "ScanModel"]),
    room("Readers", "WedgeReader", ["CXKB", "LinuxIO", "ReaderKit", "Reading", "ScanModel"]),
    room("Outputs", "SignalOutputs", ["CLinux", "LinuxIO", "ScanModel", "Signalling"]),
    room("Model", "WireCoding", ["ScanModel"]),
    room("Outputs", "HolderProtocol", ["ScanModel", "Signalling", "WireCoding"]),
    room("Station", "StationProtocol", ["LinuxIO", "ScanModel", "WireCoding"]),
    room("Reports", "ReportProtocol", ["ScanModel", "WireCoding"]),
    .systemLibrary(name: "CPNG", path: "Rooms/Linux/CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "CSeccomp", path: "Rooms/Linux/CSeccomp", pkgConfig: "libseccomp"),
    .systemLibrary(name: "CTurboJPEG", path: "Rooms/Linux/CTurboJPEG", pkgConfig: "libturbojpeg"),
    .systemLibrary(name: "CV4LConvert", path: "Rooms/Linux/CV4LConvert", pkgConfig: "libv4lconvert"),
    .systemLibrary(name: "CZBar", path: "Rooms/Linux/CZBar", pkgConfig: "zbar"),
    room("Vision", "CodeVision", ["CZBar", "ScanModel"], isOptimised: true),
    room("Vision", "DecodeProtocol", ["ScanModel", "WireCoding"]),
    room(
      "Vision", "DecodeWorker",
      [
        "CLinux", "CPNG", "CSeccomp", "CTurboJPEG", "CV4LConvert", "CodeVision", "DecodeProtocol", "ScanModel",
        "WireCoding",
      ]),
    room(
      "Station", "ScanConfiguration",
      [
        "FleetBook", "LibCrypto", "Reading", "ScanModel", "StationProtocol", "TicketSystemKit", "TicketTransport",
        .product(name: "Yams", package: "Yams"),
      ]),
    room("Fleet", "FleetBook", ["LibCrypto", "ScanModel", "WireCoding"], without: ["FleetKey.swift"]),
    room("Web", "WireText", ["ScanModel"]),
    .target(name: "LibCrypto", path: "LibCrypto", swiftSettings: strict),
    room("Web", "CodeSigning", ["LibCrypto", "LinuxIO", "ScanModel", "WireText"]),
    room("SetUp", "SetUpCodes", ["CodeSigning", "ScanModel", "WireText"]),
    room(
      "Web", "TicketTransport", ["Calls", "ScanModel", "WireText"],
      without: [
        "CertificateNames.swift", "CertificateProbe.swift", "Exchange.swift", "FaultWords.swift",
        "HTTPConnection.swift",
        "HTTPConnections.swift", "HTTPRequest.swift", "HTTPTransport.swift", "NameLookUp.swift",
      ]),
    room(
      "TicketSystems", "TicketSystemKit", ["LinuxIO", "Reading", "ScanModel", "TicketTransport", "WireText"],
      without: ["Desk/DeskCalls.swift", "Desk/TypedServer.swift"]),
    room(
      "TicketSystems", "EventSchedule",
      ["Calls", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireCoding", "WireText"],
      without: [
        "BrandingWatch.swift", "Commands", "Desk/DeskClient+Resources.swift", "Desk/DeskClient.swift",
        "EventDirectory+Knowledge.swift", "EventDirectory+Sharing.swift",
        "EventDirectory+Tonight.swift",
        "EventDirectory.swift", "EventRule+Standing.swift", "EventRule.swift",
        "EventScheduleClient+Events.swift", "EventScheduleClient.swift", "EventScheduleConnection.swift",
        "EventScheduleMirror.swift", "EventScheduleRoster.swift", "EventScheduleTicketSystem.swift",
        "InstanceClient.swift",
      ]),
    room(
      "TicketSystems", "Subscriptions",
      [
        "Calls", "CodeSigning", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText",
      ],
      without: [
        "Commands", "MembershipCheck.swift", "Office", "SubscriptionsClient+Reach.swift", "SubscriptionsClient.swift",
        "SubscriptionsRoster.swift", "SubscriptionsTicketSystem.swift", "SubscriptionsType.swift",
      ]),
    room(
      "TicketSystems", "Bookings",
      ["Calls", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText"],
      without: ["BookingsType.swift", "Commands", "Office"]),
    room(
      "TicketSystems", "SignedTickets",
      [
        "Calls", "CodeSigning", "LinuxIO", "Reading", "ScanModel", "TicketSystemKit", "TicketTransport", "WireText",
      ],
      without: [
        "SignedTicketsClient.swift", "SignedTicketsReach.swift", "SignedTicketsTicketSystem.swift",
        "SignedTicketsType.swift", "TicketKeys.swift",
      ]),
    // What of it reads what comes from outside; the rest is HTTP.
    .target(
      name: "Console", dependencies: ["ScanModel", "StationProtocol", "WireText"], path: "Rooms/Faces/Console",
      exclude: ["openapi.json", "Pages"], sources: ["EventID.swift", "OrderForm.swift"], swiftSettings: led),
    room(
      "SetUp", "KioskControl", ["ScanModel", "TicketTransport", "WireText"],
      without: ["JoinedCalls.swift", "KioskClient.swift"]),

    .target(name: "LibFuzzer", path: "LibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "Bookings", "CodeSigning", "CodeVision", "Console", "DecodeProtocol", "DecodeWorker", "EventSchedule",
        "WireText",
        "HolderProtocol", "KioskControl", "LibCrypto", "LibFuzzer", "LinuxIO", "Reading", "ReportProtocol",
        "ScanConfiguration",
        "ScanModel",
        "SetUpCodes", "SignalOutputs", "SignedTickets", "StationProtocol", "Subscriptions", "TicketSystemKit",
        "TicketTransport",
        "WedgeReader",
      ],
      path: "Fuzzers", swiftSettings: led,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
  ],
  swiftLanguageModes: [.v6]
)
