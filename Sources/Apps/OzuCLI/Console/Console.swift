import Dispatch
import Foundation
import OzuBase

/// Where a command prints: results to one stream, messages to the other.
struct Console: Sendable {
  let writeOutput: @Sendable (String) -> Void
  let writeError: @Sendable (String) -> Void
  /// Whether a person sees the output, and escape sequences are understood.
  let outputIsTerminal: Bool
  /// Whether a person sees the messages.
  let errorIsTerminal: Bool
  /// Columns of the terminal.
  let width: Int
  /// Whether lines of results, and of messages, have colours.
  var colors = (output: false, error: false)
  /// Writes bytes, which need not be text, to standard output.
  var writeData: @Sendable (Data) -> Void
  /// The next lines of standard input that have arrived, without their ends; `nil` at the end. Blocks.
  var readLines: @Sendable () -> [String]? = {
    let reader = LineReader(descriptor: STDIN_FILENO)
    return { reader.next() }
  }()

  /// Ends the process if the reader of standard output has gone, as a write would. For commands that rarely print.
  var checkOutput: @Sendable () -> Void = {}

  /// The number of the error that kept standard output from getting everything that was printed; nil without an error.
  var outputFailure: @Sendable () -> Int32? = { nil }

  /// Keeps texts that are written to standard error if a signal ends the process. `nil` drops them.
  var keepForSignal: @Sendable (String?) -> Void = { _ in }

  /// Whether the process goes on when the reader of its output has gone. A service does.
  static let outlivesItsReader = Atomic(false)

  /// The streams of the process. There is one, so that all writers share its lock.
  static let system: Console = {
    var console = Console(
      output: STDOUT_FILENO, error: STDERR_FILENO,
      outputIsTerminal: isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb",
      errorIsTerminal: isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb",
      width: columns(of: [STDOUT_FILENO, STDERR_FILENO]),
      onClosedOutput: {
        guard outlivesItsReader.load(ordering: .relaxed) else { Interruption.endForClosedOutput() }
        // Written by another thread than the one that holds the lock of the streams.
        DispatchQueue.global().async {
          Console.system.printError("ozu: nobody reads the log any more; requests are not logged")
        }
      })
    let areWanted = TerminalColors.areWanted(ProcessInfo.processInfo.environment)
    console.colors = (console.outputIsTerminal && areWanted, console.errorIsTerminal && areWanted)
    console.keepForSignal = { text in
      if let text { Interruption.addToMessage(text) } else { Interruption.clearMessage() }
    }
    return console
  }()

  /// The same console with results on standard error, for commands that write bytes to standard output.
  var withoutOutput: Console {
    let writeError = writeError
    var console = Console(
      writeOutput: writeError, writeError: writeError, outputIsTerminal: errorIsTerminal,
      errorIsTerminal: errorIsTerminal, width: width,
      writeData: { writeError(String(decoding: $0, as: UTF8.self)) })
    console.keepForSignal = keepForSignal
    console.colors = (colors.error, colors.error)
    return console
  }

  /// The columns that a line of a report may take: as many as the terminal has; `nil` where no person looks.
  var lineWidth: Int? { outputIsTerminal ? width : nil }

  /// Prints a line of results, with colours if the terminal has them.
  func print(_ line: StyledLine) { writeOutput(line.text(hasColors: colors.output) + "\n") }

  /// Prints a line of results. Control characters, which a server or a file may have put into it, are escaped; JSON stays
  /// valid JSON.
  func print(_ text: String) { writeOutput(PrintableText.escaped(text) + "\n") }

  /// Prints an object for programs, of a kind that `Documentation/ozu-output.schema.json` describes.
  func report(_ kind: String, _ members: [(String, JSON)]) { print(JSON.report(kind, members).text) }

  /// Prints a line of messages, in the same way. The name of the program in front of it is red on a terminal with colours.
  func printError(_ text: String) {
    let text = PrintableText.escaped(text)
    let name = "ozu: "
    guard colors.error, text.hasPrefix(name) else { return writeError(text + "\n") }
    writeError("\u{1B}[31m\(name)\u{1B}[0m\(text.dropFirst(name.count))\n")
  }

  /// Keeps lines of messages, so that they are printed if a signal ends the command before `printKeptErrors`.
  func keepErrors(_ lines: [String]) {
    // Overwrites a progress bar, if there is one.
    let start = errorIsTerminal ? "\r\u{1B}[K" : ""
    for line in lines { keepForSignal(start + PrintableText.escaped(line) + "\n") }
  }

  /// Prints lines of messages that may have been kept for a signal.
  func printKeptErrors(_ lines: [String]) {
    // A signal between the two calls may lose lines, but none is printed twice.
    keepForSignal(nil)
    lines.forEach(printError)
  }

