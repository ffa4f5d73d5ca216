import Foundation
import MOCloneModel

/// Runs a plan over the columns of a graph: sets of rows, never object by object.
struct MemoryCloner {
  let graph: MemoryGraph

  /// Clones each root with what it would bring along alone; the caller takes everything back where it throws.
  func clone(_ roots: [Place], in workspace: CloneWorkspace, options: CloneOptions) throws -> CloneResult {
    let now = options.generator.now()
    var result = CloneResult()
    let ends = roots.count > 1 ? graph.store.spaces.map { Row($0.count) } : nil
    for root in roots {
      try find(root, before: ends, workspace: workspace, options: options)
      try CloneWriter(graph: graph, workspace: workspace, options: options, now: now).write(into: &result)
      workspace.clear()
    }
    return result
  }

  /// The objects that the roots bring along, each once.
  func originals(_ roots: [ObjectID], _ plan: ClonePlan) throws -> [ObjectID] {
    let roots = try places(roots)
    let workspace = try workspace(plan, roots: roots)
    var seen: Set<ObjectID> = []
    var originals: [ObjectID] = []
    for root in roots {
      try find(root, workspace: workspace, options: CloneOptions())
      for table in workspace.plan.tableNumbers {
        for row in workspace.closure.originals[table] {
          let id = graph.objectID(row, in: table)
          if seen.insert(id).inserted { originals.append(id) }
        }
      }
      workspace.clear()
    }
    graph.workspaces.give(workspace)
    return originals
  }

  /// Where an object is: its row, and the number of its concrete entity.
  typealias Place = (entity: Int, row: Row)

  func places(_ roots: [ObjectID]) throws -> [Place] {
    try roots.map { try graph.place(of: $0) }
  }

  /// The workspace of a plan, taken out of the graph, after checking that the plan is one for the roots.
  func workspace(_ plan: ClonePlan, roots: [Place]) throws -> CloneWorkspace {
    let known = graph.workspaces.take(for: plan.identity)
    let unchecked = roots.filter { known?.isChecked[$0.entity] != true }
    if !unchecked.isEmpty {
      let layout = graph.store.layout.entities
      try plan.check(roots: unchecked.map { graph.objectID($0.row, in: layout[$0.entity].table) })
    }
    let workspace = try known ?? CloneWorkspace(plan, graph: graph)
    for root in unchecked { workspace.isChecked[root.entity] = true }
    return workspace
  }

  /// - Parameter ends: of each table the first row that other roots have made; nil for none.
  private func find(
    _ root: Place, before ends: [Row]? = nil, workspace: CloneWorkspace, options: CloneOptions
  ) throws {
    workspace.links.linked.isCounting = options.countsLinks
    try options.measure(.closure) {
      try workspace.closure.find(from: root.row, entity: root.entity, before: ends) {
        try options.report(CloneProgress(phase: .closure, objects: $0))
      }
    }
  }
}
