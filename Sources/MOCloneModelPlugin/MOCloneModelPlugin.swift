import Foundation
import PackagePlugin

/// Compiles the `*.moclone.yml` of a target at build time: findings stand at their lines like the compiler's own, and
/// `ObjectModel.notes` and the constants of `NotesModel` come of `Notes.moclone.yml`.
@main
struct MOCloneModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let files = target.sourceModule?.sourceFiles else { return [] }
    return try files.map(\.url).filter { $0.lastPathComponent.hasSuffix(".moclone.yml") }.map { file in
      try command(
        for: file, tool: context.tool(named: "ModelCompiler").url, in: context.pluginWorkDirectoryURL,
        settings: settings(above: file))
    }
  }

  private func command(for file: URL, tool: URL, in folder: URL, settings: URL?) -> Command {
    let name = file.lastPathComponent.replacingOccurrences(of: ".moclone.yml", with: "Model.swift")
    let output = folder.appendingPathComponent(name)
    let inputs = [file] + (settings.map { [$0] } ?? [])
    return .buildCommand(
      displayName: "Compiling \(file.lastPathComponent)", executable: tool,
      arguments: [file.path, output.path] + inputs.dropFirst().map(\.path), inputFiles: inputs,
      outputFiles: [output])
  }

  /// The `moclone.yml` that `moclone validate` would use, for its severities.
  private func settings(above file: URL) -> URL? {
    var folder = file.deletingLastPathComponent()
    while folder.pathComponents.count > 1 {
      let settings = folder.appendingPathComponent("moclone.yml")
      if FileManager.default.fileExists(atPath: settings.path) { return settings }
      folder.deleteLastPathComponent()
    }
    return nil
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension MOCloneModelPlugin: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      let files = target.inputFiles.map(\.url).filter { $0.lastPathComponent.hasSuffix(".moclone.yml") }
      return try files.map { file in
        try command(
          for: file, tool: context.tool(named: "ModelCompiler").url, in: context.pluginWorkDirectoryURL,
          settings: settings(above: file))
      }
    }
  }
#endif
