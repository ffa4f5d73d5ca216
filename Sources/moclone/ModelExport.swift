import ArgumentParser
import Foundation
import MOCloneKit

extension ModelCommand {
  struct Export: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Writes the model as the XML of an Xcode model.",
      usage: "moclone model export [<options>]",
      discussion: """
        Read back it is the same model. What Core Data decides itself, such as tables and columns, is left out and \
        listed.

        EXAMPLES:
          moclone model export --xcdatamodel
          moclone model export --xcdatamodel -o Notes.xcdatamodeld
        """)

    @Flag(help: "Write the format of Xcode's model editor.")
    var xcdatamodel = false

    @Option(
      name: [.short, .customLong("output")],
      help: ArgumentHelp(
        "The .xcdatamodeld, .xcdatamodel or file to write. Default: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions

    func validate() throws {
      guard xcdatamodel else { throw ValidationError("name the format: pass --xcdatamodel") }
    }

    func run() throws {
      let (xml, omissions) = try project.loadModel().xcodeContents()
      try write(xml)
      for omission in omissions { Console.note(omission) }
    }

    private func write(_ xml: String) throws {
      guard let output else { return try Console.output.writeAll(xml) }
      let path = output.count > 1 && output.hasSuffix("/") ? String(output.dropLast()) : output
      _ = try NewFile(path)
      try DraftFile.checkFolder(of: path)
      let file = contents(of: path)
      if file != path {
        try FileManager.default.createDirectory(
          atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      }
      try NewFile(file).write(Data(xml.utf8))
      Console.note("wrote '\(output)'")
    }

    /// The file of the XML: a model with versions gets one of its own name.
    private func contents(of path: String) -> String {
      let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
      return switch (path as NSString).pathExtension {
      case "xcdatamodeld": "\(path)/\(name).xcdatamodel/contents"
      case "xcdatamodel": "\(path)/contents"
      default: path
      }
    }
  }
}
