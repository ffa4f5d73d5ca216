import Foundation
import MOCloneEngine
import MOCloneModel

/// The program `dot` of Graphviz, where it is installed.
enum Graphviz {
  /// Draws a picture.
  ///
  /// - Throws: `DiagramError`.
  static func svg(of dot: String) throws -> String {
    let program = try program()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-\(UUID())")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (input, output) = (
        folder.appendingPathComponent("model.dot"), folder.appendingPathComponent("model.svg")
      )
      try Data(dot.utf8).write(to: input)
      let process = Process()
      process.executableURL = program
      process.arguments = ["-Tsvg", "-o", output.path, input.path]
      process.standardInput = FileHandle.nullDevice
      let complaints = Pipe()
      process.standardError = complaints
      try process.run()
      let said = complaints.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw failed(String(decoding: said, as: UTF8.self)) }
      return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    } catch let error as DiagramError {
      throw error
    } catch {
      throw failed(error.plainReason)
    }
  }

  private static func program() throws -> URL {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let places = path.split(separator: ":").map {
      URL(fileURLWithPath: String($0)).appendingPathComponent("dot")
    }
    if let program = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) {
      return program
    }
    throw DiagramError(
      "An SVG picture is drawn by Graphviz, whose program 'dot' is not in the PATH; install Graphviz, or use the format "
        + "mermaid or dot.")
  }

  private static func failed(_ reason: String) -> DiagramError {
    DiagramError(
      "Graphviz could not draw the picture: \(reason.trimmingCharacters(in: .whitespacesAndNewlines))")
  }
}

/// Why a picture could not be drawn.
public struct DiagramError: LocalizedError, CustomStringConvertible, Equatable {
  /// What is missing or went wrong, and what to do, as a sentence.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// What went wrong.
  public var errorDescription: String? { description }
}
