import MOCloneKit
import MOCloneTesting

/// A model of boards, cards and what belongs to them, of a random shape, with what identifies each entity.
struct TransferModel {
  /// What shapes a case can have.
  struct Options: OptionSet {
    let rawValue: Int
    static let tree = Options(rawValue: 1)
    static let orderedCards = Options(rawValue: 2)
    static let orderedTags = Options(rawValue: 4)
    static let covers = Options(rawValue: 8)
    static let lines = Options(rawValue: 16)
    static let requiredBoards = Options(rawValue: 32)
    static let longNotes = Options(rawValue: 64)
    static let badges = Options(rawValue: 128)
    /// Triggers keep numbers in cards.
    static let counters = Options(rawValue: 256)
    /// What is counted comes before that in which it is counted.
    static let notesFirst = Options(rawValue: 512)
    /// Dates have more digits than milliseconds.
    static let longDates = Options(rawValue: 1024)
    /// Stickers refer to covers by the boards of these, a unique key that is itself a reference.
    static let stickers = Options(rawValue: 2048)
    /// Boards lead to one card, mostly of their own.
    static let leads = Options(rawValue: 4096)
    /// Boards lead to one of their own lines, by a reference that holds their own key.
    static let firstLines = Options(rawValue: 8192)
  }

  let options: Options
  /// The tables whose keys are UUIDs; the keys of others are numbers.
  let uuidTables: Set<String>
  /// How other programs write these keys, which need not be as the model says.
  private let keyForm: UUIDStorage
  let model: ObjectModel
  /// The kinds of values that each entity has, by entity.
  private(set) var kinds: [String: [ForeignValue]] = [:]
  private(set) var identifiedBy: IdentityRequest = [:]
  /// The attributes that are part of an identity.
  private(set) var identifying: [String: [String]] = [:]
  let dates: DateStorage
  let uuids: UUIDStorage

  private static let names = ["Person", "Board", "Card", "Note", "Tag", "Cover", "Sticker", "Line", "Badge"]

  /// - Parameters:
  ///   - deletes: whether relationships have delete rules of all kinds.
  ///   - constrains: whether the model says what is unique; else the call does.
  ///   - extras: what else it may have.
  init(
    _ random: inout SplitMix64, identified: Int = 85, deletes: Bool = false, constrains: Bool = true,
    excluding: Options = [], extras: Options = []
  ) throws {
    var options: Options = []
    for (option, percent) in [
      (Options.tree, 30), (.orderedCards, 50), (.orderedTags, 40), (.covers, 50), (.lines, 25),
      (.requiredBoards, 30), (.longNotes, 30), (.badges, 25),
    ] where random.chance(percent) {
      options.insert(option)
    }
    // Drawn aside, so that other shapes are what they are without counters.
    var before = random
    var aside = SplitMix64(seed: before.next() ^ 0xC0_4271)
    if aside.chance(35) {
      options.insert(.counters)
      if aside.chance(50) { options.insert(.notesFirst) }
    }
    var last = SplitMix64(seed: before.next() ^ 0xD_A7E5)
    if last.chance(30) { options.insert(.longDates) }
    let hasDays = last.chance(15)
    if options.contains(.covers), last.chance(60) { options.formUnion(extras.intersection(.stickers)) }
    var more = SplitMix64(seed: before.next() ^ 0x1EAD)
    if more.chance(30) { options.formUnion(extras.intersection(.leads)) }
    if options.contains(.lines), more.chance(60) { options.formUnion(extras.intersection(.firstLines)) }
    options.subtract(excluding)
    // The keys of lines consist of those of boards.
    let canBeUUIDs = Self.names.filter { $0 != "Line" && ($0 != "Board" || !options.contains(.lines)) }
    uuidTables =
      aside.chance(30) ? Set(canBeUUIDs.filter { _ in aside.chance(50) }.map { $0.lowercased() }) : []
    let otherForm = aside.pick([UUIDStorage.text, .lowercaseText, .compactText])
    self.options = options
    var withTimes: DateStorage = random.pick([.iso8601, .sqlite, .unix])
    if withTimes != .unix, last.chance(30) {
      withTimes = withTimes == .sqlite ? .sqliteSeconds : .iso8601Seconds
    }
    dates = hasDays ? .day : withTimes
    uuids = random.pick(UUIDStorage.allCases)
    keyForm = uuids != .blob && aside.chance(30) ? otherForm : uuids
    var constraints: [String: [String]] = [:]
    let missing = [
      (Options.covers, "Cover"), (.stickers, "Sticker"), (.lines, "Line"), (.badges, "Badge"),
    ].filter { !options.contains($0.0) }.map(\.1)
    for name in Self.names where !missing.contains(name) {
      let own = ForeignValue.all(dates, areLong: options.contains(.longDates)).shuffled(using: &random)
        .prefix(random.number(2...4))
      kinds[name] = Array(own)
      guard name != "Line" else {
        constraints[name] = ["board", "number"]
        kinds[name]!.removeAll { $0.name == "number" }
        continue
      }
      let fit = own.filter(\.canIdentify).map(\.name)
      guard let first = fit.first, random.chance(identified) else { continue }
      var names = [first]
      if fit.count > 1, random.chance(20) { names.append(fit[1]) }
      identifying[name] = names
      if name == "Card" || name == "Cover", random.chance(20) {
        let owner = identifying["Board"]?.count == 1 ? ".\(identifying["Board"]![0])" : ""
        names.append("board" + (random.chance(50) ? owner : ""))
      }
      if !constrains || random.chance(50) || names.contains(where: { $0.contains(".") }) {
        identifiedBy.paths[name] = names
      } else {
        constraints[name] = names
      }
    }
    let text = Self.yaml(options, kinds, constraints, uuidTables, dates, uuids, &random)
    var plain = try ObjectModel(yaml: text)
    if options.contains(.notesFirst) {
      plain = try ObjectModel(
        name: plain.name, store: plain.store,
        entities: plain.entities.filter { $0.name == "Note" } + plain.entities.filter { $0.name != "Note" })
    }
    model = deletes ? try Self.withDeleteRules(plain, &random) : plain
  }