  /// The columns of the first descriptor that is a terminal; 80 without one. Messages may go to one when results do not.
  static func columns(of descriptors: [Int32]) -> Int {
    for descriptor in descriptors {
      var size = winsize()
      if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    }
    return 80
  }
}

extension Console {
  /// Prints to descriptors. Each text is written in one piece, also when several threads print at the same time.
  ///
  /// - Parameter onClosedOutput: Called when the reader of the output has gone.
  init(
    output: Int32, error: Int32, outputIsTerminal: Bool = false, errorIsTerminal: Bool = false,
    width: Int = 80, onClosedOutput: @escaping @Sendable () -> Void = {}
  ) {
    let writer = DescriptorWriter { if $0 == output { onClosedOutput() } }
    self.init(
      writeOutput: { writer.write(Data($0.utf8), to: output) },
      writeError: { writer.write(Data($0.utf8), to: error) }, outputIsTerminal: outputIsTerminal,
      errorIsTerminal: errorIsTerminal, width: width, writeData: { writer.write($0, to: output) })
    outputFailure = { writer.failure(of: output) }
    checkOutput = {
      var output = pollfd(fd: output, events: 0, revents: 0)
      if poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 { onClosedOutput() }
    }
  }
}

/// Reads lines from a descriptor. Each call returns all lines that have arrived: a client that waits for each answer is
/// served at once, and thousands of lines take few calls.
///
/// One lock guards the beginning of a line whose end has not arrived yet; the reader blocks under it.
final class LineReader: Sendable {
  private struct State {
    var rest = Data()
    var isAtEnd = false
  }

  private let descriptor: Int32
  /// A longer line ends where this is reached: a device without line feeds would fill the memory.
  private let byteLimit: Int
  private let state = Mutex(State())

  init(descriptor: Int32, byteLimit: Int = 64 << 20) {
    (self.descriptor, self.byteLimit) = (descriptor, byteLimit)
  }

  /// The next lines without their ends, at least one; `nil` at the end. Blocks.
  func next() -> [String]? {
    state.withLock { state in
      while !state.isAtEnd {
        var chunk = Data(count: 64 << 10)
        let count = chunk.withUnsafeMutableBytes { BlockingCalls.read(descriptor, into: $0) }
        state.isAtEnd = count <= 0
        // The rest has no line feed, and may be long: find -print0 writes none.
        let start = state.rest.endIndex
        state.rest.append(chunk.prefix(max(0, count)))
        guard let end = state.rest[start...].lastIndex(of: 0x0A) else {
          if state.rest.count > byteLimit { break }
          continue
        }
        let whole = state.rest[..<end]
        let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: false).map(Self.text)
        state.rest = Data(state.rest[(end + 1)...])
        return lines
      }
      guard !state.rest.isEmpty else { return nil }
      defer { state.rest = Data() }
      return [Self.text(state.rest)]
    }
  }

  private static func text(_ line: Data) -> String {
    String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
  }
}

/// A line for people in parts, some of which have a colour where the terminal has colours.
struct StyledLine: Sendable {
  enum Style: Sendable {
    case plain
    /// What matters most: the name of a result.
    case strong
    /// What can be skipped.
    case faint

    /// The number of the attribute (ECMA-48, SGR); `nil` for none.
    fileprivate var attribute: Int? {
      switch self {
      case .plain: nil
      case .strong: 1
      case .faint: 2
      }
    }
  }

  private var parts: [(text: String, style: Style)] = []

  init(_ text: String = "", _ style: Style = .plain) { add(text, style) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { parts.append((text, style)) }
  }

  mutating func add(_ line: StyledLine) { parts += line.parts }

  /// The columns that it takes on a terminal.
  var columnCount: Int { parts.reduce(0) { $0 + $1.text.columnCount } }

  /// The text, in which control characters of the parts are escaped.
  func text(hasColors: Bool = false) -> String {
    parts.map { part in
      let text = PrintableText.escaped(part.text)
      guard hasColors, let attribute = part.style.attribute else { return text }
      return "\u{1B}[\(attribute)m\(text)\u{1B}[0m"
    }.joined()
  }

  /// A name with its middle left out, if it has more columns: both ends tell most.
  static func shortened(_ name: String, to columns: Int) -> String {
    guard columns > 1, name.columnCount > columns else { return name }
    let end = (columns - 1) * 2 / 3
    return name.prefix(columns: columns - 1 - end) + "…" + name.suffix(columns: end)
  }

  /// Two names in a line, which share the columns; 24 at least.
  static func shortened(_ names: (String, String), to columns: Int) -> (String, String) {
    let (first, second) = (names.0.columnCount, names.1.columnCount)
    guard first + second > columns else { return names }
    let room = max(columns, 24)
    let length = min(first, max(room / 2, room - second))
    return (shortened(names.0, to: length), shortened(names.1, to: room - length))
  }
}
