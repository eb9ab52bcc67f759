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

/// A room of the product, without these files.
func room(_ name: String, _ dependencies: [Target.Dependency] = [], without excluded: [String] = []) -> Target {
  // Fuzzers look at internal parts, in an optimised build.
  .target(
    name: name, dependencies: dependencies, path: "Rooms/\(name)", exclude: excluded,
    swiftSettings: strict + [.unsafeFlags(["-enable-testing"])])
}

/// A fuzzer: one file without a `main`, which the fuzzing engine brings.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: ["Fuzzing"] + dependencies, path: "Fuzzers/\(name)",
    swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
  name: "fuzz",
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    room("ScanModel"),
    room("ScanPipeline", ["ScanModel"]),
    .target(name: "CLinux", path: "Rooms/CLinux"),
    .systemLibrary(name: "CEvdev", path: "Rooms/CEvdev", pkgConfig: "libevdev"),
    .systemLibrary(name: "CUdev", path: "Rooms/CUdev", pkgConfig: "libudev"),
    .systemLibrary(name: "CXKB", path: "Rooms/CXKB", pkgConfig: "xkbcommon"),
    room("LinuxIO", ["CEvdev", "CLinux", "CUdev", "ScanModel"]),
    room("WedgeReader", ["CXKB", "LinuxIO", "ScanModel", "ScanPipeline"]),
    room("SignalOutputs", ["CLinux", "LinuxIO", "ScanModel", "ScanPipeline"]),
    room("WireCoding", ["ScanModel"]),
    room("HolderProtocol", ["ScanModel", "ScanPipeline", "SignalOutputs", "WireCoding"]),
    .systemLibrary(name: "CPNG", path: "Rooms/CPNG", pkgConfig: "libpng"),
    .systemLibrary(name: "CSeccomp", path: "Rooms/CSeccomp", pkgConfig: "libseccomp"),
    .systemLibrary(name: "CTurboJPEG", path: "Rooms/CTurboJPEG", pkgConfig: "libturbojpeg"),
    .systemLibrary(name: "CV4LConvert", path: "Rooms/CV4LConvert", pkgConfig: "libv4lconvert"),
    .systemLibrary(name: "CZBar", path: "Rooms/CZBar", pkgConfig: "zbar"),
    room("CodeVision", ["CZBar", "ScanModel"]),
    room("DecodeProtocol", ["ScanModel", "WireCoding"]),
    room(
      "DecodeWorker",
      [
        "CLinux", "CPNG", "CSeccomp", "CTurboJPEG", "CV4LConvert", "CodeVision", "DecodeProtocol", "ScanModel",
        "WireCoding",
      ]),
    room("ScanConfiguration", ["ScanModel", .product(name: "Yams", package: "Yams")]),
    room("ForeignText", ["ScanModel"]),
    room("SetUpCodes", ["ForeignText", "ScanModel", .product(name: "Crypto", package: "swift-crypto")]),
    room(
      "TicketTransport", ["ForeignText", "ScanModel", "ScanPipeline"],
      without: [
        "AnswerOrder.swift", "CertificateProbe.swift", "Exchange.swift", "FaultWords.swift", "HTTPTransport.swift",
      ]),
    room(
      "EventSchedule", ["ForeignText", "ScanModel", "ScanPipeline", "TicketTransport"],
      without: ["EventScheduleClient.swift", "EventScheduleRoster.swift", "EventScheduleTicketSystem.swift"]),
    room(
      "KioskControl", ["ForeignText", "ScanModel", "ScanPipeline", "TicketTransport"],
      without: ["JoinedCalls.swift", "KioskClient.swift"]),

    .target(name: "Fuzzing", path: "Fuzzers/Fuzzing", swiftSettings: strict),
    fuzzer("FuzzWedge", ["ScanModel", "ScanPipeline", "WedgeReader"]),
    fuzzer("FuzzSerial", ["ScanModel", "ScanPipeline"]),
    fuzzer("FuzzCode", ["ScanModel", "ScanPipeline"]),
    fuzzer("FuzzDecode", ["DecodeProtocol", "ScanModel"]),
    fuzzer("FuzzPicture", ["CodeVision", "DecodeProtocol", "DecodeWorker", "ScanModel"]),
    fuzzer("FuzzHolder", ["HolderProtocol", "ScanPipeline", "SignalOutputs"]),
    fuzzer("FuzzConfiguration", ["ScanConfiguration", "ScanModel", "ScanPipeline"]),
    fuzzer("FuzzVision", ["CodeVision", "ScanModel"]),
    fuzzer("FuzzText", ["CodeVision"]),
    fuzzer("FuzzAnswer", ["EventSchedule", "ForeignText", "ScanModel", "TicketTransport"]),
    fuzzer("FuzzSetUp", ["ForeignText", "ScanModel", "SetUpCodes"]),
    fuzzer("FuzzKiosk", ["ForeignText", "KioskControl", "ScanModel", "TicketTransport"]),
  ],
  swiftLanguageModes: [.v6]
)
