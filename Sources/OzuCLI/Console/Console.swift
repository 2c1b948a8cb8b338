import Foundation

/// Where a command prints: results to one stream, messages to the other.
struct Console: Sendable {
  /// Writes to standard output.
  let writeOutput: @Sendable (String) -> Void
  /// Writes to standard error.
  let writeError: @Sendable (String) -> Void
  /// Whether a person sees the output, and escape sequences are understood.
  let outputIsTerminal: Bool
  /// Whether a person sees the messages.
  let errorIsTerminal: Bool
  /// Columns of the terminal.
  let width: Int
  /// Writes bytes that are no text to standard output.
  var writeData: @Sendable (Data) -> Void = { try? FileHandle.standardOutput.write(contentsOf: $0) }
  /// The next line of standard input without its end; `nil` at the end. Blocks.
  var readLine: @Sendable () -> String? = { Swift.readLine(strippingNewline: true) }

  /// Whether the reader of standard output has gone: nothing that is printed arrives.
  var outputIsGone: @Sendable () -> Bool = { false }

  /// The streams of the process.
  static let system = Console(
    writeOutput: { try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) },
    writeError: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
    outputIsTerminal: isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb",
    errorIsTerminal: isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb",
    width: terminalWidth,
    outputIsGone: {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
    })

  /// The same console with results among the messages, for commands that write bytes to standard output.
  var withoutOutput: Console {
    Console(
      writeOutput: writeError, writeError: writeError, outputIsTerminal: errorIsTerminal,
      errorIsTerminal: errorIsTerminal, width: width)
  }

  /// Prints a line of results.
  func print(_ text: String) { writeOutput(text + "\n") }

  /// Prints a line of messages.
  func printError(_ text: String) { writeError(text + "\n") }

  private static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
