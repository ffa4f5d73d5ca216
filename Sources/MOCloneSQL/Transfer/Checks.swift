import MOCloneEngine
import MOCloneModel

/// What keeps rows from being moved, found before anything is written, but for what the database computes: each a query that
/// is empty where all is well.
package struct Check: Sendable {
  package enum Subject: Sendable {
    /// The row's mark stands for no entity: key, mark.
    case unknownEntity(column: String)
    /// A column of another type would turn the value into another one: key, value.
    case lostValue(ColumnTransfer)
    /// The identity belongs to an object of another entity: key of the object, its mark, that of the row, the row's
    /// identity; of a row of a file its line and number as well.
    case otherEntity(Identity, [MatchedPart])
    /// A new object would lose what it requires: key.
    case leftEmpty(RelationshipDescription, isExcluded: Bool)
    /// A clone would have too little in a required list: key.
    case tooFewLeft(RelationshipDescription)
    /// The destination of a required one-to-one relationship belongs to another object of the store: key.
    case takenRelatedObject(RelationshipDescription)
    /// Another row has the same one-to-one destination once objects of one identity are merged: key.
    case sharedRelatedObject(RelationshipDescription)
    /// What a reference leads to has no value in the column that it references: key; of a row of a file its line as well.
    case emptyDestination(RelationshipDescription, column: String)
    /// The object that was there has another key than its row says: key; of a row of a file its line as well.
    case inKey(String, entity: String)
    /// The database has computed another reference than that of the row: key of the row; of a row of a file its line as well.
    case computed(RelationshipDescription, column: String, isLeftOut: Bool)
  }

  package let subject: Subject
  package let stream: RowStream
  package let query: Select
}

extension Writes {
  /// In the order in which they are told.
  package var checks: [Check] {
    layout.reached.flatMap { stream -> [Check] in
      let isStaged = stream.source == nil
      var checks = isStaged ? [] : unknownEntities(stream)
      checks += otherEntities(stream)
      checks += lostValues(stream)
      if isStaged { checks += otherKeys(stream) }
      for reference in stream.references {
        if !isStaged {
          checks += leftEmpty(reference, stream: stream)
          checks += takenRelatedObjects(reference, stream: stream)
          checks += sharedRelatedObjects(reference, stream: stream)
        }
        checks += otherKeys(reference, stream: stream)
        // A key is made before anything is written.
        if stream.table.isInKey(reference.key.columns) {
          checks += emptyDestinations(reference, stream: stream)
        }
      }
      return checks
    } + layout.joinRows.flatMap(tooFewLeft)
  }

  private func unknownEntities(_ stream: RowStream) -> [Check] {
    guard let column = stream.table.discriminator else { return [] }
    let mark = stream.mark("s")
    let known = Condition.among(mark, values: stream.table.literals(stream.entities))
    let rows = keys.rows(stream).where(.isNull(mark) || !known).with(stream.key("s") + [mark])
    return [Check(subject: .unknownEntity(column: column), stream: stream, query: rows)]
  }

  /// Values that a column of another type would turn into others.
  private func lostValues(_ stream: RowStream) -> [Check] {
    let overwrites = policy.existing != .keep && keys.canBeFound(stream)
    let rows = [keys.newRows(stream)] + (overwrites ? [keys.foundRows(stream)] : [])
    return lostKeys(stream) + rows.flatMap { lostValues(stream, rows: $0) }
  }

  /// Keys of new objects that their columns have no room for: texts, since numbers are counted on. Those in files are
  /// values like any.
  private func lostKeys(_ stream: RowStream) -> [Check] {
    guard dialect.hasTypes, stream.source != nil else { return [] }
    let attributes = layout.mapping[stream.entities[0]].attributes.values
    return zip(stream.keys.columns, zip(stream.table.keyColumns, keyValues(stream))).compactMap {
      source, key in
      let (target, value) = (key.0, key.1.sql)
      let attribute = attributes.first { $0.column.sqlName == target.name.sqlName }
      let columnTransfer = ColumnTransfer(source: source, target: target, attribute: attribute)
      guard target.affinity == "TEXT", let isLost = dialect.columnTransfer(value, columnTransfer)?.isLost
      else {
        return nil
      }
      return Check(
        subject: .lostValue(columnTransfer), stream: stream,
        query: keys.newRows(stream).where(isLost).with(stream.key("s") + [value]))
    }
  }

  /// - Parameter rows: those whose values are written.
  package func lostValues(_ stream: RowStream, rows: Select) -> [Check] {
    stream.columnTransfers.compactMap { columnTransfer in
      guard let value = stream.plain(columnTransfer.target.name, "s"),
        let isLost = dialect.columnTransfer(value, columnTransfer)?.isLost, isLost != .never
      else { return nil }
      let line = stream.source == nil ? ["s.line"] : []
      return Check(
        subject: .lostValue(columnTransfer), stream: stream,
        query: rows.where(isLost).with(stream.key("s") + [value] + line))
    }
  }

