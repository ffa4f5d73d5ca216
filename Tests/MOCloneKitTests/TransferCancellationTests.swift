import Foundation
import GRDB
import MOCloneKit
import Synchronization
import Testing

@Suite("Cancelling work that moves data")
struct TransferCancellationTests {
  @Test(
    "Cancelled at any moment it leaves nothing, and then does all on the same connection",
    arguments: TransferWork.Kind.allCases)
  func anyMoment(_ kind: TransferWork.Kind) throws {
    let whole = try TransferWork(kind, rows: 2000)
    let looks = Looks()
    try whole.perform(TransferOptions(looks))
    let done = try whole.contents()

    let work = try TransferWork(kind, rows: 2000)
    let before = try work.contents()
    try #require(done != before)
    for place in stride(from: 1, through: looks.number, by: max(1, looks.number / 8)) {
      #expect(throws: CancellationError.self) { try work.perform(TransferOptions(Looks(from: place))) }
      #expect(try work.contents() == before, "look \(place)")
    }
    try work.perform()
    #expect(try work.contents() == done)
  }

  @Test(
    "It is also asked while a statement runs: more often for more rows", arguments: TransferWork.Kind.allCases
  )
  func withinStatements(_ kind: TransferWork.Kind) throws {
    let looks = try [20, 20_000].map { rows in
      let work = try TransferWork(kind, rows: rows)
      let looks = Looks()
      try work.perform(TransferOptions(looks))
      return looks.number
    }
    // A reader of rows asks as well, once for a thousand or more.
    #expect(looks[1] - looks[0] > 2 * 20)
  }

  @Test("A cancelled task ends a statement", arguments: TransferWork.Kind.allCases)
  func task(_ kind: TransferWork.Kind) async throws {
    let (before, queue) = try await Task {
      let work = try TransferWork(kind, rows: 5000)
      let before = try work.contents()
      let looks = Looks()
      try work.perform(TransferOptions(isDryRun: true, asking: looks))
      let middle = Looks(from: looks.number / 2) {
        withUnsafeCurrentTask { $0?.cancel() }
        return false
      }
      #expect(throws: CancellationError.self) { try work.perform(TransferOptions(middle)) }
      return (before, work.queue)
    }.value
    #expect(try TransferWork.contents(of: queue) == before)
  }

  @Test("A cancelled Progress ends the run that it observes", arguments: TransferWork.Kind.allCases)
  func progress(_ kind: TransferWork.Kind) throws {
    let work = try TransferWork(kind, rows: 5000)
    let before = try work.contents()
    let observer = Progress(totalUnitCount: -1)
    var options = TransferOptions()
    options.progress = { _ in observer.cancel() }
    #expect(throws: CancellationError.self) { try work.perform(options.observed(by: observer)) }
    #expect(try work.contents() == before)
  }

  @Test(
    "In a caller's transaction only the work is taken back",
    arguments: [TransferWork.Kind.dedupe, .sync, .importing])
  func callersTransaction(_ kind: TransferWork.Kind) throws {
    let work = try TransferWork(kind, rows: 5000)
    let looks = Looks()
    try work.queue.write { db in
      try SQLiteGraph.with(db, model: TransferWork.model) {
        _ = try work.perform(TransferOptions(isDryRun: true, asking: looks), in: $0)
      }
    }
    let before = try work.contents()
    for place in stride(from: 1, through: looks.number, by: max(1, looks.number / 10)) {
      try work.queue.write { db in
        try db.execute(sql: "INSERT INTO item(id, name) VALUES (?, 'own')", arguments: [1_000_000 + place])
        #expect(throws: CancellationError.self, "look \(place)") {
          try SQLiteGraph.with(db, model: TransferWork.model) {
            _ = try work.perform(TransferOptions(Looks(from: place)), in: $0)
          }
        }
        try db.execute(sql: "DELETE FROM item WHERE name = 'own'")
        #expect(db.changesCount == 1)
      }
      #expect(try work.contents() == before, "look \(place)")
    }
  }
}

@Suite("Progress of work that moves data")
struct TransferProgressTests {
  @Test("A copy tells within its statements how many objects it has gone through", arguments: [0, 1])
  func copy(_ phase: Int) throws {
    let work = try TransferWork(.copy, rows: 20_000)
    let events = Mutex<[TransferProgress]>([])
    try work.perform(TransferOptions(progress: { event in events.withLock { $0.append(event) } }))
    let phases: [TransferProgress.Phase] = [.finding, .writing]
    let all = events.withLock { $0 }
    #expect(all.map(\.phase).firstIndex(of: .writing)! > 0)
    let own = all.filter { $0.phase == phases[phase] }
    #expect(own.allSatisfy { $0.total == 40_000 })
    let counts = own.map(\.count)
    #expect(counts == counts.sorted())
    #expect(counts.first == 0 && counts.last == 40_000)
    #expect(Set(counts).count > 10)
    #expect(own.last?.objects == ["Item": 20_000, "Part": 20_000])
  }

