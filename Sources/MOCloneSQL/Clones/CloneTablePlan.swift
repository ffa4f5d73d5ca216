import MOCloneEngine
import MOCloneModel

/// The objects of a plan that are in one table, and the temporary tables a run keeps of them.
///
/// `map` holds one row an object: `seq`, which counts from 1 in the order of the new keys, `o0...` the original's key,
/// and only what the plan reads later: `copy`, `gen`, `parent` (the parent's `seq`), `entity`, `n0...` the new key,
/// `a0...` attributes that others look up, with `k0...` saying how to read them, `f0...` and `h0...` values carried down.
///
/// A table plan that nobody looks up has no map: its rows are written straight from the map of their parents.
package struct CloneTablePlan: Sendable, Equatable {
  package var index: Int
  /// The root entity, whose table this is.
  package var name: String
  package var table: TableSchema
  package var dialect: Dialect
  package var keyColumns: [ColumnSchema]
  /// Where the new values of the key's parts come from, by entity: sub-entities may refer to different things in them.
  package var keySources: [String: [KeyPart.Source]]
  /// The columns of the key that the request gives for the root, in lower case.
  package var givenParts: Set<String>
  /// The concrete entities of the plan, in the model's order; their places here are the values of `entity`.
  package var entities: [String]
  package var discriminator: String?
  package let nodes: [PlanNode]
  /// The kinds of objects, roots first, and the nodes of each.
  let variants: [Variant]
  let nodesByVariant: [Variant: [PlanNode]]
  package let hasRoot: Bool
  /// The relationships that lead here, by qualified name.
  package var accessPaths: [RelationshipDescription]
  /// How the objects of the access paths are gathered.
  package var gathering: Gathering
  /// Where statements find the map.
  package var form = MapForm.table
  /// Whether the rows are written straight from the map of their parents.
  package var isDirect = false
  /// Whether the objects are a tree under the root: each was reached from its one parent, of the same table plan.
  package var isTree = false
  /// Whether the map has an index of the originals' keys: they are looked up, or could be entered twice.
  package var isUnique = false
  /// Whether the run makes several copies, so that an original has a row in the map for each.
  package var hasCopy = false
  /// Whether objects refer to each other over cloned relationships, so that generations are run one by one.
  package var isCyclic = false
  package var hasGeneration = false
  package var hasParent = false
  /// Whether the new key is `seq` plus the run's keyOffset.
  package var hasRowidKey: Bool
  package var stored: [StoredAttribute] = []
  /// Columns beside the key that other rows refer to, and that are references themselves: their new values are settled
  /// after the closure, as those of such parts of the key.
  package var settled: [String] = []
  /// By column in lower case: the references whose destinations wait for the column themselves.
  package var waiting: [String: Set<Int>] = [:]
  /// The slots whose values are carried through objects that lack the attribute.
  package var slots: [Int] = []
  /// The references to ordered lists whose positions are computed after the closure.
  package var ranks: [Int] = []

  package var hasEntity: Bool { discriminator != nil }
  /// Whether objects of the table plan can be the root or are below it.
  package var isMixed: Bool { hasRoot && !accessPaths.isEmpty }
  /// Whether a generation is collected and sorted before it is entered.
  package var isStaged: Bool { gathering == .staged || gathering == .paired }
  /// Whether pairs of object and access path are kept.
  package var isPaired: Bool { gathering == .paired }
}

/// Where the statements of a program find the objects of a table plan.
package enum MapForm: Sendable, Equatable {
  /// In a temporary table: a statement is for all objects.
  case table
  /// In its parameters: a statement is for one object.
  case row
}

/// How the objects of the access paths of a table plan are gathered.
package enum Gathering: Sendable, Equatable {
  /// One access path, over which no object can be reached twice.
  case single
  /// All access paths at once, of a cycle once a generation, duplicates dropped: nothing depends on the way.
  case merged
  /// Sorted by generation, so that the parent that counts comes first.
  case staged
  /// The same, and every access path is kept.
  case paired
}

/// An attribute whose new value is settled when the object is found, because others read it.
package struct StoredAttribute: Sendable, Equatable {
  package var name: String
  /// Whether a second column says how to read the value.
  package var hasKind: Bool
  /// The type of its column in the store.
  package var type: String

  /// The type of its column in the map: what is read later may be a value or an object's number.
  package var mapType: String { hasKind ? ValueRenderer.carriedType : type }
}

extension CloneTablePlan {
  package var map: String { "moclone_map_" + fingerprint }
  package var pairs: String { "moclone_pair_" + fingerprint }
  package var stage: String { "moclone_stage_" + fingerprint }

  /// A column of the map's row `alias`: of the temporary table, or a parameter.
  package func at(_ alias: String, _ column: String) -> String {
    form == .table ? "\(alias).\(column)" : dialect.parameter("row_\(alias)_\(column)")
  }

