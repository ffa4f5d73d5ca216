import Foundation
import PackagePlugin

/// Compiles the `*.moclone.yml` of a target at build time: findings stand at their lines like the compiler's own, and
/// `ObjectModel.notes` and the constants of `NotesModel` come of `Notes.moclone.yml`.
@main
struct MOCloneModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    try commands(
      for: target.sourceModule?.sourceFiles.map(\.url) ?? [], tool: context.tool(named: "ModelCompiler").url,
      in: context.pluginWorkDirectoryURL)
  }

  private func commands(for files: [URL], tool: URL, in folder: URL) -> [Command] {
    let models = Dictionary(grouping: files.filter { $0.lastPathComponent.hasSuffix(".moclone.yml") }) {
      $0.lastPathComponent
    }
    for (name, same) in models where same.count > 1 {
      Diagnostics.error("The target has \(same.count) models called '\(name)'; give each a name of its own.")
    }
    return models.values.compactMap(\.first).sorted { $0.path < $1.path }.map { file in
      command(for: file, tool: tool, in: folder, settings: settings(above: file))
    }
  }

  private func command(for file: URL, tool: URL, in folder: URL, settings: URL?) -> Command {
    let name = file.deletingPathExtension().appendingPathExtension("swift").lastPathComponent
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
      try commands(
        for: target.inputFiles.map(\.url), tool: context.tool(named: "ModelCompiler").url,
        in: context.pluginWorkDirectoryURL)
    }
  }
#endif
