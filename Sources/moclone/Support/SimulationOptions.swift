import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSimulation

/// Whether and how clones of random graphs are made.
struct SimulationOptions: ParsableArguments {
  @Flag(
    help:
      "Also clone objects of random graphs in memory; an argument that is not a file names the entity to clone."
  )
  var simulate = false

  @Option(help: "With --simulate: where the random numbers begin.")
  var seed: UInt64 = 1

  @Option(parsing: .unconditional, help: "With --simulate: how many graphs to make.")
  var graphs = 200

  func validate() throws {
    guard (1...1_000_000).contains(graphs) else {
      throw ValidationError("'--graphs \(graphs)' is not valid; expected a number from 1 to 1000000")
    }
    guard simulate || (seed == 1 && graphs == 200) else {
      throw ValidationError("'--seed' and '--graphs' can be used with '--simulate' only")
    }
  }

  /// The arguments that name files, and the simulation, where one is asked for.
  ///
  /// - Throws: `UsageError` where two arguments name entities.
  func split(_ arguments: [String], hasNotes: Bool) throws -> (files: [String], simulation: SimulationRun?) {
    guard simulate else { return (arguments, nil) }
    let entities = arguments.filter(isEntity)
    guard entities.count < 2 else {
      throw UsageError(
        "'--simulate' takes one entity, but \(entities.map { "'\($0)'" }.joined(separator: " and ")) are named"
      )
    }
    return (
      arguments.filter { !isEntity($0) },
      SimulationRun(entity: entities.first, seed: seed, graphs: graphs, hasNotes: hasNotes)
    )
  }

  /// Names of files and patterns have a dot, a slash or a star, or there is such a file.
  private func isEntity(_ argument: String) -> Bool {
    argument.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      && !FileManager.default.fileExists(atPath: argument)
  }
}

/// The simulation of each model that is validated.
final class SimulationRun {
  private let entity: String?
  private let seed: UInt64
  private let graphs: Int
  private let hasNotes: Bool
  /// Of the model that is being read.
  private var pending: (outcome: Simulation.Outcome, findings: SimulationFindings)?
  private var examples: [(path: String, example: SimulationFindings.Example)] = []
  private var unknownEntity: CloneError?
  private var hasRun = false

  init(entity: String?, seed: UInt64, graphs: Int, hasNotes: Bool) {
    self.entity = entity
    self.seed = seed
    self.graphs = graphs
    self.hasNotes = hasNotes
  }

  /// Simulates clones of a model; what was seen waits for its report.
  func findings(of model: ObjectModel) -> [Diagnostic] {
    do {
      let outcome = try Simulation(model: model, entity: entity, seed: seed, graphs: graphs).run()
      let findings = SimulationFindings(outcome, keys: model.userInfoKeys, hasNotes: hasNotes)
      pending = (outcome, findings)
      hasRun = true
      return findings.all
    } catch {
      unknownEntity = error as? CloneError
      return []
    }
  }

  /// Leaves to other findings of the report what they say already.
  func merge(into report: inout FileReport) {
    guard let pending else { return }
    self.pending = nil
    var findings = pending.findings
    report.change { findings.merged(into: $0) }
    examples += findings.examples.map { (report.path, $0) }
    summarize(pending.outcome, path: report.path)
  }

  /// - Throws: `CloneError` (`unknown-entity`) where no model has the entity that was asked for.
  func checkEntity() throws {
    if let unknownEntity, !hasRun { throw unknownEntity }
  }

  /// The violations that findings of the reports speak of.
  func violations(in reports: [FileReport]) -> [Violation] {
    examples.filter { path, example in
      reports.contains { $0.path == path && $0.findings.contains(where: example.isReported) }
    }.map(\.example.violation)
  }

  private func summarize(_ outcome: Simulation.Outcome, path: String) {
    let count = outcome.violations.count
    Console.note(
      "\(path): \(outcome.clones) clones in \(outcome.graphs) random graphs (seed \(seed)), "
        + "\(count) \(count == 1 ? "violation" : "violations")")
    if outcome.isCutShort {
      Console.note(
        "the plans of this model are so large that no more graphs were made; `--simulate ENTITY` tries one entity"
      )
    }
    if !outcome.untried.isEmpty {
      Console.note(
        "no graph holds an object of \(outcome.untried.map { "'\($0)'" }.joined(separator: ", ")), so none was cloned"
      )
    }
  }
}