  /// The rows `row` of a table that belong to the map's rows `alias` by a condition, as a part of FROM.
  ///
  /// ```sql
  /// temp."moclone_map_x" m CROSS JOIN main."item" s ON s."id" = m.o0
  /// (SELECT * FROM main."item" s WHERE s."id" = :row_m_o0) s
  /// ```
  package func rows(_ row: String, of table: String, with alias: String, on condition: Condition) -> From {
    let rows = "\(dialect.table(table)) \(row)"
    return form == .table
      ? From("\(dialect.temporary(map)) \(alias)", joins: [.ordered(rows, on: condition)])
      : From("(\(Select(["*"], from: From(rows)).where(condition).text(dialect))) \(row)")
  }

  /// The original's key, where `alias` is the map; of a table plan without one the row itself.
  package func old(_ alias: String) -> [String] {
    isDirect ? key("s") : oldColumns.map { at(alias, $0) }
  }

  /// The parent's `seq`.
  package func parent(_ alias: String) -> String { at(alias, isDirect ? "seq" : "parent") }

  /// Whether two rows of maps belong to one copy.
  package func sameCopy(_ a: String, _ b: String) -> Condition {
    hasCopy ? .equal(["\(a).copy"], ["\(b).copy"]) : .always
  }

  /// Whether an object of the map is a root.
  package func isRoot(_ alias: String) -> String {
    hasCopy
      ? "\(alias).seq = (SELECT b.seq FROM \(dialect.temporary(Self.roots)) b WHERE b.copy = \(alias).copy)"
      : "\(at(alias, "seq")) = 1"
  }

  /// The root of each copy.
  package static let roots = "moclone_roots"

  package func storedIndex(_ attribute: String) -> Int? {
    stored.firstIndex { $0.name == attribute }
  }

  package func settledIndex(_ column: String) -> Int? {
    settled.firstIndex { $0.sqlName == column.sqlName }
  }

  package func keyPart(_ column: String) -> Int? {
    keyColumns.firstIndex { $0.name.sqlName == column.sqlName }
  }

  /// Whether a foreign key leads to rows of the table by other columns than those of their key.
  func isReferenced(byValuesOf key: ForeignKeyMapping, in model: ObjectModel) -> Bool {
    model.rootEntity(of: key.destination) == name && key.references.contains { keyPart($0) == nil }
  }

  /// Where the new values of a part of the key come from, over all entities.
  package func sources(ofPart part: Int) -> [KeyPart.Source] {
    var found: [KeyPart.Source] = []
    for entity in entities where !found.contains(keySources[entity]![part]) {
      found.append(keySources[entity]![part])
    }
    return found
  }

  /// Whether new keys of a single column are counted from the greatest on.
  package var isCounted: Bool { keyColumns.count == 1 && sources(ofPart: 0).contains(where: \.isCounted) }

  /// Whether the database counts the keys of rows that are inserted without one.
  package var keysItself: Bool {
    guard keyColumns.count == 1 else { return false }
    if hasRowidKey { return table.isRowid(keyColumns[0].name) }
    return hasSequence
  }

  /// Whether a sequence counts the keys in the order in which objects are found.
  package var hasSequence: Bool {
    keyColumns.count == 1 && keyColumns[0].sequence != nil && givenParts.isEmpty
      && sources(ofPart: 0) == [.automatic]
  }

  /// Whether it counts them as objects are entered into the map, since each can be found several times.
  package var countsEntries: Bool { hasSequence && gathering != .single }

  /// Whether the new value of a part of the key is known only when the closure is.
  package func isLate(_ part: Int) -> Bool {
    !hasRowidKey && sources(ofPart: part).contains(where: \.isLate)
  }

  /// Whether what a slot follows is such a part of the key.
  package func isLate(_ slot: Int, in layout: CloneLayout) -> Bool {
    let followed = layout.plan.slots[slot]
    return entities.contains { entity in
      layout.plan.model.provides(followed, entity: entity)
        && layout.mapping[entity].attributes[followed.attribute]?.keyPart.map(isLate) == true
    }
  }

  /// The key columns of a row of the table itself.
  package func key(_ alias: String) -> [String] { keyColumns.map { dialect.column(alias, $0.name) } }

  /// The new value of a part of the key of an object in the map.
  package func newKey(_ alias: String, part: Int) -> String {
    hasRowidKey ? "\(at(alias, "seq")) + \(keyOffset)" : at(alias, "n\(part)")
  }

  func newKey(_ alias: String) -> [String] { keyColumns.indices.map { newKey(alias, part: $0) } }

  /// The columns of the map that hold the original's key.
  package var oldColumns: [String] { keyColumns.indices.map { "o\($0)" } }

