import MOCloneModel

/// The rows of a transfer in memory, whatever they come from: objects of a graph, or the lines of a file.
final class StagedRows: ImportSink {
  private(set) var plan: TransferPlan
  private(set) var rows: [StagedRow] = []
  /// Of each entity of the plan: its rows in their order.
  private(set) var numbers: [[Int]]
  /// Of each relationship of the plan that lies in no row.
  private(set) var joinRows: [[StagedJoinRow]]
  /// Members of ordered relationships in their order, where that is another one than the order of the rows.
  var lists: [StagedList] = []
  /// What members of a subtree follow.
  var followers: [CopiedSubtree.Follower] = []

  init(_ plan: TransferPlan) {
    self.plan = plan
    numbers = Array(repeating: [], count: plan.entities.count)
    joinRows = Array(repeating: [], count: plan.joinRows.count)
  }

  func entity(of row: Int) -> TransferPlan.Entity { plan.entities[rows[row].entity] }

  @discardableResult
  func add(_ row: StagedRow) -> Int {
    numbers[row.entity].append(rows.count)
    rows.append(row)
    return rows.count - 1
  }

  func add(_ joinRow: StagedJoinRow, to number: Int) { joinRows[number].append(joinRow) }

  /// Changes what a row says.
  func update(_ row: Int, _ change: (inout StagedRow) -> Void) { change(&rows[row]) }

  // MARK: Lines

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64 {
    let plan = plan.entities[entity]
    let given = zip(plan.attributes, values).map { attribute, value in
      value.attributeValue(of: attribute.type).map { attribute.type.value(fitting: $0) ?? $0 }
    }
    let destinations = zip(plan.references, references).map { reference, number -> StagedReference in
      number == 0 ? .absent : .row(numbers[reference.destination][Int(number) - 1])
    }
    add(StagedRow(entity: entity, values: given, references: destinations, origin: .line(line)))
    return Int64(numbers[entity].count)
  }

  func leavesOut(_ property: String, of entity: Int) {
    guard !plan.entities[entity].missing.contains(property) else { return }
    plan.entities[entity].missing.append(property)
  }

  /// A failure that is about a row, which is named as the sink has numbered it.
  func failure(_ failure: CloneError.Failure, of row: Int) -> CloneError.Failure {
    guard failure.row == nil, let line = rows[row].line else { return failure }
    var failure = failure
    let entity = rows[row].entity
    let number = numbers[entity].firstIndex(of: row)!
    failure.row = ImportPlan.Row(entity: entity, number: Int64(number) + 1, line: line)
    return failure
  }

  /// Does something for a row, which is named where that fails.
  func about<T>(_ row: Int, body: () throws -> T) throws -> T {
    do { return try body() } catch let error as CloneError {
      throw CloneError(error.failures.map { failure($0, of: row) })
    }
  }

  func joinRow(_ number: Int, _ source: Int64, _ destination: Int64) throws {
    let sides = plan.joinRows[number]
    let joinRow = StagedJoinRow(
      source: numbers[sides.source][Int(source) - 1],
      destination: numbers[sides.destination][Int(destination) - 1])
    add(joinRow, to: number)
  }
}

/// What a source says of one object.
struct StagedRow {
  enum Origin {
    case object(ObjectID)
    case line(Int)
  }

  /// Why a row is there.
  enum Role {
    /// It is to be found, or made.
    case wanted
    /// It is always made.
    case member
    /// A member is linked to it.
    case linked
    /// What is linked to brings it along.
    case needed
  }

  /// The number of its entity in the plan.
  var entity: Int
  /// In step with the entity's attributes; nil where the source says nothing.
  var values: [AttributeValue?]
  /// In step with the entity's references.
  var references: [StagedReference]
  /// What lies at the ends of the identity's paths, where the source knows them.
  var ends: [String: MatchPart] = [:]
  var origin: Origin
  var role = Role.wanted
  /// Whether the request gives it the number that is counted within the other parts of its key.
  var isNumbered = false
}

enum StagedReference {
  /// The source says nothing.
  case absent
  case null
  /// What the source's leads to does not come along.
  case lost
  case row(Int)
  /// An object of the target, by its key.
  case key(ObjectKey)
}

struct StagedJoinRow {
  var source: Int
  var destination: Int
  /// The place of the source in the list of the destination; nil where the order of the pairs gives it.
  var position: Int?
}

/// The members of one object, each of which refers to it.
struct StagedList {
  /// The number of the foreign key in the graph.
  var reference: Int
  var owner: Int
  var members: [Int]
}

extension StagedValue {
  /// Nil where the row says nothing.
  package func attributeValue(of type: AttributeType) -> AttributeValue? {
    switch self {
    case .absent: nil
    case .null: .null
    case .integer(let number): type == .boolean ? .bool(number != 0) : .integer(number)
    case .double(let number): .double(number)
    case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .longDate(let text): .string(text)
    case .value(let value): value
    }
  }
}