  /// Objects whose identity belongs to an object of another entity.
  private func otherEntities(_ stream: RowStream) -> [Check] {
    guard stream.table.discriminator != nil, keys.canBeFound(stream) else { return [] }
    return layout.groups(of: stream).compactMap { group in
      guard let identity = group.identity else { return nil }
      let (here, there) = (stream.mark("s"), stream.table.mark("t"))
      let isOther: Condition =
        stream.source == nil
        ? !layout.store.isKind(identity.entity, alias: "t")
        : .sql("\(here) <> \(there)") && stream.isKind(group.entities, alias: "s")
      guard isOther != .never else { return nil }
      let parts = keys.parts(of: group)
      let place = stream.source == nil ? ["s.line"] + stream.key("s") : []
      let rows = keys.foundPairs(stream).where(isOther)
        .with(stream.table.key("t") + [there, here] + parts.map { $0.written(dialect) } + place)
      return Check(subject: .otherEntity(identity, parts), stream: stream, query: rows)
    }
  }

  /// New objects that lose what they require.
  private func leftEmpty(_ reference: StreamReference, stream: RowStream) -> [Check] {
    guard reference.reference.isRequired, reference.isFormed,
      let destination = layout.destination(of: reference), !keys.isTotal(destination)
    else { return [] }
    let rows = keys.newRows(stream).where(
      stream.isGiven(reference, "s") && .isNull(keys.reference(reference, "s")[0])
        && !keys.leadsToEmpty(reference, "s") && layout.holds(reference, of: stream))
    let relationship = reference.reference.relationship
    return [
      Check(
        subject: .leftEmpty(relationship, isExcluded: policy.excludes(relationship)), stream: stream,
        query: rows.with(stream.key("s")))
    ]
  }

  /// What is asked once objects that were there have the values by which rows refer to them.
  package var emptyDestinations: [Check] {
    layout.reached.flatMap { stream in
      stream.references.flatMap { emptyDestinations($0, stream: stream) }
    }
  }

  /// Rows that refer to objects by columns which these have no values in.
  private func emptyDestinations(_ reference: StreamReference, stream: RowStream) -> [Check] {
    let isEmpty = keys.leadsToEmpty(reference, "s")
    guard isEmpty != .never else { return [] }
    let isMeant = isEmpty && stream.isGiven(reference, "s") && layout.holds(reference, of: stream)
    var isOfNew = isMeant
    if let subtree = SubtreeReach(layout, states: keys.states) {
      isOfNew = isOfNew && .isNotNull(subtree.values(["1"], of: reference, stream: stream)[0])
    }
    var rows = [keys.newRows(stream).where(isOfNew)]
    if links(reference, of: stream) {
      let isOpen = dialect.columns("t", reference.key.columns).map { Condition.isNull($0) }.all
      let isWritten = policy.references == .fill ? isOpen : .always
      rows.append(keys.foundPairs(stream).where(isMeant && isWritten))
    }
    let line = stream.source == nil ? ["s.line"] : []
    return rows.map { rows in
      Check(
        subject: .emptyDestination(
          reference.reference.relationship, column: reference.key.references.joined(separator: ", ")),
        stream: stream, query: rows.with(stream.key("s") + line))
    }
  }

  /// Whether a reference is written in objects that were there.
  private func links(_ reference: StreamReference, of stream: RowStream) -> Bool {
    let isMeant = stream.source != nil || layout.overwrites(reference.reference.relationship.name, of: stream)
    return isMeant && policy.references != .keep && layout.subtree == nil && keys.canBeFound(stream)
      && references(stream).contains { $0.number == reference.number }
  }

  /// Clones whose required lists lose what they are linked to and the store does not have.
  private func tooFewLeft(_ joinRows: JoinRowStream) -> [Check] {
    guard layout.subtree?.missing == .null, joinRows.isFormed, joinRows.source != nil else { return [] }
    let lists = [joinRows.join.relationship, joinRows.join.inverse]
    return zip(joinRows.ends.indices, lists).compactMap { place, list -> Check? in
      let (own, other) = (joinRows.ends[place], joinRows.ends[1 - place])
      let (stream, destination) = (layout.streams[own.stream], layout.streams[other.stream])
      guard let list, list.leastCount > 0, keys.state(destination).hasLinked else { return nil }
      let tie = Condition.equal(
        dialect.columns("j", own.columns), dialect.columns("s", own.mapping.references))
      let isKept = Condition.isNotNull(keys.moved(destination, old: dialect.columns("j", other.columns))[0])
      let kept = "sum(\(isKept.choose("1", else: "0")))"
      let rows = keys.newRows(stream).joined("\(joinRows.sql) j", on: tie).where(isAsked(joinRows))
        .grouped(by: stream.key("s")).having(.sql("\(kept) < \(list.leastCount) AND \(kept) < count(*)"))
      return Check(subject: .tooFewLeft(list), stream: stream, query: rows.with(stream.key("s")))
    }
  }

