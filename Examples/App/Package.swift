// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Tracker",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [
    .package(name: "moclone", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    .target(
      name: "Tracker",
      dependencies: [
        .product(name: "MOCloneSQLite", package: "moclone"), .product(name: "GRDB", package: "GRDB.swift"),
      ],
      plugins: [.plugin(name: "MOCloneModel", package: "moclone")]),
    .executableTarget(name: "tracker", dependencies: ["Tracker"], path: "Sources/TrackerCommand"),
    .testTarget(name: "TrackerTests", dependencies: ["Tracker"]),
  ],
  swiftLanguageModes: [.v6]
)
