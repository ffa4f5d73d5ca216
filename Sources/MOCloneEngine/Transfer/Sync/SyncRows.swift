import MOCloneModel

/// Stages the rows of a sync.
final class SyncRows: SyncSink {
  let rows: StagedRows
  private(set) var failures: [CloneError.Failure] = []
  /// Whether some row gives a column a value.
  private(set) var isGiven: [Bool]
  /// The columns that the input names.
  private(set) var named: Set<Int> = []
  private let plan: SyncPlan
  private let source: String

  /// - Parameter source: what stands before the number of a row in messages.
  init(_ plan: SyncPlan, source: String) {
    (self.plan, self.source) = (plan, source)
    rows = StagedRows(TransferPlan(plan))
    isGiven = Array(repeating: false, count: plan.columns.count)
  }

  func name(_ column: Int) { named.insert(column) }

  func add(_ values: UnsafeBufferPointer<StagedValue>, line: Int) throws {
    var given = try zip(plan.columns, values).map { column, value in
      try value.attributeValue(of: column.type).map { try column.fitted($0, of: plan.entity) }
    }
    for place in given.indices where given[place] != nil { isGiven[place] = true }
    for (place, value) in plan.scope {
      if let own = given[place], own != value {
        failures.append(plan.outsideScope(plan.columns[place], line: line, source: source))
      }
      given[place] = value
    }
    var row = StagedRow(entity: 0, values: [], references: [], origin: .line(line))
    for (column, value) in zip(plan.columns, given) {
      switch column {
      case .attribute: row.values.append(value)
      case .reference: row.references.append(value.map(StagedReference.init) ?? .absent)
      case .path: row.ends[column.name] = value.map { .value($0) }
      }
    }
    row.references += plan.lookups.map { _ in .absent }
    rows.add(row)
  }
}

extension StagedReference {
  /// A destination by its key; a string that is a number stands for it.
  fileprivate init(_ key: AttributeValue) {
    switch key {
    case .null: self = .null
    case .string(let text): self = .key(ObjectKey([Int64(text).map(AttributeValue.integer) ?? key]))
    default: self = .key(ObjectKey([key]))
    }
  }
}

extension TransferPlan {
  init(_ plan: SyncPlan) {
    var entity = Entity(name: plan.entity, identity: plan.identity)
    for column in plan.columns {
      switch column {
      case .attribute(let attribute): entity.attributes.append(attribute)
      case .reference(let relationship):
        entity.references.append(Reference(relationship: relationship, isForward: true, destination: 0))
      case .path(let path): entity.givenPaths.insert(path.description)
      }
    }
    // What a path of the identity leads to is looked for where a row makes an object.
    entity.references += plan.lookups.map {
      Reference(relationship: $0.relationship, isForward: true, destination: 0)
    }
    entity.missing = entity.references.map(\.relationship).filter { !$0.isOptional }.map(\.name)
    let mapping = SchemaMapping(plan.model)[plan.entity]
    entity.missing += entity.attributes.filter {
      !$0.isOptional && $0.defaultValue == nil && mapping.attributes[$0.name]?.keyPart == nil
    }.map(\.name)
    entity.overwritten = Set(plan.overwriting.map { plan.columns[$0].name })
    self.init(model: plan.model, entities: [entity], joinRows: [])
  }
}
