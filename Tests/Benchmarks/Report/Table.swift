import Foundation

/// One row of the table: what was measured, ours and the rival's, and what is to be reached.
struct TableRow {
  var work: String
  var rival: String
  var ours: String
  var theirs: String
  var ratio: String
  var toReach: String
  var spread: String

  static let heading = """
    | work | rival | ours | rival's | ratio | to reach | spread (least - greatest) |
    |---|---|---|---|---|---|---|
    """

  var markdown: String {
    "| " + [work, rival, ours, theirs, ratio, toReach, spread].joined(separator: " | ") + " |"
  }
}

extension TableRow {
  /// Two times side by side; the ratio is that of the medians.
  init(_ work: String, _ ours: Samples, against rival: String, _ theirs: Samples, atMost limit: Double) {
    self.init(
      work: work, rival: rival, ours: Unit.time(ours.median), theirs: Unit.time(theirs.median),
      ratio: Unit.ratio(ours.median / theirs.median), toReach: Unit.limit(limit),
      spread: "\(ours.spread); \(theirs.spread)")
  }

  /// Two times per unit of the work side by side.
  init(
    _ work: String, _ ours: Samples, against rival: String, _ theirs: Samples, units: Int,
    atMost limit: Double? = nil
  ) {
    func each(_ samples: Samples) -> String {
      String(format: "%.2f us", samples.median * 1_000_000 / Double(units))
    }
    self.init(
      work: work, rival: rival, ours: each(ours), theirs: each(theirs),
      ratio: Unit.ratio(ours.median / theirs.median), toReach: limit.map(Unit.limit) ?? "",
      spread: "\(ours.spread); \(theirs.spread)")
  }

  /// A time without a rival.
  init(_ work: String, _ ours: Samples, atMostMilliseconds limit: Int) {
    self.init(
      work: work, rival: "", ours: Unit.time(ours.median), theirs: "", ratio: "",
      toReach: "at most \(limit) ms", spread: ours.spread)
  }
}

/// Numbers as the table writes them.
enum Unit {
  static func time(_ seconds: Double) -> String {
    let milliseconds = seconds * 1000
    return String(format: milliseconds < 100 ? "%.2f ms" : "%.0f ms", milliseconds)
  }

  static func ratio(_ value: Double) -> String {
    String(format: value < 0.1 ? "%.3f x" : "%.2f x", value)
  }

  static func limit(_ ratio: Double) -> String {
    ratio <= 0.5 ? "at most 1/\(Int((1 / ratio).rounded()))" : String(format: "at most %.2f x", ratio)
  }

  static func megabytes(_ bytes: Double) -> String {
    String(format: "%.1f MB", bytes / 1_000_000)
  }

  static func count(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
