// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "Notes",
  dependencies: [.package(name: "moclone", path: "../..")],
  targets: [.executableTarget(name: "Notes")]
)
