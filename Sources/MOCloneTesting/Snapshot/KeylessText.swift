import MOCloneEngine
import MOCloneModel

extension GraphSnapshot {
  /// What each object holds, a line each, objects named by their values: equal for stores that differ in keys alone.
  public func keyless(_ model: ObjectModel) throws -> [String] {
    let mapping = SchemaMapping(model)
    var names: [ObjectID: String] = [:]
    var counts: [String: Int] = [:]
    for object in objects {
      let values = contents[object]!.attributes.sorted { $0.key < $1.key }.filter { name, _ in
        guard let part = mapping[object.entity].attributes[name]?.keyPart else { return true }
        return ![.rowid, .max, .automatic].contains(mapping[object.entity].key[part].source)
      }
      let name = object.entity + "(" + values.map { "\($0.key)=\($0.value)" }.joined(separator: " ") + ")"
      counts[name, default: 0] += 1
      names[object] = counts[name]! == 1 ? name : "\(name)#\(counts[name]!)"
    }
    return objects.flatMap { object -> [String] in
      let lists = contents[object]!.relationships.sorted { $0.key < $1.key }.map { name, members in
        let members = members.map { names[$0] ?? "?" }
        let isOrdered = model.relationship(name, of: object.entity)?.isOrdered == true
        return "\(names[object]!).\(name): "
          + (isOrdered ? members : members.sorted()).joined(separator: "; ")
      }
      return [names[object]!] + lists
    }.sorted()
  }
}
