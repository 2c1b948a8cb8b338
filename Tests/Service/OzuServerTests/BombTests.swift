import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuServer

/// Small files with very large pictures, requested from a real `ozu serve` that decodes in separate processes.
@Suite("Bombs", .timeLimit(.minutes(10)))
struct BombTests {
  @Test("a decompression bomb costs no more than the limit on processor time, and the service continues")
  func bomb() async throws {
    let origin = try LoopbackServer()
    origin.route("/bomb.png", .ok(Self.bomb(side: 7000), type: "image/png"))
    origin.route("/good.png", .ok(try PatternPicture(PixelSize(64, 48)).data(as: .png), type: "image/png"))
    let service = try ServeProcess(["OZU_PROCESSOR_TIME": "0.5"])
    func status(_ name: String) async throws -> Int {
      let client = try TestClient(port: try await service.port())
      client.send(
        "GET /x/rs:fit:64:64/plain/http://127.0.0.1:\(origin.port)/\(name)@png HTTP/1.1\r\nHost: a\r\n\r\n")
      return try await client.answer().status
    }
    // The first picture starts the processes that decode.
    #expect(try await status("good.png") == 200)
    let before = Self.processorTime(of: service.process.processIdentifier)
    // A quick machine may be done before the limit: then it is a picture, and has cost no more than that.
    let answer = try await status("bomb.png")
    #expect(answer == 422 || answer == 200)
    let spent = Self.processorTime(of: service.process.processIdentifier) - before
    // Processor time, not wall time: it hardly depends on other programs. The limit is checked between rows. Under a sanitizer the start of a process already takes one second.
    #if !OZU_ASAN && !OZU_TSAN
      #expect(spent < 1 + 0.5 * MachineSpeed.slowness, "\(spent) s")
    #else
      _ = spent
    #endif
    #expect(try await status("good.png") == 200)
  }

