import ArgumentParser
import MOCloneKit

/// Whether a store that Core Data made may be written.
struct CoreDataOptions: ParsableArguments {
  @Flag(
    help:
      "Write into a store that Core Data made. Apple supports no other writer of such stores: close the app that owns it first, and keep a copy."
  )
  var writeCoreData = false

  var writing: CoreDataWriting { writeCoreData ? .allowed : .refused }
}
