// The long form of a model file, in the order in which people write its keys.
extension ObjectModel {
  package var form: FormNode {
    let isUsual = userInfoKeys == .default
    return FormNode.keys([
      "version": .integer(1), "name": .string(name), "userInfoKeys": isUsual ? nil : userInfoKeys.form,
      "store": store.form.nonEmpty, "entities": .map(entities.map { ($0.name, $0.form) }),
    ]).adding(extensions)
  }
}

extension AnnotationKeys {
  fileprivate var form: FormNode {
    .keys([
      "exclude": .string(exclude), "rebuild": .string(rebuild), "followParent": .string(followParent),
      "withoutParent": .string(withoutParent),
    ])
  }
}

extension StoreOptions {
  fileprivate var form: FormNode {
    let usual = StoreOptions(naming: naming)
    return .keys([
      "naming": naming == .snakeCase ? nil : .string(naming.rawValue),
      "schema": schema.map(FormNode.string),
      "primaryKey": primaryKey == usual.primaryKey ? nil : .string(primaryKey),
      "dates": dates == usual.dates ? nil : .string(dates.rawValue),
      "uuids": uuids == usual.uuids ? nil : .string(uuids.rawValue),
      "unmapped": unmapped == usual.unmapped ? nil : .string(unmapped.rawValue),
    ])
  }
}

extension EntityDescription {
  fileprivate var form: FormNode {
    FormNode.keys([
      "parent": parent.map(FormNode.string), "abstract": isAbstract ? .boolean(true) : nil,
      "table": table.map(FormNode.string),
      "primaryKey": FormNode.list(primaryKey.map(\.form)).nonEmpty,
      "discriminator": discriminator?.form, "renamedFrom": renamedFrom.map(FormNode.string),
      "configurations": FormNode.strings(configurations).nonEmpty,
      "attributes": FormNode.map(attributes.map { ($0.name, $0.form) }).nonEmpty,
      "relationships": FormNode.map(relationships.map { ($0.name, $0.form) }).nonEmpty,
      "uniquenessConstraints": FormNode.list(uniquenessConstraints.map(FormNode.strings)).nonEmpty,
      "userInfo": FormNode.strings(userInfo).nonEmpty,
    ]).adding(extensions)
  }
}

extension KeyColumn {
  package var form: FormNode {
    .keys(["column": .string(column), "generate": generate.map { .string($0.rawValue) }])
  }
}

extension DiscriminatorDescription {
  fileprivate var form: FormNode {
    .keys(["column": column.map(FormNode.string), "value": value.map(FormNode.string)])
  }
}

extension AttributeDescription {
  package var form: FormNode {
    FormNode.keys([
      "type": .string(type.rawValue), "optional": isOptional ? .boolean(true) : nil,
      "default": defaultValue.flatMap { $0.isNull ? nil : .value($0) },
      "transient": isTransient ? .boolean(true) : nil, "derived": derivation?.form,
      "min": minimum.map(FormNode.number), "max": maximum.map(FormNode.number),
      "pattern": pattern.map(FormNode.string), "column": column.map(FormNode.string),
      "storage": storage.map { .string($0.name) }, "renamedFrom": renamedFrom.map(FormNode.string),
      "userInfo": FormNode.strings(userInfo).nonEmpty,
    ]).adding(extensions)
  }
}

extension Derivation {
  /// `true`, or the word for what keeps the value.
  fileprivate var form: FormNode { self == .computed ? .boolean(true) : .string(rawValue) }
}

extension ValueStorage {
  fileprivate var name: String {
    switch self {
    case .date(let dates): dates.rawValue
    case .uuid(let uuids): uuids.rawValue
    }
  }
}

extension RelationshipDescription {
  package var form: FormNode {
    FormNode.keys([
      "destination": .string(destination), "toMany": isToMany ? .boolean(true) : nil,
      "optional": isOptional && !isToMany ? .boolean(true) : nil, "ordered": isOrdered ? .boolean(true) : nil,
      "inverse": inverse.map(FormNode.string),
      "deleteRule": deleteRule == .nullify ? nil : .string(deleteRule.rawValue),
      "minCount": minCount.map(FormNode.integer), "maxCount": maxCount.map(FormNode.integer),
      "column": FormNode.list(columns.map(\.form)).nonEmpty,
      "orderColumn": orderColumn.map(FormNode.string), "joinTable": joinTable?.form,
      "userInfo": FormNode.strings(userInfo).nonEmpty,
    ]).adding(extensions)
  }
}

extension ForeignKeyColumn {
  package var form: FormNode {
    .keys(["column": .string(column), "references": references.map(FormNode.string)])
  }
}

extension JoinTableDescription {
  fileprivate var form: FormNode {
    .keys([
      "table": table.map(FormNode.string), "column": FormNode.strings(columns).nonEmpty,
      "inverseColumn": FormNode.strings(inverseColumns).nonEmpty,
      "orderColumn": orderColumn.map(FormNode.string),
    ])
  }
}
