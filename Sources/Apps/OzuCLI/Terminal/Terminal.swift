import Foundation
import OzuBase

/// The terminal behind a descriptor: its size, and what it can show.
struct Terminal: Sendable {
  enum Graphics: String, CaseIterable, Sendable {
    /// The graphics protocol of kitty: every pixel in its colour.
    case kitty
    /// Every pixel, in 256 colours.
    case sixel
    /// Two pixels for each character.
    case blocks
  }

  /// The size in characters, and that of a character in pixels.
  struct Size: Equatable, Sendable {
    var columns = 80
    var rows = 24
    var cellWidth = 10
    var cellHeight = 20
  }

  let descriptor: Int32

  /// The size, with the defaults of `Size()` for values that the terminal does not report.
  var size: Size {
    var window = winsize()
    var size = Size()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return size
    }
    (size.columns, size.rows) = (Int(window.ws_col), Int(window.ws_row))
    if window.ws_xpixel >= window.ws_col { size.cellWidth = Int(window.ws_xpixel) / size.columns }
    if window.ws_ypixel >= window.ws_row { size.cellHeight = Int(window.ws_ypixel) / size.rows }
    return size
  }

  /// Asks the terminal what it can show. Blocks until it has answered or the time is over; without an answer the result is
  /// `blocks`. Keys that were typed before are lost.
  ///
  /// A terminal ignores a question that it does not know. So the question about kitty's protocol is followed by the one
  /// for the primary device attributes, which all terminals answer.
  func graphics(limit: Duration = .seconds(1)) -> Graphics {
    // Another job in the foreground owns the keyboard; to change the mode of its terminal would stop this process.
    let foreground = tcgetpgrp(descriptor)
    guard foreground == -1 || foreground == getpgrp() else { return .blocks }
    // The console of Linux prints control sequences that it does not know.
    guard ProcessInfo.processInfo.environment["TERM"] != "linux" else { return .blocks }
    guard (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR, let mode = RawMode(descriptor) else {
      return .blocks
    }
    let answer = write(KittyGraphics.query + "\u{1B}[c") ? answer(limit: limit) : ""
    mode.end()
    if answer.contains(Self.interruption) { Interruption.interrupt() }
    return Self.graphics(inAnswer: answer)
  }

  /// Ctrl-C, as it arrives while a terminal makes no signals of keys.
  private static let interruption: Character = "\u{3}"

  /// Reads the answer to both questions.
  static func graphics(inAnswer answer: String) -> Graphics {
    if answer.contains(KittyGraphics.answer) { return .kitty }
    guard let attributes = answer.firstMatch(of: /\u{1B}\[\?([0-9;]*)c/)?.output.1 else { return .blocks }
    return attributes.split(separator: ";").dropFirst().contains("\(SixelImage.attribute)") ? .sixel : .blocks
  }

  private func write(_ text: String) -> Bool {
    DescriptorWriter().write(Data(text.utf8), to: descriptor)
  }

  /// The text that arrives until the end of the last answer, Ctrl-C or the limit.
  private func answer(limit: Duration) -> String {
    let end = ContinuousClock.now + limit
    var bytes: [UInt8] = []
    while bytes.count < 1024 {
      let left = Int32(clamping: max(0, ContinuousClock.now.duration(to: end) / .milliseconds(1)))
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&entry, 1, left)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { break }
      var chunk = [UInt8](repeating: 0, count: 256)
      let length = read(descriptor, &chunk, chunk.count)
      guard length > 0 else { break }
      bytes += chunk[..<length]
      let text = String(decoding: bytes, as: UTF8.self)
      if text.contains(Self.interruption) || text.contains(/\u{1B}\[\?[0-9;]*c/) { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A terminal without echo that passes on each character at once, until `end` or a signal restores its mode. Keys make no
/// signals, because a signal without a handler would leave the terminal in this mode.
private struct RawMode {
  private let descriptor: Int32
  private let former: termios

  /// `nil` if the descriptor is not a terminal.
  init?(_ descriptor: Int32) {
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { return nil }
    (self.descriptor, former) = (descriptor, mode)
    mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    let (raw, former) = (mode, former)
    let isSet = Interruption.holdingOff {
      Interruption.setTerminal((descriptor, former))
      var raw = raw
      return tcsetattr(descriptor, TCSANOW, &raw) == 0
    }
    if !isSet {
      end()
      return nil
    }
  }

  func end() {
    Interruption.holdingOff {
      var former = former
      // Drops late answers, so that they do not become input of the shell.
      tcsetattr(descriptor, TCSAFLUSH, &former)
      Interruption.setTerminal(nil)
    }
  }
}
