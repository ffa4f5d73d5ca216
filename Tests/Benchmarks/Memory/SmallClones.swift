import Foundation
import MOCloneKit

/// Clones of one small note, each made by a call of its own; all of them are kept.
extension Work {
  /// Beside as many objects as the input's size says.
  static let smallByMoclone = Work(name: "memory-small-moclone") { input in
    let graph = MemoryGraph(model: try NotesModel.model(payload: "String"))
    if input.size > 0 { _ = try MemoryByMoclone(NotesContent(objects: input.size), in: graph) }
    let notes = try MemoryByMoclone(.small, in: graph)
    let cloner = Cloner(plan: try ClonePlan(model: graph.model, entity: "Note"))
    try notes.checkCounts(cloner.clone(object: notes.note, request: CloneRequest()))
    var clones: [ManagedObject] = []
    clones.reserveCapacity(input.copies)
    let duration = try ContinuousClock().measure {
      for _ in 0..<input.copies { clones.append(try cloner.clone(object: notes.note)) }
    }
    for clone in [clones.first!, clones[clones.count / 2], clones.last!] { try notes.checkValues(clone) }
    guard Set(clones.map(\.id)).count == input.copies else { throw BenchmarkError("clones have one key") }
    return duration
  }

  static let smallByClasses = Work(name: "memory-small-classes") { input in
    let content = NotesContent.small
    let note = MemoryByClasses.note(content)
    let uuids = UUIDSource()
    var clones: [MemoryByClasses.Note] = []
    clones.reserveCapacity(input.copies)
    let duration = ContinuousClock().measure {
      for _ in 0..<input.copies {
        var cloner = MemoryByClasses.Cloner(objects: content.objects, uuids: uuids)
        clones.append(cloner.clone(note))
      }
    }
    for clone in [clones.first!, clones[clones.count / 2], clones.last!] {
      try MemoryByClasses.check(note, clone)
    }
    return duration
  }
}

extension Section {
  /// What one call costs.
  static let memorySmall = Section(name: "memory-small") { setting in
    let clones = min(20_000, setting.rows)
    let objects = NotesContent.small.objects
    func row(beside size: Int, _ place: String) throws -> TableRow {
      let works = [Work.smallByMoclone, .smallByClasses]
      Console.note("  timing \(works.map(\.name).joined(separator: ", "))")
      let input = WorkInput(size: size, copies: clones)
      let samples = try alternate(setting.runs, works.map { work in { try work.measured(input) } })
      return TableRow(
        "memory graph, a clone of \(objects) objects\(place)", samples[0],
        against: "a class graph with a dictionary memo", samples[1], units: clones, atMost: 2)
    }
    return [
      try row(beside: 0, ""),
      try row(beside: setting.rows, " beside \(Unit.count(NotesContent(objects: setting.rows).objects))"),
    ]
  }
}
