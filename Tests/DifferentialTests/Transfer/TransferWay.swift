import Foundation
import MOCloneKit
import MOClonePostgres
import TestSupport

/// What objects lie in.
enum TransferPlace: String, Codable {
  case memory, sqlite, postgres

  /// Makes an empty graph.
  var make: @Sendable (ObjectModel) throws -> any ObjectGraph {
    switch self {
    case .memory: { MemoryGraph(model: $0) }
    case .sqlite: { try SQLiteGraph.temporary($0) }
    case .postgres: { try TestStores.shared.make($0) }
    }
  }
}

/// Where objects come from, and what they come into.
enum TransferWay: String, CaseIterable, Codable {
  case memory, sqlite, postgres
  case memoryToSQLite, memoryToPostgres, sqliteToPostgres, postgresToSQLite

  /// Those from one kind of graph into the same.
  static let withinOneKind: [TransferWay] = [.memory, .sqlite, .postgres]

  var source: TransferPlace {
    switch self {
    case .memory, .memoryToSQLite, .memoryToPostgres: .memory
    case .sqlite, .sqliteToPostgres: .sqlite
    case .postgres, .postgresToSQLite: .postgres
    }
  }

  var target: TransferPlace {
    switch self {
    case .memory: .memory
    case .sqlite, .memoryToSQLite, .postgresToSQLite: .sqlite
    case .postgres, .memoryToPostgres, .sqliteToPostgres: .postgres
    }
  }

  /// What a column of a server that keeps milliseconds would round, and what is a foreign key in stores only.
  var unfit: TransferModel.Options {
    var unfit: TransferModel.Options = needsServer ? .longDates : []
    // A source that is filled object by object has the pictures of graphs in memory.
    if source == .memory || target == .memory || self == .sqliteToPostgres { unfit.insert(.stickers) }
    if self != .sqlite { unfit.insert(.firstLines) }
    return unfit
  }

  private var needsServer: Bool { source == .postgres || target == .postgres }

  /// Whether a seed goes this way: each goes one without a server, a few of them others too, whose parts are the same.
  private func takes(_ seed: UInt64) -> Bool {
    switch self {
    case .memory: seed % 2 == 1
    case .sqlite: seed % 2 == 0
    case .memoryToSQLite: seed % 5 == 0
    case .postgres: seed % 25 == 0
    case .memoryToPostgres, .sqliteToPostgres, .postgresToSQLite: seed % 50 == 7
    }
  }

  /// Those that can be gone here; `MOCLONE_WAY=postgres,sqliteToPostgres` gives these alone.
  static func available(_ ways: [TransferWay]) -> [TransferWay] {
    let chosen = ProcessInfo.processInfo.environment["MOCLONE_WAY"]?.split(separator: ",").map(String.init)
    return ways.filter {
      (!$0.needsServer || TestDatabase.isAvailable) && (chosen?.contains($0.rawValue) ?? true)
    }
  }

  /// The ways that a seed is gone.
  static func ways(of seed: UInt64, _ ways: [TransferWay] = allCases) -> [TransferWay] {
    available(ways).filter { Seeds.chosen != nil || !$0.needsServer || $0.takes(seed) }
  }

  /// Each way with its seeds.
  static func cases(_ seeds: [UInt64], _ ways: [TransferWay] = allCases) -> [(TransferWay, UInt64)] {
    let all = available(ways).flatMap { way in seeds.map { (way, $0) } }
    return Seeds.chosen == nil ? all.filter { $0.takes($1) } : all
  }
}
