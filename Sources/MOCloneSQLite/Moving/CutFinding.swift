import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Decides what becomes of linked objects that the other store does not have.
struct CutFinding {
  private let cut: CopyCut
  private let layout: CopyLayout
  private let statements: StatementRunner
  private let reach: CutReach

  init(_ cut: CopyCut, _ layout: CopyLayout, _ statements: StatementRunner) {
    self.cut = cut
    self.layout = layout
    self.statements = statements
    reach = CutReach(layout, cut)
  }

  /// - Throws: `CloneError` (`missing-linked`) with all that are missing, where that is refused.
  func perform() throws {
    if cut.missing == .create { try statements.execute(reach.need) }
    if cut.missing == .fail {
      let failures = try layout.tables.flatMap(missing)
      if !failures.isEmpty { throw CloneError(failures) }
    }
    for table in layout.tables {
      if try statements.execute(reach.drop(table)) > 0, table.newKey == .parts {
        try statements.execute(reach.dropMoved(table))
      }
    }
  }

  private func missing(_ table: CopyTable) throws -> [CloneError.Failure] {
    try statements.objects(table, reach.missing(table)).map { object, _ in
      .missingLinked(object, layout.rules.identities[object.entity])
    }
  }
}
