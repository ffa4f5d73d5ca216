import MOCloneModel
import MOCloneSQL

/// Makes the draft of a model from what a database has.
struct DatabaseImport {
  let db: any SQLConnection
  let listing: StoreListing
  let options: ModelSourceOptions

  func draft(name: String?) throws -> ModelDraft {
    let contents = try DatabaseContents(listing, in: db)
    let name = name ?? NameWords(listing.name).upperCamel
    var refusals = Refusals()
    var shape: DatabaseShape
    var draft: ModelDraft
    repeat {
      repeat {
        shape = try DatabaseShape(contents, in: db, refusals: refusals)
        draft = shortest(shape, name: name)
      } while refusals.add(errors(of: draft, contents), shape)
      let suggester = Suggester(db: db, shape: shape, draft: draft)
      draft.suggestions = try suggester.suggestions()
      draft.comments.merge(suggester.remarks(beside: draft.suggestions)) { $0 + $1 }
      draft.applyNeededSuggestions()
    } while refusals.addRefused(draft.refusals, shape: shape)
    draft.comments[.model] = heading(shape.contents)
    if options.infersRelationships {
      let mapping = SchemaMapping(draft.unvalidated)
      for reference in try Inference(db: db, shape: shape).references() {
        draft.propose(reference, shape: shape, mapping: mapping)
      }
    }
    draft.shape = SourceShape(contents.schema)
    draft.omissions = shape.contents.leftOut.map { Self.sentence($0.kind, names: $0.names) }
    return draft
  }

  private func errors(of draft: ModelDraft, _ contents: DatabaseContents) -> [Diagnostic] {
    let model = draft.unvalidated
    let findings = ModelValidator.validate(model).filter { $0.severity == .error }
    if !findings.isEmpty { return findings }
    return contents.findings(model).filter { $0.severity == .error }
  }

  // MARK: Naming

  /// The draft in the naming with which the fewest tables and columns have to be named.
  private func shortest(_ shape: DatabaseShape, name: String) -> ModelDraft {
    let drafts = [NamingConvention.snakeCase, .asWritten, .grdb].map { draft(shape, name: name, naming: $0) }
    return drafts.min { $0.namesToSay < $1.namesToSay }!
  }

  private func draft(_ shape: DatabaseShape, name: String, naming: NamingConvention) -> ModelDraft {
    let store = shape.storeOptions(naming)
    let assembly = ModelAssembly(shape, store: store)
    var draft = ModelDraft(name: name, store: store, entities: assembly.entities)
    draft.comments = assembly.comments
    draft.leaveOut(shape.refusals.uncloned, shape: shape)
    draft.shortenMapping()
    return draft
  }

  // MARK: What is left out

  private func heading(_ contents: DatabaseContents) -> [String] {
    contents.leftOut.isEmpty
      ? [] : ["Not in the model:"] + contents.leftOut.map { "- " + Self.list($0.kind, names: $0.names) }
  }

  private static func list(_ kind: String, names: [String]) -> String {
    "\(kind): \(names.map { "'\($0)'" }.joined(separator: ", "))"
  }

  private static func sentence(_ kind: String, names: [String]) -> String {
    "The model has no place for \(list(kind, names: names))."
  }
}

extension DatabaseShape {
  /// The notations and the key column that most columns and tables have.
  fileprivate func storeOptions(_ naming: NamingConvention) -> StoreOptions {
    let types = objectTables.flatMap { table in
      table.schema.columns.compactMap { table.type(of: $0.name) }
    }
    // A column without values may hold times.
    let dates = types.compactMap(\.dates).filter { $0 != .day }
    return StoreOptions(
      naming: naming, primaryKey: usualKey, dates: dates.mostFrequent,
      uuids: types.compactMap(\.uuids).mostFrequent)
  }

  private var usualKey: String {
    let single = objectTables.compactMap { keys[$0.id]?.columns }.filter { $0.count == 1 }.map { $0[0] }
    let columns = single.filter { $0 == KeyColumn($0.column) }.map(\.column)
    guard let usual = columns.mostFrequent else { return "id" }
    return columns.count(where: { $0 == usual }) * 3 > columns.count ? usual : "id"
  }
}

extension Sequence where Element: Hashable {
  /// The element that is there most often, of several the first one.
  fileprivate var mostFrequent: Element? {
    var counts: [Element: Int] = [:]
    var order: [Element] = []
    for element in self {
      if counts[element] == nil { order.append(element) }
      counts[element, default: 0] += 1
    }
    return order.max { (counts[$0]!, 0) < (counts[$1]!, 0) }
  }
}