  @Test("An import tells how many rows it has read, found and written", arguments: [1, 3, 5000])
  func importing(_ rows: Int) throws {
    let work = try TransferWork(.importing, rows: rows)
    let events = Mutex<[TransferProgress]>([])
    try work.perform(TransferOptions(progress: { event in events.withLock { $0.append(event) } }))
    let all = events.withLock { $0 }
    for phase in TransferProgress.Phase.allCases {
      let last = all.last { $0.phase == phase }
      #expect(last == TransferProgress(phase, objects: ["Item": rows], total: rows))
    }
    #expect(all.last?.phase == .writing)
  }

  @Test("A Progress never falls, and is full at the end alone", arguments: TransferWork.Kind.allCases)
  func observer(_ kind: TransferWork.Kind) throws {
    let work = try TransferWork(kind, rows: 5000)
    let observer = Progress(totalUnitCount: -1)
    let seen = Mutex<[Double]>([])
    var options = TransferOptions().observed(by: observer)
    options.progress = { [observe = options.progress] progress in
      observe?(progress)
      seen.withLock { $0.append(observer.fractionCompleted) }
    }
    try work.perform(options)
    let fractions = seen.withLock { $0 }
    #expect(fractions == fractions.sorted())
    #expect(fractions.allSatisfy { $0 < 1 } && Set(fractions).count > 2)
    #expect(observer.completedUnitCount == observer.totalUnitCount && observer.isFinished)
  }

  @Test(
    "Sync and dedupe tell how many objects they have compared", arguments: [TransferWork.Kind.sync, .dedupe])
  func finding(_ kind: TransferWork.Kind) throws {
    let work = try TransferWork(kind, rows: 20_000)
    let events = Mutex<[TransferProgress]>([])
    try work.perform(TransferOptions(progress: { event in events.withLock { $0.append(event) } }))
    let found = events.withLock { $0 }.filter { $0.phase == .finding }.map { $0.objects["Item"] ?? 0 }
    #expect(found == found.sorted())
    #expect(found.last == (kind == .sync ? 10_000 : 20_000))
    #expect(Set(found).count > 5)
  }
}

@Suite("Copying a database into memory")
struct MemoryCopyTests {
  private func copy(_ work: TransferWork, _ options: TransferOptions = TransferOptions()) throws
    -> MemoryGraph
  {
    let memory = MemoryGraph(model: TransferWork.model)
    try memory.copy(from: work.graph, options: options)
    return memory
  }

  @Test(
    "Cancelled at any moment it ends, also while it reads",
    arguments: [CopyRequest(), CopyRequest(entities: ["Item"])])
  func cancelled(_ request: CopyRequest) throws {
    let work = try TransferWork(.copy, rows: 8000)
    let looks = Looks()
    try MemoryGraph(model: TransferWork.model).copy(
      from: work.graph, request, options: TransferOptions(looks))
    #expect(looks.number > 20)
    for place in stride(from: 1, through: looks.number, by: max(1, looks.number / 8)) {
      let memory = MemoryGraph(model: TransferWork.model)
      #expect(throws: CancellationError.self, "look \(place)") {
        try memory.copy(from: work.graph, request, options: TransferOptions(Looks(from: place)))
      }
      #expect(try memory.count("Item") == 0)
    }
  }

  @Test("It tells how many objects it has read")
  func progress() throws {
    let events = Mutex<[TransferProgress]>([])
    let options = TransferOptions(progress: { event in events.withLock { $0.append(event) } })
    _ = try copy(TransferWork(.copy, rows: 4000), options)
    let read = events.withLock { $0 }.filter { $0.phase == .reading }
    #expect(read.first?.count == 0)
    #expect(read.last?.objects == ["Item": 2000, "Part": 2000])
    #expect(Set(read.map(\.count)).count > 5)
  }

  @Test("A statement reads hundreds of objects")
  func statements() throws {
    let statements = Mutex(0)
    let work = try TransferWork(.copy, rows: 4000) { _ in statements.withLock { $0 += 1 } }
    statements.withLock { $0 = 0 }
    let memory = try copy(work)
    #expect(statements.withLock { $0 } < 100)
    #expect(try memory.count("Item") == 2000)
    #expect(try memory.objects("Part")[999].destination("item")?.value("name") == "Item 1000")
  }
}

extension TransferOptions {
  fileprivate init(isDryRun: Bool, asking looks: Looks) {
    self.init(looks)
    self.isDryRun = isDryRun
  }
}
