#if SVG && os(Linux)
  import Foundation
  import Ozu
  import Testing

  @testable import OzuCLI

  /// Programs that stand in for a renderer that a hostile document has taken over.
  @Suite struct SVGProcessTests {
    private static let size = PixelSize(4, 3)

    struct StandIn: CustomTestStringConvertible {
      let testDescription: String
      let script: String
      let failure: SVGProcessFailure
      var deadline = Duration.seconds(60)

      init(_ name: String, _ script: String, _ failure: SVGProcessFailure, deadline: Duration = .seconds(60))
      {
        testDescription = name
        self.script = script
        self.failure = failure
        self.deadline = deadline
      }
    }

    /// A command of the shell that prints a head.
    private static func print(_ head: SVGMessageHead) -> String {
      "printf '" + head.bytes.map { "\\" + String($0, radix: 8) }.joined() + "'"
    }

    private static func pixels(_ size: PixelSize = size, byteCount: Int = 48) -> String {
      print(SVGMessageHead(.pixels, size: size, byteCount: byteCount))
    }

    private static let short = Duration.milliseconds(200)

    static let standIns = [
      StandIn("ends at once", "exit 3", .noAnswer(status: 3)),
      StandIn("crashes", "kill -SEGV $$", .crashed(signal: 11)),
      StandIn("uses up its time", "kill -XCPU $$", .cpuTime(seconds: 10)),
      StandIn(
        "aborts for want of memory", "echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$",
        .memory(byteCount: (256 << 20) + 4 * 48)),
      StandIn("never answers", "exec tail -n 0 -f \"$0\"", .deadline(short), deadline: short),
      StandIn(
        "closes its answer and goes on", "exec >/dev/null; exec tail -n 0 -f \"$0\"", .deadline(short),
        deadline: short),
      StandIn("floods its answer", "exec yes \"$0\"", .wrongAnswer),
      StandIn("floods the messages", "exec yes \"$0\" >&2", .flood),
      StandIn("answers another question", print(SVGMessageHead(.header, size: size)), .wrongAnswer),
      StandIn("answers with a question", print(SVGMessageHead(.draw, size: size)), .wrongAnswer),
      StandIn("draws another size", pixels(PixelSize(3, 4)), .wrongAnswer),
      StandIn(
        "draws more than was asked for", pixels(PixelSize(40_000, 40_000), byteCount: 6_400_000_000),
        .wrongAnswer),
      StandIn("promises more bytes", pixels(byteCount: 64), .wrongAnswer),
      StandIn("promises bytes without an end", pixels(byteCount: .max), .wrongAnswer),
      StandIn("ends among the pixels", "\(pixels()); printf 123", .noAnswer(status: 0)),
      StandIn(
        "hangs among the pixels", "\(pixels()); exec tail -n 0 -f \"$0\"", .deadline(short), deadline: short),
      StandIn(
        "gives a reason without an end",
        "\(print(SVGMessageHead(.failure, byteCount: 1 << 40))); exec yes \"$0\"",
        .wrongAnswer),
      StandIn(
        "gives a reason of several lines",
        "\(print(SVGMessageHead(.failure, byteCount: 6))); printf 'a\\nb\\033cd'",
        .refused("a b cd")),
      StandIn(
        "lacks a library", "\(print(SVGMessageHead(.unsupported, byteCount: 7))); printf 'no libx'",
        .unsupported("no libx")),
    ]

    /// A decoder whose renderer is a script. Not a file of its own: one that was written just now cannot be started while
    /// another test starts a process.
    private static func decoder(
      _ script: String, marker: String = "/dev/null", deadline: Duration
    ) -> SVGProcessDecoder {
      SVGProcessDecoder(program: "/bin/sh", arguments: ["-c", script, marker], deadline: deadline)
    }

    private static func draw(
      _ decoder: SVGProcessDecoder, _ data: Data = Data("<svg/>".utf8), isCancelled: Bool = false
    ) throws(DecodingError) -> Bitmap {
      let header = ImageHeader(type: .svg, storedSize: size, hasAlpha: true)
      return try decoder.draw(
        data, DecodePlan(header: header, resize: nil), DecodingContext(isCancelled: { isCancelled }))
    }

    @Test("nothing that the process does is more than an error, and it is gone then", arguments: standIns)
    func failures(_ standIn: StandIn) throws {
      // Every process of the script has its name among its arguments.
      let folder = try Folder()
      let marker = try folder.write(Data(), to: "marker")
      let decoder = Self.decoder(standIn.script, marker: marker, deadline: standIn.deadline)
      #expect(throws: standIn.failure.error(stage: "image data")) { try Self.draw(decoder) }
      #expect(Self.commandLines().allSatisfy { !$0.contains(marker) })
    }

    @Test("a document that nobody reads is no reason to wait")
    func unread() throws {
      let decoder = Self.decoder("exec yes \"$0\"", deadline: .seconds(600))
      let error = SVGProcessFailure.wrongAnswer.error(stage: "image data")
      #expect(throws: error) { try Self.draw(decoder, Data(count: 8 << 20)) }
    }

    @Test("a picture that nobody wants any more is not waited for")
    func cancelled() throws {
      let decoder = Self.decoder("exec tail -n 0 -f \"$0\"", deadline: .seconds(600))
      #expect(throws: DecodingError.cancelled) { try Self.draw(decoder, isCancelled: true) }
    }

    @Test("a program that is not there is an error")
    func absent() throws {
      let error = #expect(throws: DecodingError.self) {
        try Self.draw(SVGProcessDecoder(program: "/nowhere/ozu"))
      }
      #expect(error?.description == "the SVG decoder is not available: No such file or directory")
    }

    @Test("colours that are brighter than their alpha are brought down to it")
    func clamped() throws {
      let pixels = String(repeating: "\\377\\377\\377\\170", count: Self.size.pixelCount)
      let decoder = Self.decoder(
        "\(Self.pixels()); printf '\(pixels)'", deadline: .seconds(60))
      let bitmap = try Self.draw(decoder)
      #expect(bitmap[0, 0] == Pixel(red: 120, green: 120, blue: 120, alpha: 120))
      #expect(bitmap[3, 2] == Pixel(red: 120, green: 120, blue: 120, alpha: 120))
    }

    @Test("nothing of the environment goes on but what fonts, languages and libraries need")
    func environment() throws {
      setenv("OZU_TEST_SECRET", "s3cret", 1)
      let names = SVGRenderer.environment.map { $0.prefix { $0 != "=" } }
      #expect(!names.contains("OZU_TEST_SECRET") && !names.contains("PATH"))
      #expect(names.contains("SWIFT_BACKTRACE"))
    }

    /// The command lines of all processes.
    private static func commandLines() -> [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.filter { Int($0) != nil }.compactMap {
        (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\($0)/cmdline"))).map {
          String(decoding: $0, as: UTF8.self)
        }
      }
    }
  }

  @Suite struct SVGMessageHeadTests {
    @Test("a head is read as it was written")
    func roundTrip() {
      for kind in [SVGMessageHead.Kind.readHeader, .draw, .header, .pixels, .failure] {
        let head = SVGMessageHead(kind, size: PixelSize(70_000, 3), byteCount: 1 << 40)
        #expect(head.bytes.count == SVGMessageHead.byteCount)
        #expect(head.bytes.withUnsafeBytes { SVGMessageHead($0) } == head)
      }
    }

    @Test("bytes that are no head are none, each of them", arguments: 0..<12)
    func wrong(_ index: Int) {
      var bytes = SVGMessageHead(.pixels, size: PixelSize(1, 1), byteCount: 4).bytes
      bytes[index] ^= 0x80
      #expect(bytes.withUnsafeBytes { SVGMessageHead($0) } == nil)
      #expect(bytes.dropLast().withUnsafeBytes { SVGMessageHead($0) } == nil)
    }
  }
#endif
