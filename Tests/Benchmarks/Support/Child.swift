import Foundation

/// A process that ran to its end.
struct Child {
  let output: String
  let seconds: Double
  /// The peak of its memory, or that of this process where it is greater: the system counts from before the start.
  let peakBytes: Double

  /// Runs a program.
  ///
  /// - Throws: `BenchmarkError` where it does not end with status 0.
  init(_ program: String, _ arguments: [String]) throws {
    let pipe = Pipe()
    let clock = ContinuousClock()
    let start = clock.now
    let child = try Self.spawn(program, arguments, output: pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(child, &status, 0, &usage) == child, status == 0 else {
      throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed")
    }
    seconds = (clock.now - start).seconds
    output = String(decoding: data, as: UTF8.self)
    #if canImport(Darwin)
      peakBytes = Double(usage.ru_maxrss)
    #else
      peakBytes = Double(usage.ru_maxrss) * 1024
    #endif
  }

  private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      let environment = _NSGetEnviron().pointee
    #else
      var actions = posix_spawn_file_actions_t()
      let environment = environ
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let words = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, program, &actions, nil, words + [nil], environment)
    guard failure == 0 else {
      throw BenchmarkError("\(program) cannot be started: \(String(cString: strerror(failure)))")
    }
    return child
  }
}

/// The programs of this build.
enum Program {
  static let benchmarks = Bundle.main.executablePath ?? CommandLine.arguments[0]
  static let moclone = URL(fileURLWithPath: benchmarks).deletingLastPathComponent()
    .appendingPathComponent("moclone").path
}