  /// The columns of the map that are settled when an object is found, in the order of their values.
  package var foundColumns: [String] {
    (hasCopy ? ["copy"] : []) + (hasGeneration ? ["gen"] : []) + (hasParent ? ["parent"] : [])
      + (hasEntity ? ["entity"] : [])
      + oldColumns
      + (hasRowidKey ? [] : keyColumns.indices.map { "n\($0)" })
      + stored.indices.flatMap { stored[$0].hasKind ? ["a\($0)", "k\($0)"] : ["a\($0)"] }
      + slots.flatMap { ["f\($0)", "h\($0)"] }
  }

  /// The numbers of the last row of the map and of the last pair, where statements number the rows that they enter.
  package var lastRow: String { dialect.parameter(Self.lastRow(index)) }
  package var lastPair: String { dialect.parameter(Self.lastPair(index)) }
  package static func lastRow(_ tablePlan: Int) -> String { "lastRow\(tablePlan)" }
  package static func lastPair(_ tablePlan: Int) -> String { "lastPair\(tablePlan)" }

  /// The greatest key before the run.
  package var keyOffset: String { dialect.parameter("keyOffset\(index)") }

  /// Positions in ordered lists that are computed after the closure.
  package func rankColumn(_ reference: Int) -> String { "r\(reference)" }

  private var columnDefinitions: [String] {
    foundColumns.filter { $0.first != "o" }.map(definition) + keyDefinitions
  }

  /// A column of the map other than a part of the original's key, with its type where the database has types.
  private func definition(_ column: String) -> String {
    dialect.hasTypes ? "\(column) \(type(ofMapColumn: column))" : column
  }

  private func type(ofMapColumn column: String) -> String {
    guard let place = Int(column.dropFirst()) else { return "bigint" }
    return switch column.first {
    case "n": keyColumns[place].plainType
    case "a": stored[place].mapType
    case "f": ValueRenderer.carriedType
    case "v": table.column(settled[place])?.plainType ?? "bigint"
    default: "bigint"
    }
  }

  /// Original keys compare as the table's own do.
  private var keyDefinitions: [String] {
    zip(oldColumns, keyColumns).map { dialect.definition($0, as: $1) }
  }

  /// The statements that make the temporary tables where the connection does not have them yet.
  package var definitions: [String] {
    guard !isDirect else { return [] }
    let unique = (oldColumns + (hasCopy ? ["copy"] : [])).list
    let columns = columnDefinitions.list
    let number = addKey != nil ? "bigint" : dialect.numbersRows ? dialect.numberKey : dialect.countingKey
    var statements = [
      "\(dialect.createTemporaryTable) \(dialect.name(map))(seq \(number), "
        + ([columns] + (ranks.map(rankColumn) + settled.indices.map { "v\($0)" }).map(definition)).list
        + (isUnique ? ", UNIQUE (\(unique)))" : ")") + dialect.endOfTemporaryTable
    ]
    if isPaired {
      statements.append(
        "\(dialect.createTemporaryTable) \(dialect.name(pairs))"
          + "(seq \(dialect.numbersRows ? dialect.numberKey : dialect.countingKey), m INTEGER, node INTEGER, gen INTEGER, UNIQUE (m, node))"
          + dialect.endOfTemporaryTable)
    }
    if isStaged {
      let marks = isPaired ? ", node INTEGER, rank INTEGER" : ", rank INTEGER"
      statements.append(
        "\(dialect.createTemporaryTable) \(dialect.name(stage))(seq \(dialect.countingKey), \(columns)\(marks), "
          + "UNIQUE (\(unique)\(isPaired ? ", node" : "")))" + dialect.endOfTemporaryTable)
      if isCyclic && hasGeneration {
        statements.append(dialect.temporaryIndex(stage + "_gen", on: stage, columns: ["gen"]))
      }
    }
    return statements
  }

  /// The statement that makes the map's key behind its rows: an index of many rows is made faster than kept up.
  ///
  /// Nil where the map has it from the beginning, because it is read while it grows.
  package var addKey: String? {
    guard dialect.numbersRows, !isDirect, !hasRoot, !isCyclic, !isStaged else { return nil }
    return dialect.temporaryIndex(map + "_key", on: map, columns: ["seq"], isUnique: true)
  }

  /// The tables that each closure begins empty.
  package var temporaryTables: [String] {
    isDirect ? [] : [map] + (isPaired ? [pairs] : []) + (isStaged ? [stage] : [])
  }

  /// Tells table plans of different shapes apart, since a connection keeps their tables.
  private var fingerprint: String {
    let shape =
      columnDefinitions.joined(separator: ",")
      + "|\(index)|\(name)|\(gathering)|\(isUnique)|\(isCyclic)|\(ranks)|\(settled.count)"
    return shape.fingerprint
  }
}

extension KeyPart.Source {
  /// Whether the part is counted from the greatest on.
  package var isCounted: Bool { self == .rowid || self == .max }

  /// Whether the new value is known only when the closure is.
  package var isLate: Bool { isReference || isCounted }
}
