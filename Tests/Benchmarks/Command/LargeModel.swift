import Foundation

/// A model of many entities with twenty properties each: sixteen attributes, and relationships to the neighbours.
struct LargeModel {
  let entities: Int
  static let attributes = 16
  static let properties = attributes + 4

  var text: String {
    var text = "version: 1\nname: Large\nentities:\n"
    for i in 0..<entities { text += entity(i) }
    return text
  }

  private func entity(_ number: Int) -> String {
    let types = ["String", "Integer 64", "Double?", "{type: Date, userInfo: {rebuild: now}}"]
    var lines = [
      "  Entity\(number):", "    attributes:", "      uuid: {type: UUID, userInfo: {rebuild: uuid}}",
    ]
    for i in 1..<Self.attributes { lines.append("      attribute\(i): \(types[i % types.count])") }
    lines.append("    relationships:")
    let next = (number + 1) % entities
    let previous = (number + entities - 1) % entities
    lines += [
      "      parts: {destination: Entity\(next), toMany: true, inverse: whole, deleteRule: cascade}",
      "      whole: {destination: Entity\(previous), optional: true, inverse: parts}",
      "      friends: {destination: Entity\(next), toMany: true, inverse: friendsOf}",
      "      friendsOf: {destination: Entity\(previous), toMany: true, inverse: friends}",
    ]
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Section {
  static let validate = Section(name: "validate") { setting in
    let model = LargeModel(entities: max(3, setting.rows / 1000))
    let path = setting.scratch.path("large.yml")
    try model.text.write(toFile: path, atomically: true, encoding: .utf8)
    let samples = try alternate(
      setting.runs * 4, [{ try Child(Program.moclone, ["validate", path]).seconds }])
    let size = "\(Unit.count(model.entities)) entities, \(Unit.count(model.entities * LargeModel.properties))"
    return [
      TableRow(
        "`moclone validate`, \(size) properties, the whole process", samples[0], atMostMilliseconds: 150)
    ]
  }
}
