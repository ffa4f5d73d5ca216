extension MusicStore {
  package static let artists = [
    "Northern Signal", "Os Ventos do Sul", "Mørk Nat", "O'Malley's Reel", "Kite & Key", "The 3 A.M. Club",
    "Björn Åkesson Trio", "Canção de Beira", "Ferry to Tallinn", "Quartetto Alba",
  ]
  private static let titles = [
    "Harbour Lights", "Live at the Old Mill", "Greatest Hits, Vol. 2", "Água e Sal", "[Untitled]",
    "Winterreise 09",
    "Don't Look Down", "Für immer", "100% Wool", "Slow Trains",
  ]
  private static let words = [
    "Rain", "Lantern", "Coração", "Midnight", "Ferrywoman", "Paper Boats", "Rua Nova", "Static", "Ashes",
    "Hallelujah?",
    "Blue (Reprise)", "Långt bort", "Tin Roof",
  ]
  private static let composers = [
    "NULL", "'A. Prado'", "'M. O''Malley, J. Byrne'", "'Åkesson'", "'traditional'",
  ]
  private static let genres = ["Rock", "Jazz", "Fado", "Folk", "Classical", "Metal"]
  private static let media = ["MPEG audio file", "Protected AAC audio file", "Purchased AAC audio file"]
  private static let playlists = ["Music", "90’s Music", "On-The-Go 1", "Classical 101", "Empty"]
  private static let people = [
    ("Helena", "Vasconcelos"), ("Luís", "Gonçalves"), ("Frank", "O'Hara"), ("Anja", "Sørensen"),
    ("Jürgen", "Weiß"),
    ("Marta", "Nowak"), ("Émile", "Lefèvre"), ("Ivy", "Hughes"), ("Tarō", "Ito"), ("Noor", "de Boer"),
  ]
  private static let places = [
    ("Lisbon", "NULL", "Portugal", "'1250-096'"), ("Calgary", "'AB'", "Canada", "'T2P 2T3'"),
    ("Cork", "NULL", "Ireland", "NULL"), ("København", "NULL", "Denmark", "'1720'"),
    ("Cupertino", "'CA'", "USA", "'95014'"),
  ]
  private static let regions = [("EU-N", "Nordics"), ("EU-S", "Iberia"), ("NA", "North America")]

  private static func text(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  private static func insert(_ table: String, _ rows: [[String]]) -> String {
    "INSERT INTO \"\(table)\" VALUES\n"
      + rows.map { "  (\($0.joined(separator: ", ")))" }.joined(separator: ",\n") + ";\n"
  }

  /// A hundred and twenty tracks on thirty albums, a tree of eight employees, twenty customers and what they bought.
  package static var rows: String {
    insert("Artist", artists.enumerated().map { ["\($0 + 1)", text($1)] })
      + insert("Genre", genres.enumerated().map { ["\($0 + 1)", text($1)] })
      + insert("MediaType", media.enumerated().map { ["\($0 + 1)", text($1)] })
      + insert(
        "Album", (0..<30).map { ["\($0 + 1)", text(titles[($0 * 7 + $0 / 10) % 10]), "\($0 % 10 + 1)"] })
      + tracks + playlistRows + employees + customers + invoices
  }

  private static func price(ofTrack track: Int) -> String { track % 7 == 0 ? "1.99" : "0.99" }

  private static var tracks: String {
    let prices = (0..<40).flatMap { i -> [[String]] in
      let track = "\(i * 3 + 1)"
      return [[track, "'Portugal'", "0.8"], [track, "'USA'", price(ofTrack: i)]]
    }
    return insert("Track", (0..<120).map(track)) + insert("Track Price", prices)
  }

  private static func track(_ i: Int) -> [String] {
    let name = text("\(words[i % 13]) \(i / 13 + 1)")
    let album = i == 119 ? "NULL" : "\(i / 4 + 1)"
    let genre = i % 11 == 0 ? "NULL" : "\(i % 6 + 1)"
    let bytes = i % 8 == 0 ? "NULL" : "\(4_000_000 + i * 51_977)"
    return [
      "\(i + 1)", name, album, "\(i % 3 + 1)", genre, composers[i % 5], "\(120_000 + i * 1_733)", bytes,
      price(ofTrack: i),
    ]
  }

  /// Every track is on the first list, and some of them on others; the last list has none.
  private static var playlistRows: String {
    let rows = (0..<120).flatMap { i -> [[String]] in
      var lists = [1]
      if i % 4 == 0 { lists.append(2) }
      if i % 9 == 0 { lists.append(3) }
      if i % 6 == 4 { lists.append(4) }
      return lists.map { ["\($0)", "\(i + 1)"] }
    }
    return insert("Playlist", playlists.enumerated().map { ["\($0 + 1)", text($1)] })
      + insert("PlaylistTrack", rows)
  }

  private static func address(_ i: Int) -> [String] {
    let place = places[i % 5]
    return [
      text("\(i + 1) \(words[i % 13]) Street"), text(place.0), place.1, text(place.2), place.3,
      text("+1 (403) 555-0\(100 + i)"), "NULL",
    ]
  }

  private static var employees: String {
    let places = (0..<8).flatMap { i in (0...i % 3).map { ["\(i + 1)", text(regions[$0].0)] } }
    return insert("Employee", (0..<8).map(employee))
      + insert("Region", regions.map { [text($0.0), text($0.1)] }) + insert("Employee Region", places)
  }

  private static func employee(_ i: Int) -> [String] {
    let managers = ["NULL", "1", "2", "2", "2", "1", "6", "6"]
    let (first, last) = people[i]
    let own = [
      "\(i + 1)", text(last), text(first), i == 0 ? "'General Manager'" : "'Sales Support Agent'",
      managers[i],
      "'196\(i)-02-18 00:00:00'", "'2002-0\(i + 1)-14 00:00:00'",
    ]
    return own + address(i) + [text("\(first.lowercased())@harbour-music.example")]
  }

  private static var customers: String { insert("Customer", (0..<20).map(customer)) }

  private static func customer(_ i: Int) -> [String] {
    let (first, last) = (people[i % 10].0, people[(i * 3 + 1) % 10].1)
    let own = ["\(i + 1)", text(first), text(last), i % 4 == 0 ? "'Harbour & Sons'" : "NULL"]
    return own + address(i) + ["'customer\(i + 1)@mail.example'", i == 19 ? "NULL" : "\(3 + i % 3)"]
  }

  /// Each total is the sum of the invoice's lines.
  private static var invoices: String {
    var invoices: [[String]] = []
    var lines: [[String]] = []
    for i in 0..<50 {
      let place = places[i % 5]
      var cents = 0
      for j in 0...i % 4 {
        let track = (i * 7 + j * 31) % 120
        cents += track % 7 == 0 ? 199 : 99
        lines.append(["\(lines.count + 1)", "\(i + 1)", "\(track + 1)", price(ofTrack: track), "1"])
      }
      let (year, month) = ("20\(10 + i / 12)", "\(i % 12 < 9 ? "0" : "")\(i % 12 + 1)")
      let total = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
      invoices.append([
        "\(i + 1)", "\(i * 3 % 19 + 1)", "'\(year)-\(month)-11 00:00:00'", "NULL", text(place.0), place.1,
        text(place.2), place.3, total,
      ])
    }
    return insert("Invoice", invoices) + insert("InvoiceLine", lines)
  }
}
