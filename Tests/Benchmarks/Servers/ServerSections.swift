import Foundation

extension Section {
  /// Small notes in PostgreSQL, on the server that `MOCLONE_POSTGRES` names; nothing where it names none.
  static let postgres = Section(name: "postgres") { setting in
    #if PostgreSQL
      guard let server = ProcessInfo.processInfo.environment["MOCLONE_POSTGRES"] else { return [] }
      let clients = ServerClients(
        location: try ServerNotes.make(on: server), clones: min(2_000, setting.rows))
      Console.note("  timing small clones in PostgreSQL")
      let alone = try alternate(setting.runs, [clients.byMoclone, clients.byHand])
      let together = try alternate(setting.runs, [{ try clients.all(among: 8) }, clients.byMoclone])
      return [
        TableRow(
          "PostgreSQL, a note of 21 rows, connection open", alone[0],
          against: "one prepared statement of CTEs by hand (libpq)", alone[1], units: clients.clones,
          atMost: 1.5),
        TableRow(
          "PostgreSQL, the same by 8 connections at once", together[0], against: "by 1 connection",
          together[1], units: clients.clones, atMost: 1 / 1.6),
      ]
    #else
      return []
    #endif
  }
}
