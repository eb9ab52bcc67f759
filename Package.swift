// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "scangate",
  targets: [
    .target(name: "ScanModel", swiftSettings: strict),
    .target(name: "CLinux"),
    .target(name: "LinuxIO", dependencies: ["CLinux", "ScanModel"], swiftSettings: strict),
    .testTarget(name: "LinuxIOTests", dependencies: ["LinuxIO", "ScanModel"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
