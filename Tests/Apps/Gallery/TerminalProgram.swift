import Foundation

/// Runs a program in a terminal of its own.
enum TerminalProgram {
  /// The output of the program on a terminal with a number of columns.
  ///
  /// - Throws: when it cannot be run, or fails.
  static func output(of path: String, _ arguments: [String], columns: UInt16) async throws -> String {
    var (manager, subsidiary) = (Int32(-1), Int32(-1))
    var size = winsize(ws_row: 60, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&manager, &subsidiary, nil, nil, &size) == 0 else { throw CocoaError(.fileReadUnknown) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let terminal = FileHandle(fileDescriptor: subsidiary, closeOnDealloc: false)
    process.standardOutput = terminal
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm-256color"]) { $1 }
    try process.run()
    close(subsidiary)
    let data = await read(manager)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return String(decoding: data, as: UTF8.self)
  }

  /// Everything until the last writer has closed, which a terminal tells as an error. On a thread of its own: it blocks.
  private static func read(_ descriptor: Int32) async -> Data {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 4096))
        while case let count = Foundation.read(descriptor, &buffer, buffer.count), count > 0 {
          data += buffer[..<count]
        }
        close(descriptor)
        continuation.resume(returning: data)
      }
    }
  }
}
