import MOCloneEngine
import MOCloneModel

/// Takes the rows of a file, has them read and added, and gathers what is wrong with them.
final class RowImporter: RowHandler {
  /// How many rows that were left out are listed.
  private static let mostNotes = 1000

  private let root: RowNode
  private let sink: any ImportSink
  private let file: String
  /// Whether rows that do not fit are left out.
  private let skips: Bool
  private let rejects: RejectFile?
  /// Why the graph refuses rows that can be read, by their numbers.
  private let refused: [Int: [String]]
  private let progress: (Int) throws -> Void
  /// The number of the row under way.
  private(set) var count = 0
  /// How many rows were sound.
  private(set) var added = 0
  private var failures = RowFailures()
  /// What the graph refuses, and in which rows.
  private var lacking = RowFailures()
  private var found: [Int: [String]] = [:]
  /// What the mapping takes and no row has had so far.
  private var unmatched: [MappedName]
  /// What the mapping takes and no row has had, by its names in the file; nothing where no row was read.
  var missing: [String] { hasRead ? Set(unmatched.map(\.source)).sorted() : [] }
  private var hasRead = false
  /// Names of the model that rows have and nothing takes.
  private let passedOver: () -> Set<String>
  private(set) var notes: [TransferReport.Skipped] = []
  /// How many more there are than those.
  private(set) var unlisted = 0
  /// How many rows were left out.
  private(set) var rejected = 0

  init(
    _ root: RowNode, sink: any ImportSink, file: String, skips: Bool, refused: [Int: [String]],
    rejects: RejectFile?, passedOver: @escaping () -> Set<String> = { [] },
    progress: @escaping (Int) throws -> Void
  ) {
    self.root = root
    self.sink = sink
    self.file = file
    self.skips = skips
    self.refused = refused
    self.rejects = rejects
    self.passedOver = passedOver
    self.progress = progress
    unmatched = root.mappedNames()
  }

  var wantsText: Bool { skips }

  func begin(_ frame: FileFrame) { rejects?.frame = frame }

  func row(_ record: Record) throws {
    var faults: [RowFault] = []
    root.read(record, &faults)
    count += 1
    hasRead = true
    if count % 4096 == 0 { try progress(count) }
    if !refused.isEmpty, let reasons = refused[count] {
      faults += reasons.map { RowFault($0, at: record.place) }
    }
    if !unmatched.isEmpty { unmatched.removeAll { $0.isGiven(by: record) } }
    guard faults.isEmpty else { return try reject(faults, text: skips ? record.kept : nil) }
    // After a bad row nothing will be imported; the others are only looked at.
    guard failures.isEmpty else { return }
    added += 1
    do { _ = try root.add(record, above: 0, to: sink) { note($0) } } catch let error as CloneError {
      try refuse(error)
    }
  }

  /// What the graph says of a row at once. It takes no more rows then, but tells of those that lack something, too.
  private func refuse(_ error: CloneError) throws {
    guard error.failures.allSatisfy(\.isOfRow) else { throw error }
    let isLacking = error.failures.allSatisfy { $0.code == .requiredLeftEmpty }
    if isLacking || lacking.isEmpty {
      lacking.add(error.failures)
      if skips { found[count, default: []] += error.failures.map(\.message) }
    }
    if !isLacking { try throwRefused() }
  }

  private func throwRefused() throws {
    if skips, !lacking.isEmpty { throw RefusedRows(reasons: found) }
    try lacking.throwIfAny(in: file)
  }

  func fault(_ fault: RowFault) throws {
    count += 1
    try reject([fault], text: fault.text)
  }

  private func reject(_ faults: [RowFault], text: RowText?) throws {
    if skips {
      rejected += 1
      for fault in faults { note(fault) }
      if let text { try rejects?.write(text, faults.map(\.message)) }
      return
    }
    failures.add(faults.map { $0.failure(in: file) })
  }

  private func note(_ fault: RowFault) {
    guard notes.count < Self.mostNotes else {
      unlisted += 1
      return
    }
    notes.append(TransferReport.Skipped(place: place(fault), reason: fault.message))
  }

  private func place(_ fault: RowFault) -> String { "\(file):\(fault.place.line):\(fault.place.column)" }

  /// - Throws: `CloneError` with the bad rows, where they were not to be left out.
  func finish() throws {
    try failures.throwIfAny(in: file)
    try throwRefused()
    try checkNames()
  }

  /// Refuses a mapping that takes from rows what none of them has, where they have something of a similar name that
  /// nothing takes.
  private func checkNames() throws {
    let failures = unmatched.compactMap { name -> CloneError.Failure? in
      guard let near = name.similar(in: passedOver()) else { return nil }
      return .init(
        .unknownName,
        "\(file): no row has '\(name.source)', which '\(name.target)' is read from, but rows have '\(near)', "
          + "which is not mapped",
        help: "did you mean '\(near)'? If not, ignore it with \(near.ignoring)", property: name.source)
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }
}

/// Rows that a graph refuses, by their numbers in the file, and why.
struct RefusedRows: Error {
  var reasons: [Int: [String]]
}
