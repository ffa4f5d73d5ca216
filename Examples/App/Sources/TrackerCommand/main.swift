// tracker FILE new | list | copy ID NAME | search WORD
import Foundation
import GRDB
import Tracker

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, let verb = arguments.dropFirst().first else {
  print("usage: tracker FILE new | list | copy ID NAME | search WORD")
  exit(64)
}
let rest = Array(arguments.dropFirst(2))
let database = try AppDatabase(try DatabasePool(path: path))

switch (verb, rest.count) {
case ("new", 0): try database.makeExample()
case ("copy", 2): try database.copyProject(Int64(rest[0]) ?? 0, named: rest[1])
case ("search", 1):
  for card in try database.cards(with: rest[0]) {
    print("\(card.id!) \(card.title) of project \(card.projectId)")
  }
default: break
}
for project in try database.projects() {
  print("\(project.id!) \(project.name): \(project.cardCount) cards")
}
