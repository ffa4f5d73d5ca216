import Foundation

/// Checks on Linux that the library uses nothing newer than the Apple systems that Package.swift declares.
///
/// The toolchain for Linux has no SDK of Apple's to compile against, but its Swift modules carry the real availability
/// marks, and every debug build notes in its index which symbols a source file uses. It cannot check what only Apple's
/// SDKs have (Darwin's C functions and frameworks), nor whether the code compiles there.
///
/// Usage: `Availability BUILD-FOLDER SOURCES...`, where each of the sources is a folder of a module.
@main
enum Availability {
  /// As Package.swift declares them.
  private static let systems = ["macOS": 13, "iOS": 16, "tvOS": 16, "watchOS": 9, "visionOS": 1]
  private static let modules = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Dispatch", "FoundationEssentials",
    "Foundation",
  ]

  /// The `&*` of every integer type is old; the index names the newer requirement that it fulfils as well.
  private static let fulfilled = "s:s17FixedWidthIntegerP2amoiyxx_xtFZ"

  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let build = arguments.first, arguments.count > 1 else {
      fail("usage: Availability BUILD-FOLDER SOURCES...")
    }
    let graphs = try symbolGraphs()
    let marked = graphs.flatMap(\.symbols).compactMap(\.newer).filter { $0.usr != Array(fulfilled.utf8) }
    let newer = Dictionary(grouping: marked, by: \.start)
    let sources = try arguments.dropFirst().flatMap(Self.sources)
    let records = try records(below: build)
    var findings: [String] = []
    for source in sources {
      guard let record = records[source.lastPathComponent] else {
        fail("\(source.relativePath) has no record in the index; build first")
      }
      for symbol in try newer.used(in: record) {
        findings.append("\(source.relativePath): error: '\(symbol.name)' needs \(symbol.needs)")
      }
    }
    let known = newer.values.map(\.count).reduce(0, +)
    guard known > 0, !sources.isEmpty else { fail("the toolchain's modules have no availability marks") }
    print(findings.joined(separator: "\n"))
    print(
      "\(sources.count) files against \(known) symbols that are newer than \(named(systems)): \(findings.count) used"
    )
    if !findings.isEmpty { exit(1) }
  }

  static func named(_ systems: [String: Int]) -> String {
    systems.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(64)
  }

  // MARK: The marks

  private static func symbolGraphs() throws -> [SymbolGraph] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in modules {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "swift-symbolgraph-extract", "-module-name", module, "-target", target, "-output-dir", folder.path,
        "-skip-synthesized-members",
      ]
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus != 0 { fail("swift-symbolgraph-extract cannot read the module \(module)") }
    }
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
      try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0))
    }
  }

  private static var target: String {
    #if arch(arm64)
      "aarch64-unknown-linux-gnu"
    #else
      "x86_64-unknown-linux-gnu"
    #endif
  }

  // MARK: The index

  private static func sources(in folder: String) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
      .map { URL(fileURLWithPath: folder).appendingPathComponent($0) }
  }

  /// The newest record of each source file, by its name: a record is called `Locked.swift-` and a checksum.
  private static func records(below build: String) throws -> [String: URL] {
    let folder = URL(fileURLWithPath: build).appendingPathComponent("index/store/v5/records")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map(
      folder.appendingPathComponent)
    let dated = try files.filter { $0.lastPathComponent.contains(".swift-") }.map { file in
      (
        file,
        try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
          ?? .distantPast
      )
    }
    return Dictionary(
      dated.sorted { $0.1 < $1.1 }.map { file, _ in
        (String(file.lastPathComponent.prefix { $0 != "-" }), file)
      }, uniquingKeysWith: { $1 })
  }

  /// What a symbol needs that the package does not declare.
  struct NewerSymbol {
    var usr: [UInt8]
    var name: String
    var needs: String
    var start: [UInt8] { Array(usr.prefix(NewerSymbol.startLength)) }

    static let startLength = 12
  }

  struct SymbolGraph: Decodable {
    var symbols: [Symbol]

    struct Symbol: Decodable {
      var identifier: Identifier
      var pathComponents: [String]
      var availability: [Mark]?

      struct Identifier: Decodable {
        var precise: String
      }

      struct Mark: Decodable {
        var domain: String?
        var introduced: Version?

        struct Version: Decodable {
          var major: Int
          var minor: Int?
        }
      }

      var newer: NewerSymbol? {
        let marks = (availability ?? []).filter { mark in
          guard let declared = mark.domain.flatMap({ Availability.systems[$0] }),
            let introduced = mark.introduced
          else { return false }
          return introduced.major > declared || introduced.major == declared && introduced.minor ?? 0 > 0
        }
        let usr = Array(identifier.precise.utf8)
        guard !marks.isEmpty, usr.count > NewerSymbol.startLength else { return nil }
        let needs = marks.map { "\($0.domain!) \($0.introduced!.major).\($0.introduced!.minor ?? 0)" }
        return NewerSymbol(
          usr: usr, name: pathComponents.joined(separator: "."), needs: needs.sorted().joined(separator: ", ")
        )
      }
    }
  }
}

extension [[UInt8]: [Availability.NewerSymbol]] {
  /// The symbols whose identifiers stand in a record of the index, each once.
  func used(in record: URL) throws -> [Availability.NewerSymbol] {
    let bytes = [UInt8](try Data(contentsOf: record))
    let length = Availability.NewerSymbol.startLength
    var found: [[UInt8]: Availability.NewerSymbol] = [:]
    guard bytes.count > length else { return [] }
    for place in 0..<(bytes.count - length)
    where bytes[place] == UInt8(ascii: "s") && bytes[place + 1] == UInt8(ascii: ":") {
      for symbol in self[Array(bytes[place..<place + length])] ?? [] {
        if bytes[place...].starts(with: symbol.usr) { found[symbol.usr] = symbol }
      }
    }
    return found.values.sorted { $0.name < $1.name }
  }
}
