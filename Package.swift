// swift-tools-version: 6.1

import PackageDescription

// On Linux libpq is loaded when it is needed, and not linked.
#if os(Linux)
  let libpq: String? = nil
#else
  let libpq: String? = "libpq"
#endif

let package = Package(
  name: "moclone",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "MOCloneKit", targets: ["MOCloneKit"]),
    .library(name: "MOCloneSQLite", targets: ["MOCloneSQLite"]),
    .library(name: "MOClonePostgres", targets: ["MOClonePostgres"]),
    .library(name: "MOCloneYAML", targets: ["MOCloneYAML"]),
    .library(name: "MOCloneImport", targets: ["MOCloneImport"]),
    .library(name: "MOCloneModeling", targets: ["MOCloneModeling"]),
    .library(name: "MOClonePostgresModeling", targets: ["MOClonePostgresModeling"]),
    .library(name: "MOCloneSimulation", targets: ["MOCloneSimulation"]),
    .library(name: "MOCloneTesting", targets: ["MOCloneTesting"]),
    .executable(name: "moclone", targets: ["moclone"]),
    .plugin(name: "MOCloneModel", targets: ["MOCloneModelPlugin"]),
    .plugin(name: "MOCloneValidate", targets: ["MOCloneValidate"]),
  ],
  traits: [
    .trait(name: "PostgreSQL", description: "The command clones in PostgreSQL too; it needs libpq."),
    .default(enabledTraits: ["PostgreSQL"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CYAML",
      pkgConfig: "yaml-0.1",
      providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
    ),
    .target(name: "MOCloneModel"),
    .target(name: "MOCloneYAML", dependencies: ["MOCloneModel", "CYAML"]),
    .systemLibrary(
      name: "CLibXML",
      pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
    ),
    .target(name: "MOCloneEngine", dependencies: ["MOCloneModel"]),
    .target(
      name: "MOCloneImport",
      dependencies: [
        "MOCloneEngine", .target(name: "CLibXML", condition: .when(platforms: [.linux, .macOS])),
      ]
    ),
    .target(name: "MOCloneSQL", dependencies: ["MOCloneEngine"]),
    .target(
      name: "MOCloneSQLite",
      dependencies: [
        "MOCloneSQL",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]
    ),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: libpq, providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "CPostgreSQLLoader", dependencies: ["CPostgreSQL"]),
    .target(name: "MOClonePostgres", dependencies: ["MOCloneSQL", "CPostgreSQL", "CPostgreSQLLoader"]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "MOCloneModeling",
      dependencies: [
        "MOCloneYAML", "MOCloneSQLite", "MOCloneImport", "CZlib",
        .target(name: "CLibXML", condition: .when(platforms: [.linux, .macOS])),
      ]
    ),
    .target(name: "MOClonePostgresModeling", dependencies: ["MOClonePostgres", "MOCloneModeling"]),
    .target(name: "MOCloneSimulation", dependencies: ["MOCloneEngine"]),
    .target(name: "MOCloneTesting", dependencies: ["MOCloneEngine", "MOCloneSimulation"]),
    .target(
      name: "MOCloneKit",
      dependencies: [
        "MOCloneSQLite", "MOCloneImport",
        .target(name: "MOCloneYAML", condition: .when(platforms: [.linux, .macOS])),
        .target(name: "MOCloneModeling", condition: .when(platforms: [.linux, .macOS])),
      ]),
    .executableTarget(
      name: "moclone",
      dependencies: [
        "MOCloneKit", "MOCloneSimulation",
        .target(name: "MOClonePostgresModeling", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "MOCloneKit", "MOCloneImport", "MOCloneModel", "moclone",
        .target(name: "MOClonePostgres", condition: .when(traits: ["PostgreSQL"])),
        .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Benchmarks",
      exclude: [
        "dependents", "postgres", "postgres-subtree", "postgres-import", "postgres-notes", "postgres-server",
      ],
      linkerSettings: [.linkedLibrary("pq", .when(platforms: [.linux], traits: ["PostgreSQL"]))]
    ),
    .plugin(
      name: "MOCloneValidate",
      capability: .command(
        intent: .custom(verb: "moclone-validate", description: "Checks the models of moclone.")),
      path: "Sources/MOCloneValidatePlugin"
    ),
    .executableTarget(name: "ModelCompiler", dependencies: ["MOCloneYAML"]),
    .plugin(
      name: "MOCloneModelPlugin", capability: .buildTool(), dependencies: ["ModelCompiler"],
      path: "Sources/MOCloneModelPlugin"),
    .executableTarget(name: "InMemoryExample", dependencies: ["MOCloneKit"], path: "Examples/InMemory"),
    .executableTarget(name: "Availability", path: "Tests/Availability"),
    .target(name: "TestSupport", dependencies: ["MOClonePostgres"], path: "Tests/TestSupport"),
    .testTarget(
      name: "MOCloneKitTests",
      dependencies: ["MOCloneKit", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")]
    ),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "moclone", "InMemoryExample", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .testTarget(name: "MOCloneSQLiteTests", dependencies: ["MOCloneKit", "MOCloneTesting", "TestSupport"]),
    .testTarget(
      name: "MOClonePostgresTests",
      dependencies: [
        "MOClonePostgresModeling", "MOCloneYAML", "MOCloneKit", "MOCloneTesting", "TestSupport", "moclone",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"],
      linkerSettings: [.linkedLibrary("pq", .when(platforms: [.linux]))]
    ),
    .testTarget(
      name: "MOCloneImportTests",
      dependencies: [
        "MOCloneImport", "MOCloneKit", "MOCloneTesting", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .testTarget(
      name: "MOCloneModelingTests",
      dependencies: [
        "MOCloneKit", "MOCloneModeling", "MOCloneTesting", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .testTarget(
      name: "MOCloneEngineTests", dependencies: ["MOCloneEngine", "MOCloneYAML", "MOCloneTesting"]),
    .testTarget(
      name: "MOCloneSimulationTests", dependencies: ["MOCloneTesting", "MOCloneYAML"]),
    .testTarget(
      name: "DifferentialTests",
      dependencies: ["MOCloneKit", "MOClonePostgres", "MOCloneTesting", "TestSupport"]),
    .testTarget(name: "ModelCompilerTests", dependencies: ["ModelCompiler"]),
    .testTarget(
      name: "MOCloneModelTests",
      dependencies: ["MOCloneSimulation", "MOCloneYAML", "MOCloneTesting", "TestSupport"],
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)

// Tests/run optimizes what the tests call, because they are many; packages that depend on this one never see it.
if Context.environment["MOCLONE_OPTIMIZED"] != nil {
  for target in package.targets where [.regular, .executable].contains(target.type) {
    target.swiftSettings = [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}
