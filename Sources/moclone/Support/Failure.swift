import ArgumentParser
import Foundation
import MOCloneKit

/// A failure of the command that its message says all of.
protocol PlainFailure: Error, CustomStringConvertible {
  /// The status that the command ends with.
  static var status: Int32 { get }
  init(description: String)
}

extension PlainFailure {
  init(_ message: String) { self.init(description: message) }
}

/// A wrong call of the command line.
struct UsageError: PlainFailure {
  static let status: Int32 = 64
  var description: String
}

/// A missing file, or a missing part of one.
struct MissingFile: PlainFailure {
  static let status: Int32 = 66
  var description: String
}

/// Any other failure to run.
struct RunFailure: PlainFailure {
  static let status: Int32 = 2
  var description: String
}

/// The error that ends the command: its message on standard error, its status for the shell.
struct Failure {
  let error: any Error
  let arguments: [String]

  func report() -> Int32 {
    // What a signal ended failed for no other reason, whatever it says: a lock that was not waited for, say.
    Interruption.raiseAgain()
    switch error {
    case let error as CloneError:
      for failure in error.failures {
        Console.complain(failure.message.asSentence(keeping: failure.entity), code: failure.code)
      }
      return Self.exitStatus(of: error)
    case let error as ModelError:
      Console.errors.write(
        TextReporter(error.source, hasColour: Console.errors.hasColour).report(error.diagnostics))
      return error.diagnostics.contains { $0.code == .unreadableFile } ? 66 : 1
    case let error as any PlainFailure:
      Console.complain(error.description)
      return type(of: error).status
    case is CancellationError:
      Console.complain("the run was cancelled; nothing was changed")
      return 2
    default: return reportParsing()
    }
  }

  /// Help and version go to standard output, wrong arguments to standard error.
  private func reportParsing() -> Int32 {
    let status = MOClone.exitCode(for: error).rawValue
    let message = MOClone.fullMessage(for: error)
    guard status != 0 else {
      do { try Console.output.writeAll(message + "\n") } catch {
        Console.complain("\(error)")
        return 2
      }
      return 0
    }
    guard !(error is ExitCode) else { return status }
    guard status != 1 else {
      Console.complain(error.plainReason)
      return 2
    }
    if !message.isEmpty { Console.errors.write(message + "\n") }
    if let hint = Reserved.hint(arguments, message: message) { Console.complain(hint) }
    return status
  }

  /// Why something failed, as a part of another message.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let error as CloneError: error.failures[0].message
    case let error as RunFailure: error.description
    default: error.plainReason
    }
  }

  /// A value that objects or rows of a file have is no mistake of the call, but refused.
  private static func exitStatus(of error: CloneError) -> Int32 {
    let isGiven = error.failures.allSatisfy { $0.object == nil && $0.row == nil }
    let statuses = error.failures.map { $0.code == .invalidValue && !isGiven ? 1 : status(of: $0.code) }
    return statuses.max() ?? 2
  }

  static func status(of code: DiagnosticCode) -> Int32 {
    switch code {
    case .unknownEntity, .unknownName, .invalidKey, .invalidValue: 64
    case .noSuchObject, .noSuchStore, .unreadableFile: 66
    case .storeBusy: 75
    case .storeFull, .storeReadOnly, .storeDamaged, .storeFailed, .unwritableFile: 2
    default: 1
    }
  }
}