  var hasLongDates: Bool { options.contains(.longDates) && ForeignValue.canBeLong(dates) }
  var isOrdered: Bool { options.contains(.orderedCards) || options.contains(.orderedTags) }

  /// The key of a row, as SQLite holds it.
  func key(_ number: Int, of table: String) -> String {
    guard uuidTables.contains(table) else { return "\(number)" }
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> (40 - 8 * $0)) }
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text = "0a4b8c00-0000-4000-8000-\(digits)"
    return switch keyForm {
    case .text: "'\(text.uppercased())'"
    case .lowercaseText: "'\(text)'"
    case .compactText: "'\(text.replacing("-", with: ""))'"
    case .blob: "x'\(text.replacing("-", with: ""))'"
    }
  }

  /// The type of a column that holds keys.
  func type(ofKeysOf table: String) -> String {
    !uuidTables.contains(table) ? "INTEGER" : uuids == .blob ? "BLOB" : "TEXT"
  }

  var entities: [String] { model.entities.filter { $0.parent == nil }.map(\.name) }

  private static func withDeleteRules(_ model: ObjectModel, _ random: inout SplitMix64) throws -> ObjectModel
  {
    var entities = model.entities
    for i in entities.indices {
      for j in entities[i].relationships.indices where entities[i].relationships[j].isToMany {
        entities[i].relationships[j].deleteRule = random.pick([
          .nullify, .nullify, .nullify, .cascade, .cascade, .deny,
        ])
      }
    }
    return try ObjectModel(name: model.name, store: model.store, entities: entities)
  }

  // MARK: Text

  private static func yaml(
    _ options: Options, _ kinds: [String: [ForeignValue]], _ constraints: [String: [String]],
    _ uuidTables: Set<String>, _ dates: DateStorage, _ uuids: UUIDStorage, _ random: inout SplitMix64
  ) -> String {
    var lines = [
      "version: 1", "name: Boards",
      "store: {dates: \(dates.rawValue), uuids: \(uuids.rawValue)}", "entities:",
    ]
    func add(_ name: String, _ relationships: [String], extra: [String] = []) {
      let values = kinds[name]!.map { "\($0.name): {type: \($0.type), optional: true}" }
      let date = random.chance(60) ? ["modified: {type: Date, optional: true}"] : []
      lines.append("  \(name):")
      lines.append("    attributes: {\((["mark: String"] + values + date + extra).joined(separator: ", "))}")
      if !relationships.isEmpty {
        lines.append("    relationships:")
        lines += relationships.map { "      " + $0 }
      }
      let isReferenced = name == "Cover" && options.contains(.stickers)
      let unique = [constraints[name]].compactMap { $0 } + (isReferenced ? [["board"]] : [])
      if !unique.isEmpty {
        let lists = unique.map { "[\($0.joined(separator: ", "))]" }.joined(separator: ", ")
        lines.append("    uniquenessConstraints: [\(lists)]")
      }
      if name == "Line" { lines.append("    primaryKey: [board_id, number]") }
      if uuidTables.contains(name.lowercased()) {
        lines.append("    primaryKey: {column: id, generate: uuid}")
      }
    }
    add(
      "Person",
      [
        "boards: {destination: Board, toMany: true, inverse: owner}",
        "assigned: {destination: Card, toMany: true, inverse: assignee}",
      ]
        + (options.contains(.badges)
          ? ["badges: {destination: Badge, toMany: true, column: person_id}"] : []))
    let tagOrder = options.contains(.orderedTags) ? ", ordered: true" : ""
    var ofBoards =
      [
        "owner: {destination: Person, optional: true, inverse: boards}",
        "cards: {destination: Card, toMany: true, inverse: board"
          + (options.contains(.orderedCards) ? ", ordered: true, orderColumn: position}" : "}"),
        "tags: {destination: Tag, toMany: true, inverse: boards, joinTable: {table: board_tag, column: board_id, "
          + "inverseColumn: tag_id\(tagOrder.isEmpty ? "" : ", orderColumn: place")}\(tagOrder)}",
      ]
    let firstLine = "[{column: id, references: board_id}, {column: first_number, references: number}]"
    for (option, relationship) in [
      (Options.covers, "cover: {destination: Cover, optional: true, inverse: board}"),
      (.lines, "lines: {destination: Line, toMany: true, inverse: board}"),
      (.leads, "lead: {destination: Card, optional: true}"),
      (.firstLines, "firstLine: {destination: Line, optional: true, column: \(firstLine)}"),
    ] where options.contains(option) {
      ofBoards.append(relationship)
    }
    add("Board", ofBoards)
    add(
      "Card",
      [
        "board: {destination: Board, optional: \(!options.contains(.requiredBoards)), inverse: cards}",
        "assignee: {destination: Person, optional: true, inverse: assigned}",
        "notes: {destination: Note, toMany: true, inverse: card}",
      ]
        + (options.contains(.tree)
          ? [
            "above: {destination: Card, optional: true, inverse: below}",
            "below: {destination: Card, toMany: true, inverse: above}",
          ] : []),
      extra: !options.contains(.counters)
        ? []
        : ["noteCount", "belowCount"].map {
          "\($0): {type: Integer 64, optional: true, default: 0, derived: trigger}"
        }
    )
    add("Note", ["card: {destination: Card, optional: true, inverse: notes}"])
    if options.contains(.longNotes) {
      lines += ["  LongNote:", "    parent: Note", "    attributes: {more: {type: String, optional: true}}"]
    }
    add(
      "Tag",
      [
        "boards: {destination: Board, toMany: true, inverse: tags"
          + (!tagOrder.isEmpty && random.chance(50) ? ", ordered: true, orderColumn: board_order}" : "}")
      ])
    if options.contains(.covers) {
      let hasStickers = options.contains(.stickers)
      add(
        "Cover",
        ["board: {destination: Board, optional: true, inverse: cover, column: board_id}"]
          + (hasStickers ? ["stickers: {destination: Sticker, toMany: true, inverse: cover}"] : []))
      if hasStickers {
        add(
          "Sticker",
          [
            "cover: {destination: Cover, optional: true, inverse: stickers, column: [{column: cover_board, references: board_id}]}"
          ])
      }
    }
    if options.contains(.lines) {
      add(
        "Line", ["board: {destination: Board, inverse: lines, column: board_id}"],
        extra: ["number: {type: Integer 64, column: number}"])
    }
    if options.contains(.badges) { add("Badge", []) }
    return lines.joined(separator: "\n")
  }
}
