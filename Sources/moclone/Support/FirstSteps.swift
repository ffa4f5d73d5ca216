import Foundation
import MOCloneKit

/// What a newcomer reads: what is worth cloning in a store, and the command to type next, which works.
struct FirstSteps {
  let graph: any StoreGraph
  let roots: [CloneRoots.Root]
  let store: String
  /// How many relationships names and values suggest, and the command that shows them, where nothing is worth cloning.
  var proposals = (count: 0, command: "")

  private static let shownRoots = 8
  /// A larger store is not copied for a rehearsal.
  private static let greatestCopy = 64 << 20

  func text() -> String {
    if roots.isEmpty { return withoutRoots() }
    return "Worth cloning:\n" + table() + "\n" + next(among: roots.map(\.entity))
  }

  private func withoutRoots() -> String {
    let isDeclared = graph.model.entities.contains { !$0.relationships.isEmpty }
    let reason = isDeclared ? "No" : "The database declares no foreign keys, so no"
    let start = "\(reason) entity owns objects of another one, and a copy is a single object.\n\n"
    guard proposals.count > 0 else { return start + next(among: examples) }
    let found = proposals.count == 1 ? "1 relationship" : "\(proposals.count) relationships"
    return start + "Names and values suggest \(found).\n\nNext, take what is right into the model:\n"
      + "  \(proposals.command)\n"
  }

  /// The entities with several objects first, then those that are related to most, then those with most objects.
  private var examples: [String] {
    graph.model.entities.filter { !$0.isAbstract }.map { entity in
      let count = (try? graph.count(entity.name)) ?? 0
      return (name: entity.name, rank: (count > 1 ? 1 : 0, entity.relationships.count, count))
    }.sorted { $0.rank > $1.rank }.map(\.name)
  }

  private func table() -> String {
    let rows = roots.prefix(Self.shownRoots).map { root in
      // An index that is sorted by a collation of the app cannot be counted.
      let count = (try? graph.count(root.entity)).map { "\($0) \($0 == 1 ? "object" : "objects")" }
      return [root.entity, count ?? "", "with \(root.copied.listed(4))"]
    }
    let rest = roots.count > Self.shownRoots ? "  and \(roots.count - Self.shownRoots) more\n" : ""
    return TextTable(indent: 2, width: ModelText.width, rows: rows).lines { $1 }.map { $0 + "\n" }.joined()
      + rest
  }

  private func next(among entities: [String]) -> String {
    // Nothing is tried on a server, and a clone is for a person to make there.
    let canWrite = (try? (graph as? SQLiteGraph)?.checkWritable()) != nil
    let size =
      (try? FileManager.default.attributesOfItem(atPath: store)[.size] as? NSNumber)?.intValue ?? .max
    let canRehearse = canWrite && size <= Self.greatestCopy
    guard let first = FirstClone(in: graph, of: entities, canRehearse: canRehearse) else {
      return "Next, see what a copy would hold:\n  moclone plan \(ShellWord(entities[0].lowercased()).text)\n"
    }
    let what = first.count > 1 ? " with everything that belongs to it, \(first.count) objects in all" : ""
    let words = Self.words(first.root)
    return canWrite
      ? "Next, copy one\(what):\n  moclone \(words.clone)\n"
      : "Next, look at one\(what):\n  moclone show \(words.object)\n"
  }

  /// The entity and the key as they are typed; a command's name is no entity at the first place.
  private static func words(_ object: ObjectID) -> (clone: String, object: String) {
    let entity = object.entity.lowercased()
    let isCommand = (MOClone.commandNames + MOClone.reservedNames + ["help"]).contains(entity)
    let key = object.key.description
    // A key that could be read as something else is given whole.
    let isWhole =
      object.key.parts.count == 1 && (key.hasPrefix("-") || key.contains("=") || key.contains("\\"))
    let words =
      ShellWord(entity).text + " "
      + (isWhole ? "--key \(ShellWord(object.key.parts[0].keyText).text)" : ShellWord(key).text)
    return ((isCommand ? "clone " : "") + words, words)
  }
}
