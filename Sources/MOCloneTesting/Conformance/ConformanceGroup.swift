/// The cases about one subject.
package struct ConformanceGroup: Sendable {
  package let subject: String
  package let cases: [ConformanceCase]
  /// The same cases between two graphs, where they are about objects that come from one into another.
  package let transfers: [TransferCase]

  init(_ subject: String, _ cases: [ConformanceCase]) {
    self.subject = subject
    self.cases = cases
    transfers = []
  }

  init(_ subject: String, _ transfers: [TransferCase]) {
    self.subject = subject
    cases = transfers.map(\.withinOneKind)
    self.transfers = transfers
  }
}

extension ConformanceSuite {
  /// Every case by its subject, in the order of the article on conformance.
  package static func groups(chainLength: Int) -> [ConformanceGroup] {
    let chain = ConformanceGroup(
      "A chain that would overflow the stack of a recursive cloner", [longChain(chainLength)])
    return cloningGroups + [chain] + graphGroups + transferGroups + rowGroups
  }

  static let cloningGroups: [ConformanceGroup] = [
    ConformanceGroup("What is cloned, by the shape of the graph", shapeCases),
    ConformanceGroup("What is linked instead of cloned", linkCases),
    ConformanceGroup("Entities that inherit from others", inheritanceCases),
    ConformanceGroup("What a clone contains in its attributes", attributeCases),
    ConformanceGroup("`followParent`: attributes that take the value of an ancestor's clone", followCases),
    ConformanceGroup("What a call asks for: exclusions, values, several keys, several copies", requestCases),
    ConformanceGroup("What is refused, and leaves the graph as it was", refusalCases),
    ConformanceGroup("Roots that are given another owner", givenOwnerCases),
    ConformanceGroup("Plans that are used again after the graph has changed", reuseCases),
    ConformanceGroup("Attributes that triggers keep: clones", keptCloningCases),
  ]

  private static let graphGroups: [ConformanceGroup] = [
    ConformanceGroup("The graph itself: inverses, lists, keys, delete rules, rollback", graphCases),
    ConformanceGroup("What is deleted with an object, and what refuses its deletion", deletionCases),
    ConformanceGroup("How objects are found by their identity, or created", identityCases),
  ]

  static let transferGroups: [ConformanceGroup] = [
    ConformanceGroup("Copy: objects of one store come into another", copyCases),
    ConformanceGroup("Copy: which objects of two stores are one", copyIdentityCases),
    ConformanceGroup("Copy: shapes of graphs, there and back", copyShapeCases),
    ConformanceGroup("Copy: several objects of the source with one identity", joinCases),
    ConformanceGroup("Subtrees that are cloned into another store", subtreeCases),
    ConformanceGroup("What a subtree is linked to in another store", subtreeLinkCases),
    ConformanceGroup("Seed: a local store is merged into another one", seedCases),
  ]

  private static let rowGroups: [ConformanceGroup] = [
    ConformanceGroup("Sync: objects follow the rows of a file", syncCases),
    ConformanceGroup("Dedupe: what is kept where duplicates are merged", mergeCases),
    ConformanceGroup("Attributes that triggers keep: copies, syncs and merges", keptTransferCases),
  ]
}
