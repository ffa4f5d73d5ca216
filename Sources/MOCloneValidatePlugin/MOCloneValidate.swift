import Foundation
import PackagePlugin

/// `swift package moclone-validate`: runs `moclone validate` in the package's folder and ends with its status.
///
/// It asks for the command when it runs rather than as a tool it depends on: SwiftPM would build all of moclone a
/// second time, for the host, at every build of this package.
@main
struct MOCloneValidate: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try command()
    process.arguments = ["validate"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }

  private func command() throws -> URL {
    let build = try packageManager.build(.product("moclone"), parameters: .init(logging: .concise))
    guard build.succeeded, let built = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
      Diagnostics.error(build.logText)
      throw Failure()
    }
    return built.url
  }

  private struct Failure: Error, CustomStringConvertible {
    let description = "moclone cannot be built"
  }
}
