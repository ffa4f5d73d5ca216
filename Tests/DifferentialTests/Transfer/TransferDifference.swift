import Foundation
import MOCloneKit
import MOCloneTesting
import Testing

/// An operation on a target, and what the rules say that the target must hold after it.
struct TransferOperation {
  /// What the rules say.
  var expected: () throws -> StorePicture
  var perform: (TransferOptions) throws -> TransferReport
  /// What the case looks like, for messages.
  var note = ""
  /// Whether a string may come along that the target cannot hold.
  var mayMeetZeros = false
  /// Whether keys of objects in memory, which are numbers, may be asked to stay in a store whose keys are UUIDs.
  var mayMeetNumbers = false
}

/// How an operation ended.
enum TransferOutcome {
  case refused(CloneError)
  case done(StorePicture, TransferReport)

  var report: TransferReport? { if case .done(_, let report) = self { report } else { nil } }
}

/// One seed: stores that other programs filled, an operation, and what the tables must hold after it.
struct TransferDifference {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  let seed: UInt64
  let way: TransferWay

  /// Two stores of one schema.
  func compareTwo(
    _ salt: UInt64, constrains: Bool = true, excluding: TransferModel.Options = [],
    extras: TransferModel.Options = [],
    _ operation: (_ shape: TransferModel, _ source: TransferSide, _ target: TransferSide, inout SplitMix64)
      throws
      -> TransferOperation
  ) throws {
    var random = SplitMix64(seed: seed ^ salt)
    let schema = TransferSchema(
      try TransferModel(
        &random, constrains: constrains, excluding: excluding.union(way.unfit), extras: extras), &random)
    let stores = (
      try TransferStore(schema, named: "s", &random), try TransferStore(schema, named: "t", &random)
    )
    // Drawn aside, so that every way has the same case.
    var aside = SplitMix64(seed: seed ^ salt ^ 0x9057)
    let side =
      way == .sqliteToPostgres
      ? try TransferSide(plain: stores.0) : try TransferSide(stores.0, in: way.source, &aside)
    guard var source = side, let target = try TransferSide(stores.1, in: way.target, &aside)
    else { return Tally.count("\(way) not in memory") }
    if way.source != way.target || way == .postgres {
      source.picture = { [picture = source.picture] in try picture().source(of: target.picture()) }
    }
    let before = try source.lines()
    var operation = try operation(schema.shape, source, target, &random)
    operation.mayMeetZeros = try way.target == .postgres && source.hasZeros()
    try compare(target, operation, &random)
    let changes = try source.lines().differences(from: before)
    #expect(changes == [], "seed \(seed): the source changed")
  }

  /// One store.
  func compareOne(
    _ salt: UInt64, repeats: Int = 1, constrains: Bool = true, excluding: TransferModel.Options = [],
    extras: TransferModel.Options = [],
    _ operation: (_ shape: TransferModel, _ store: TransferSide, inout SplitMix64) throws -> TransferOperation
  ) throws {
    var random = SplitMix64(seed: seed ^ salt)
    let schema = TransferSchema(
      try TransferModel(
        &random, deletes: true, constrains: constrains, excluding: excluding.union(way.unfit),
        extras: extras), &random)
    let store = try TransferStore(schema, named: "t", repeats: repeats, &random)
    var aside = SplitMix64(seed: seed ^ salt ^ 0x9057)
    guard let side = try TransferSide(store, in: way.target, &aside) else {
      return Tally.count("\(way) not in memory")
    }
    try compare(side, try operation(schema.shape, side, &random), &random)
  }

  private func compare(_ target: TransferSide, _ operation: TransferOperation, _ random: inout SplitMix64)
    throws
  {
    let before = try target.picture()
    let triggers = try target.store.map { try TransferTriggers($0, &random) }
    let planned = seed / 2 % 2 == 0 ? try dryRun(target, operation) : nil
    let outcome = try run(target, operation, before)
    var problems = try triggers?.problems(outcome.report) ?? []
    if let planned { problems += differences(planned, outcome) }
    problems += try differences(outcome, target, operation, before, triggers)
    if problems.isEmpty { return }
    Issue.record(
      "seed \(seed), \(way): \(operation.note)\n\(problems.prefix(30).joined(separator: "\n"))")
  }