  /// Objects whose required one-to-one destination belongs to another object of the store.
  private func takenRelatedObjects(_ reference: StreamReference, stream: RowStream) -> [Check] {
    guard reference.reference.isOneToOne, reference.reference.isRequired, reference.isFormed,
      let destination = layout.destination(of: reference), keys.canBeFound(destination)
    else { return [] }
    let table = stream.table
    var new = keys.reference(reference, "s")
    if let subtree = SubtreeReach(layout, states: keys.states) {
      new = subtree.values(new, of: reference, stream: stream)
    }
    let holds = Condition.equal(dialect.columns("t", reference.key.columns), new)
    func taken(_ rows: Select, more: Condition) -> Check {
      let other = Condition.exists(in: table.rows("t"), where: holds && more, dialect)
      return Check(
        subject: .takenRelatedObject(reference.reference.relationship), stream: stream,
        query: rows.where(other && layout.holds(reference, of: stream)).with(stream.key("s")))
    }
    let ofNew = taken(keys.newRows(stream), more: .always)
    let isKey = reference.key.columns.contains { table.map.keyPart(of: $0) != nil }
    guard policy.references == .update, !isKey, keys.state(stream).hasMap else { return [ofNew] }
    return [ofNew, taken(keys.foundRows(stream), more: !.equal(table.key("t"), table.keys("m.n")))]
  }

  /// Objects that were there whose rows lead elsewhere by columns of the key, which never changes.
  private func otherKeys(_ reference: StreamReference, stream: RowStream) -> [Check] {
    let relationship = reference.reference.relationship
    guard policy.references == .update, reference.isFormed, keys.state(stream).hasMap,
      // What identifies an object is the same where its row was matched with it.
      stream.source != nil || layout.overwrites(relationship.name, of: stream)
    else { return [] }
    let isOther = zip(reference.key.columns, keys.reference(reference, "s")).filter {
      stream.table.map.keyPart(of: $0.0) != nil
    }.map { column, new in Condition.isNotNull(new) && dialect.different(dialect.column("t", column), new) }
      .any
    guard isOther != .never else { return [] }
    let isMeant = stream.isGiven(reference, "s") && layout.holds(reference, of: stream)
    return [inKey(relationship.name, of: relationship.entity, stream: stream, where: isMeant && isOther)]
  }

  /// Objects that were there whose rows of a file give other values for attributes in the key.
  private func otherKeys(_ stream: RowStream) -> [Check] {
    guard policy.operation == .import, policy.existing == .update, keys.state(stream).hasMap else {
      return []
    }
    return layout.model.attributes(of: stream.entities[0]).compactMap { attribute in
      guard let column = layout.mapping[stream.entities[0]].attributes[attribute.name],
        column.keyPart != nil, layout.overwrites(attribute.name, of: stream),
        let value = stream.plain(column.column, "s")
      else { return nil }
      let isOther = isOtherValue(dialect.column("t", column.column), value, column)
      return inKey(
        attribute.name, of: attribute.entity, stream: stream,
        where: stream.isGiven(column.column, "s") && .isNotNull(value) && isOther)
    }
  }

  private func inKey(
    _ property: String, of entity: String, stream: RowStream, where condition: Condition
  ) -> Check {
    let line = stream.source == nil ? ["s.line"] : []
    return Check(
      subject: .inKey(property, entity: entity), stream: stream,
      query: keys.foundPairs(stream).where(condition).with(stream.key("s") + line))
  }

  /// Objects whose one-to-one destinations are merged.
  private func sharedRelatedObjects(_ reference: StreamReference, stream: RowStream) -> [Check] {
    guard reference.reference.isOneToOne, reference.isFormed,
      let destination = layout.destination(of: reference), keys.state(destination).joins
    else { return [] }
    let relatedObject = keys.reference(reference, "s")
    let count = "count(*) OVER (PARTITION BY \(relatedObject.list)) AS c"
    let columns =
      stream.key("s").named(stream.keys.parts("k")) + ["\(relatedObject[0]) AS p", count]
    let rows = keys.firstRows(stream).where(layout.holds(reference, of: stream)).with(columns)
    return [
      Check(
        subject: .sharedRelatedObject(reference.reference.relationship), stream: stream,
        query: Select(stream.keys.parts("k"), from: From(rows, as: "x", dialect: dialect))
          .where(.isNotNull("p") && .sql("c > 1")))
    ]
  }
}