  @Test("numbers that no type holds, in files and in answers, end one answer and not the service")
  func numbers() async throws {
    let origin = try LoopbackServer()
    let good = try PatternPicture(PixelSize(64, 48)).data(as: .jpeg)
    // A gain map whose attribute ends in the middle.
    let text =
      "http://ns.adobe.com/xap/1.0/\0 hdrgm:Version=\"1.0\" hdrgm:HDRCapacityMax=\"2\" hdrgm:GainMapMax</hdrgm:"
    let segment = Data([0xFF, 0xE1, 0, UInt8(text.utf8.count + 2)]) + Data(text.utf8)
    // A TIFF of one pixel with an infinite resolution.
    let tiff = Data(
      base64Encoded:
        "SUkqAAoAAACAAAsAAAEDAAEAAAABAAAAAQEDAAEAAAABAAAAAgEDAAEAAAAIAAAAAwEDAAEAAAABAAAABgEDAAEAAAABAAAAEQEE"
        + "AAEAAAAIAAAAFQEDAAEAAAABAAAAFgEEAAEAAAABAAAAFwEEAAEAAAABAAAAGgELAAEAAAAAAIB/KAEDAAEAAAACAAAAAAAAAA=="
    )
    origin.route("/map.jpg", .ok(good.prefix(2) + segment + good.dropFirst(2), type: "image/jpeg"))
    origin.route("/dots.tif", .ok(try #require(tiff), type: "image/tiff"))
    origin.route(
      "/range.jpg",
      LoopbackResponse(
        status: 206,
        headers: [
          "Content-Type": "image/jpeg", "Content-Range": "bytes 0-9223372036854775807/*", "ETag": "\"a\"",
        ],
        body: good))
    origin.route("/good.jpg", .ok(good, type: "image/jpeg"))
    let service = try ServeProcess([:])
    for name in ["good.jpg", "map.jpg", "dots.tif", "range.jpg", "good.jpg"] {
      for way in ["rs:fit:32:32/plain", "rs:fit:16:16/g:sm/plain"] {
        let client = try TestClient(port: try await service.port())
        client.send("GET /x/\(way)/http://127.0.0.1:\(origin.port)/\(name)@png HTTP/1.1\r\nHost: a\r\n\r\n")
        let status = try await client.answer().status
        #expect(name == "good.jpg" ? status == 200 : (200..<600).contains(status) && status != 500, "\(name)")
      }
    }
    #expect(service.process.isRunning)
  }

  /// The processor time of a process and all below it, in seconds.
  private static func processorTime(of process: Int32) -> Double {
    var children: [Int32: [(number: Int32, ticks: Int)]] = [:]
    var ticks = 0
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let number = Int32(name),
        let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        // The name of the program, in parentheses, may have spaces.
        let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 14,
        let parent = Int32(fields[1])
      else { continue }
      let own = fields[11..<15].reduce(0) { $0 + (Int($1) ?? 0) }
      children[parent, default: []].append((number, own))
      if number == process { ticks += own }
    }
    var rest = children[process] ?? []
    while let next = rest.popLast() {
      ticks += next.ticks
      rest += children[next.number] ?? []
    }
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  // MARK: The bomb

  /// A PNG of one colour, with 16 bits per channel and filtered rows: 49 million pixels in half a megabyte. Its compressed data
  /// are written by hand with fixed Huffman codes, which is faster than a library.
  private static func bomb(side: Int) -> Data {
    let rowByteCount = side * 8
    let matchCount = (rowByteCount - 1) / 258
    var bits = BitWriter()
    bits.write(0b011, count: 3)
    for _ in 0..<side {
      // The filter (Paeth), a zero, then zeros that repeat it.
      bits.write(reversed: 0x30 + 4, count: 8)
      bits.write(reversed: 0x30, count: 8)
      // Length 258 (a code of 8 bits), distance 1 (5 bits): four of them at once.
      for _ in 0..<matchCount / 4 {
        bits.write(0x00A3 | 0x00A3 << 13 | 0x00A3 << 26 | 0x00A3 << 39, count: 52)
      }
      for _ in 0..<matchCount % 4 { bits.write(0x00A3, count: 13) }
      for _ in 0..<(rowByteCount - 1) % 258 { bits.write(reversed: 0x30, count: 8) }
    }
    // The end of the data, and the rest of a byte.
    bits.write(0, count: 7)
    bits.write(0, count: 7)
    // Adler-32 of these bytes: only the filters are not zero.
    var (a, b) = (1, 0)
    for _ in 0..<side {
      a = (a + 4) % 65_521
      b = (b + (rowByteCount + 1) * a) % 65_521
    }
    let size = bigEndian(side)
    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      + chunk("IHDR", size + size + [16, 6, 0, 0, 0])
      + chunk("IDAT", [0x78, 0x01] + bits.bytes + bigEndian(b << 16 | a)) + chunk("IEND", [])
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }

  private static func chunk(_ name: String, _ data: [UInt8]) -> Data {
    let table = (0..<256).map { number -> UInt32 in
      var value = UInt32(number)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
      return value
    }
    let content = Array(name.utf8) + data
    var sum = UInt32.max
    for byte in content {
      let place = Int(UInt8(truncatingIfNeeded: sum) ^ byte)
      sum = table[place] ^ (sum >> 8)
    }
    return Data(bigEndian(data.count) + content + bigEndian(Int(sum ^ .max)))
  }

  /// Bits in the order of deflate: the lowest first.
  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var value: UInt64 = 0
    private var count = 0

    mutating func write(_ bits: UInt64, count added: Int) {
      value |= bits << UInt64(count)
      count += added
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: value))
        value >>= 8
        count -= 8
      }
    }

    /// A Huffman code, whose highest bit comes first.
    mutating func write(reversed bits: UInt64, count: Int) {
      var mirrored: UInt64 = 0
      for place in 0..<count where bits >> UInt64(place) & 1 == 1 {
        mirrored |= 1 << UInt64(count - 1 - place)
      }
      write(mirrored, count: count)
    }
  }
}
