#if os(Linux)
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite("`ozu show`, in a pseudo terminal that answers")
  struct ShowCommandTests {
    private static let photo = PatternPicture(PixelSize(320, 240), tint: 3)

    /// A terminal of its own making, with `ozu` in it.
    private final class Pseudo: Sendable {
      let main: Int32
      let other: Int32
      let process: ProcessBox
      // Kept until the process has ended.
      private let folder: Folder

      /// The process, which only the thread of a test touches.
      final class ProcessBox: @unchecked Sendable {
        // Unchecked: made in `init`, then used by one task at a time.
        let process = Process()
      }

      init(_ arguments: [String], in folder: Folder, term: String = "xterm-256color") throws {
        main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), macros that Swift cannot import: unlock the other end and get its
        // number.
        var (lock, number): (Int32, UInt32) = (0, 0)
        _ = ioctl(main, UInt(0x4004_5431), &lock)
        _ = ioctl(main, UInt(0x8004_5430), &number)
        other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 11, ws_col: 40, ws_xpixel: 320, ws_ypixel: 176)
        _ = ioctl(main, UInt(TIOCSWINSZ), &size)
        self.folder = folder
        process = ProcessBox()
        let process = process.process
        process.executableURL = try ChildRun.program
        process.arguments = ["show", "--no-cache"] + arguments
        process.currentDirectoryURL = folder.url
        process.environment = childEnvironment.merging(["TERM": term]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: other)
        process.standardError = FileHandle(fileDescriptor: other)
        try process.run()
      }

      deinit {
        close(main)
        close(other)
      }

      /// The mode of the terminal, as bytes that can be compared.
      var mode: [UInt32] {
        var mode = termios()
        tcgetattr(other, &mode)
        return [mode.c_iflag, mode.c_oflag, mode.c_cflag, mode.c_lflag]
      }

      /// The output until the process ends. When the question comes, it is answered with a text.
      func output(answering answer: String?, signal number: Int32? = nil) async -> String {
        await ChildRun.onThread { [self] in
          var bytes: [UInt8] = []
          var hasAnswered = false
          while true {
            var entry = pollfd(fd: main, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 20) == 1 {
              var chunk = [UInt8](repeating: 0, count: 4096)
              let count = read(main, &chunk, chunk.count)
              if count > 0 { bytes += chunk[..<count] }
            } else if !process.process.isRunning {
              break
            }
            // The last byte of the question.
            if !hasAnswered, let last = bytes.last, last == UInt8(ascii: "c"), bytes.count < 100 {
              hasAnswered = true
              if let answer {
                _ = answer.utf8CString.withUnsafeBytes { write(main, $0.baseAddress, $0.count - 1) }
              }
              if let number { kill(process.process.processIdentifier, number) }
            }
          }
          return String(decoding: bytes, as: UTF8.self)
        }
      }
    }

    private static func folder() throws -> Folder {
      let folder = try Folder()
      try folder.write(photo.data(as: .png), to: "a.png")
      return folder
    }

    private static let question = KittyGraphics.query + "\u{1B}[c"

    @Test("a terminal of kitty's kind gets a PNG of its size, in chunks")
    func kitty() async throws {
      let terminal = try Pseudo(["a.png"], in: Self.folder())
      let before = terminal.mode
      let output = await terminal.output(answering: "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4c")
      #expect(output.hasPrefix(Self.question))
      let data = try #require(Self.png(inKitty: output))
      let picture = try ImagePipeline.Configuration().decoding.codecs.picture(from: data)
      // 40 columns of 8 pixels, 10 of 11 rows of 16.
      #expect(picture.size == PixelSize(213, 160) && Self.photo.resembles(picture.bitmap))
      #expect(terminal.mode == before && terminal.process.process.terminationStatus == 0)
    }

    /// The bytes in the chunks of a text; `nil` when the chunks do not follow the protocol.
    private static func png(inKitty text: String) -> Data? {
      let chunks = text.matches(of: /\u{1B}_G(a=T,f=100,q=2,)?m=([01]);([A-Za-z0-9+\/=]*)\u{1B}\\/)
      for (index, chunk) in chunks.enumerated() {
        let isLast = index == chunks.count - 1
        guard (chunk.output.1 != nil) == (index == 0), (chunk.output.2 == "0") == isLast,
          chunk.output.3.count <= 4096, isLast || chunk.output.3.count % 4 == 0
        else { return nil }
      }
      return Data(base64Encoded: chunks.map { String($0.output.3) }.joined())
    }

    @Test("chunks of any number of bytes", arguments: [1, 3071, 3072, 3073, 6144, 10_000])
    func chunks(_ count: Int) {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) })
      #expect(Self.png(inKitty: KittyGraphics.text(png: data)) == data)
    }

    @Test(
      "one that says 4 among its attributes gets sixels", arguments: ["\u{1B}[?62;4;22c", "\u{1B}[?4;4c"])
    func sixel(_ answer: String) async throws {
      let terminal = try Pseudo(["a.png"], in: Self.folder())
      let output = await terminal.output(answering: answer)
      let image = try #require(SixelReader(output.dropFirst(Self.question.count)))
      #expect(image.bitmap.size == PixelSize(213, 160))
      #expect(Self.photo.resembles(image.bitmap, tolerance: 40))
    }

    @Test(
      "any other gets half blocks: one that says so, one that is silent, and the console of Linux, which is not asked",
      arguments: [("\u{1B}[?4c", "xterm"), ("\u{1B}[?62;14;40c", "xterm"), (nil, "xterm"), (nil, "linux")]
        as [(String?, String)])
    func blocks(_ answer: String?, _ term: String) async throws {
      let terminal = try Pseudo(["a.png"], in: Self.folder(), term: term)
      let before = terminal.mode
      let output = await terminal.output(answering: answer)
      #expect(output.hasPrefix(Self.question) == (term == "xterm"))
      let lines = output.split(separator: "\r\n").filter { $0.contains("▀") }
      #expect(lines.count == 10 && lines[0].count { $0 == "▀" } == 27)
      #expect(terminal.mode == before)
    }

    @Test(
      "a signal while the terminal is asked gives it its mode back", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(_ number: Int32) async throws {
      let terminal = try Pseudo(["a.png"], in: Self.folder())
      let before = terminal.mode
      _ = await terminal.output(answering: nil, signal: number)
      let process = terminal.process.process
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
      #expect(terminal.mode == before)
    }

    @Test("Ctrl-C while the terminal is asked ends the process")
    func controlC() async throws {
      let terminal = try Pseudo(["a.png"], in: Self.folder())
      let before = terminal.mode
      let output = await terminal.output(answering: "\u{3}")
      let process = terminal.process.process
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
      #expect(terminal.mode == before && !output.contains("▀"))
    }

    @Test("without a terminal it fails with a message, unless --protocol is given")
    func noTerminal() async throws {
      let folder = try Self.folder()
      let none = try await ChildRun(["show", "a.png", "--no-cache"], in: folder)
      #expect(none.status == 1 && none.output.isEmpty)
      #expect(
        none.errors
          == "ozu show: standard output is not a terminal; with --protocol it is written to all the same\n")
      let run = try await ChildRun(
        ["show", "a.png", "none.png", "--no-cache", "-p", "sixel", "--columns", "5"], in: folder)
      #expect(run.status == 1 && run.errors.hasPrefix("ozu: none.png: "))
      #expect(SixelReader(run.text[...])?.bitmap.size == PixelSize(50, 38))
    }
  }
#endif
