import MOCloneKit

extension Work {
  static let subtree = Work("subtree") { try takeSubtree($0, keepsKeys: false) }
  static let cutOut = Work("cut-out") { try takeSubtree($0, keepsKeys: true) }

  static let copyOfOne = Work("copy-where") { input in
    try take(input) { source, target in
      let filter = CopyFilter("Customer", "name", .string(LargeShop.name))
      try target.copy(
        from: source,
        CopyRequest(
          entities: ["Customer"], identifiedBy: ["Customer": ["name"], "Order": ["number"]], filters: [filter]
        ))
    }
  }

  private static func takeSubtree(_ input: WorkInput, keepsKeys: Bool) throws {
    try take(input) { source, target in
      let root = try source.object("Customer", key: ObjectKey([.integer(LargeShop.key)])).id
      try target.clone(
        source.plan("Customer", CloneRequest()), roots: [root], from: source,
        SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
    }
  }

  private static func take(
    _ input: WorkInput, _ body: (_ source: SQLiteGraph, _ target: SQLiteGraph) throws -> Void
  ) throws {
    let model = try ObjectModel(yaml: LargeShop.model)
    let source = try SQLiteGraph(path: CopiedItems.source(of: input.path), model: model, isReadOnly: true)
    let target = try SQLiteGraph(path: input.path, model: model)
    try body(source, target)
    try target.close()
  }
}

extension Section {
  /// The same customer out of ever larger stores: the time follows what is taken.
  static let cuts = Section(name: "cuts") { setting in
    let orders = max(2, setting.rows / 3000)
    let shops = [100, 10, 1].map { LargeShop(count: setting.rows / $0, orders: orders) }
    let comparisons = try shops.map { shop in
      try setting.store(shop.store) { path in
        Console.note("making a shop of \(Unit.count(shop.count)) objects")
        try shop.make(at: path)
      }
    }
    let works = [
      (Work.copyOfOne, "`copy --where`"), (.subtree, "`clone --into`"),
      (.cutOut, "`clone --into --keep-keys`"),
    ]
    return try works.flatMap { work, title in
      for (shop, comparison) in zip(shops, comparisons) { try comparison.verify(work, shop.check) }
      Console.note("  timing \(work.name)")
      // Short runs: more of them.
      let samples = try alternate(
        setting.runs * 2, comparisons.map { side in { try side.onCopy(side.contender(work)) } })
      return zip(shops, samples).dropFirst().map { shop, sample in
        TableRow(
          "\(title): \(Unit.count(shop.taken)) of \(Unit.count(shop.count)) objects", sample,
          against: "the same of \(Unit.count(shops[0].count)) (ours too)", samples[0], atMost: 1.2)
      }
    }
  }
}