  // MARK: Running

  private func run(_ target: TransferSide, _ operation: TransferOperation, _ before: StorePicture) throws
    -> TransferOutcome
  {
    do {
      let report = try operation.perform(TransferOptions(generator: fixedGenerator(now: Self.now)))
      Tally.count("\(way) done")
      return .done(try target.picture(), report)
    } catch let error as CloneError {
      Tally.count("\(way) refused")
      let changes = try target.lines().differences(from: PictureLines(before, named: nil))
      #expect(changes == [], "seed \(seed), \(way): a refused run changed the store")
      return .refused(error)
    }
  }

  /// The store must stay what it is, byte for byte.
  private func dryRun(_ target: TransferSide, _ operation: TransferOperation) throws -> Result<
    TransferReport, CloneError
  > {
    let bytes = try target.bytes()
    let options = TransferOptions(isDryRun: true, generator: fixedGenerator(now: Self.now))
    defer { Tally.count("\(way) dry") }
    do {
      let report = try operation.perform(options)
      #expect(try target.bytes() == bytes, "seed \(seed), \(way): a dry run changed the store")
      return .success(report)
    } catch let error as CloneError {
      #expect(try target.bytes() == bytes, "seed \(seed), \(way): a refused dry run changed the store")
      return .failure(error)
    }
  }

  // MARK: Comparing

  /// A dry run must come to what the run comes to.
  private func differences(_ planned: Result<TransferReport, CloneError>, _ outcome: TransferOutcome)
    -> [String]
  {
    switch (planned, outcome) {
    case (.success(var planned), .done(_, var report)):
      planned.dryRun = report.dryRun
      // A dry run takes numbers of sequences, so keys of new objects are others.
      if way.target == .postgres { (planned.skipped, report.skipped) = (nil, nil) }
      return planned == report ? [] : ["the dry run reported \(planned)", "the run reported \(report)"]
    case (.failure(let planned), .refused(let error)):
      return "\(planned)" == "\(error)"
        ? [] : ["the dry run was refused with \(planned)", "the run with \(error)"]
    case (.success, .refused(let error)): return ["the dry run passed; the run was refused with \(error)"]
    case (.failure(let error), .done): return ["the run passed; the dry run was refused with \(error)"]
    }
  }

  private func differences(
    _ outcome: TransferOutcome, _ target: TransferSide, _ operation: TransferOperation,
    _ before: StorePicture,
    _ triggers: TransferTriggers?
  ) throws -> [String] {
    let expected = Result {
      var picture = try operation.expected()
      triggers?.count(in: &picture, after: before)
      try triggers?.refuse(picture, after: before)
      return picture
    }
    switch (outcome, expected) {
    case (.refused(let error), _)
    where operation.mayMeetZeros && error.code == .invalidValue && "\(error)".contains("U+0000"):
      return []
    case (.refused(let error), _)
    where operation.mayMeetNumbers && error.code == .invalidKey && "\(error)".contains("is a UUID"):
      return []
    case (.refused(let error), .success(let picture)):
      if error.code == .constraintFailed, triggers?.mayRefuse(picture, after: before) == true { return [] }
      return ["refused with \(error), which the rules allow"]
    // A row that the rules refuse, too, may have been ignored before.
    case (.refused(let error), .failure) where error.code == .rowCount && triggers?.ignoresRows == true:
      return []
    case (.refused(let error), .failure(let refusal as ReferenceRefusal)):
      return refusal.allows(error.code) ? [] : ["refused with \(error), not with \(refusal)"]
    case (.done(let found, let report), .success(let picture)):
      func lines(_ picture: StorePicture) -> PictureLines {
        PictureLines(picture, named: target.mark, before: before)
      }
      let differing = lines(found).differences(from: lines(picture))
      return differing + picture.counts.differences(from: report)
    case (.done, .failure(let error)): return ["done, and not refused with \(error)"]
    case (.refused, .failure(let error)): throw error
    }
  }
}
