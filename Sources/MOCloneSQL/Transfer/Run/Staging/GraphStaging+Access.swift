import MOCloneEngine
import MOCloneModel

extension RowAccess where Connection: TransferConnection {
  /// Has the objects of a graph of another kind at hand for a closure, as rows of temporary tables.
  ///
  /// - Parameter inPlace: whether rows that are written as they stand may be staged where they end up.
  /// - Throws: `RowsNotInPlace` where they cannot be after all.
  package func staging<Result>(
    _ source: StagedSource, in layout: TransferLayout, watch: RunWatch, rebuildsIndexes: Bool = false,
    inPlace: Bool = false, body: (Self, TransferRun) throws -> Result
  ) throws -> Result {
    try db.deferringForeignKeys {
      let staging = try source.staging(layout, in: db, watch: watch, inPlace: inPlace)
      let transfer = try TransferRun(
        staging.layout, in: db, watch: watch, staging: staging, rebuildsIndexes: rebuildsIndexes)
      let result = try body(self, transfer)
      try db.clearTables(layout.prefix)
      return result
    }
  }
}

/// Where staged objects come from.
package enum StagedSource {
  /// Objects, which are read by sets where their graph can, else one by one.
  case objects(GraphSelection)
  /// The rows of a store, which come in streams.
  case rows(SourceRows, CopyRules, CopiedSubtree?)

  /// Has a source at hand for a body: the rows of a store in one state of it, wherever they can be read in streams.
  ///
  /// - Parameter target: the graph that the objects come into.
  package static func open<Result>(
    _ source: any ObjectGraph, into target: any ObjectGraph, rules: CopyRules, subtree: CopiedSubtree?,
    body: (StagedSource) throws -> Result
  ) throws -> Result {
    if let store = source as? any StoreGraph, source !== target {
      do {
        let makesTables = rules.roots != nil || subtree != nil
        let entities = EntityReach(rules, of: subtree)?.entities
        let result = try store.withRows(of: entities, makesTables: makesTables) {
          try body(.rows($0, rules, subtree))
        }
        if let result { return result }
      } catch is RowsOneByOne {}
    }
    return try source.inOneState {
      try body(.objects(GraphSelection(rules, from: source, of: target.model, subtree: subtree)))
    }
  }

  /// The tables of a source whose database is of the store's kind, so that columns come along that the model does not name.
  package func layout(like store: StoreLayout) throws -> StoreLayout? {
    let own = try layout()
    return own?.dialect.hasTypes == store.dialect.hasTypes ? own : nil
  }

  /// The tables of a source that has some.
  package func layout() throws -> StoreLayout? {
    switch self {
    case .rows(let rows, _, _): rows.store
    case .objects(let selection): try (selection.source as? any StoreGraph)?.storeLayout()
    }
  }

  func staging(
    _ layout: TransferLayout, in db: any TransferConnection, watch: RunWatch, inPlace: Bool
  ) throws -> any RowStaging {
    switch self {
    case .objects(let selection): return GraphStaging(selection, in: layout, db: db, options: watch.options)
    case .rows(let rows, let rules, let subtree):
      let selection = try SourceSelection(
        rules, policy: layout.policy, subtree: subtree, rows: rows, watch: watch)
      guard let staging = StoreStaging(rows, selection: selection, in: layout, db: db, options: watch.options)
      else {
        throw RowsOneByOne()
      }
      return try inPlace ? staging.inPlace() : staging
    }
  }
}

/// Rows of one table that have to be read in several ways.
struct RowsOneByOne: Error {}
