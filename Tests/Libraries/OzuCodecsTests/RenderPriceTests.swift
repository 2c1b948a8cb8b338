import Foundation
import OzuBase
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

#if os(Linux)
  /// Limits and budgets use the price of a render (`DecodePlan.byteCount`). Each case renders a picture of 12
  /// megapixels in a process of its own, whose peak of resident memory is compared with the bytes that were
  /// reserved.
  @Suite("The price of a render")
  struct RenderPriceTests {
    /// A picture, and the recipe for it.
    struct Render: Codable, Sendable, CustomStringConvertible {
      var name: String
      /// `nil` for the whole picture.
      var output: [Int]?
      var isLinear = false

      var description: String {
        name + (output.map { " to \($0[0])x\($0[1])" } ?? "") + (isLinear ? ", linear light" : "")
      }

      var resize: Resize? {
        output.map {
          Resize(PixelSize($0[0], $0[1]), mode: .fill, light: isLinear ? .linear : .asStored)
        }
      }
    }

    /// A lossy JPEG XL of three megapixels in 16 bits.
    private static func noise() throws -> Data {
      var random = SeededGenerator(seed: 7)
      let bitmap = Bitmap(size: PixelSize(2000, 1500), isOpaque: true) { x, y in
        let bits = random.next()
        let shade = UInt8(truncatingIfNeeded: x / 8 + y / 16) / 2
        return Pixel(
          red: shade + UInt8(bits & 31), green: shade + UInt8(bits >> 8 & 31), blue: shade, alpha: 255)
      }
      return try RenderPriceTests.codecs.encode(
        bitmap.converted(to: .rgba16), as: .jxl, options: EncodingOptions(effort: .low))
    }

    private static func data(_ name: String) throws -> Data {
      switch name {
      case "drawing.svg":
        return Data(
          """
          <svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000">
          <rect width="4000" height="3000" fill="#246"/><circle cx="2000" cy="1500" r="1400" fill="#eb3"/>
          </svg>
          """.utf8)
      case "deep.jxl": return try noise()
      default: return try fixture("large/\(name)")
      }
    }

    /// The result of a process.
    struct Measurement: Sendable {
      /// The bytes that were reserved.
      var price: Int
      /// The highest rise of resident memory, in bytes.
      var peak: Int

      /// With the most that allocators, tables and pages may add.
      static func bound(_ price: Int) -> Int { price + price / 10 + (16 << 20) }
    }

    /// With drawings, which an app's registry cannot read without isolation.
    private static let codecs = CodecRegistry.standardWithDrawings

    static let names = [
      "baseline.jpg", "progressive.jpg", "plain.png", "interlaced.png", "lossy.webp", "lossless.webp",
      "whole.gif",
      "rle.bmp", "strips.tif", "one-strip.tif", "lossy.avif", "lossy.jxl", "lossless.jxl", "alpha.jxl",
      "deep.jxl",
      "drawing.svg",
    ].filter { isDecodable($0) || $0.hasSuffix("svg") && codecs.decodableTypes.contains(.svg) }

    /// Files that must not be priced far above their peak: a limit would refuse pictures for which there is memory.
    static let closelyPriced: Set = ["lossy.jxl", "alpha.jxl"]

    /// The renders of a picture: all, or one, not the same for each picture.
    private static func renders(of name: String) -> [Render] {
      var sizes = [[400, 300], [2500, 1875]]
      // The largest planes of the reduced decoder.
      if name == "baseline.jpg" { sizes += [[1280, 960], [2000, 1500]] }
      var renders = sizes.map { Render(name: name, output: $0) }
      if ["baseline.jpg", "progressive.jpg", "plain.png", "lossless.webp"].contains(name) {
        renders += sizes.prefix(2).map { Render(name: name, output: $0, isLinear: true) }
      }
      guard !Cases.areAll, let index = names.firstIndex(of: name), !closelyPriced.contains(name) else {
        return [Render(name: name)] + renders
      }
      return [index % 2 == 0 ? Render(name: name) : renders[index / 2 % renders.count]]
    }

    /// A sanitizer takes memory of its own.
    private static var canMeasure: Bool {
      #if OZU_ASAN || OZU_TSAN
        return false
      #else
        return true
      #endif
    }

    @Test("covers the peak of memory", .enabled(if: canMeasure), arguments: names)
    func peak(name: String) async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "ozu-price-\(UUID())-\(name)")
      defer { try? FileManager.default.removeItem(at: file) }
      try Self.data(name).write(to: file)
      for render in Self.renders(of: name) {
        await #expect(processExitsWith: .success) { [render = render as Render, path = file.path as String] in
          let measured = try Self.measure(render, of: path)
          let message = "peak \(measured.peak), price \(measured.price): \(render)"
          #expect(measured.peak <= Measurement.bound(measured.price), Comment(rawValue: message))
          guard Self.closelyPriced.contains(render.name), render.output == nil else { return }
          #expect(
            measured.price <= measured.peak + measured.peak / 2 + (16 << 20), Comment(rawValue: message))
        }
      }
    }

    /// Renders a picture in this process, which has done nothing else before.
    private static func measure(_ render: Render, of path: String) throws -> Measurement {
      let data = try Data(contentsOf: URL(filePath: path))
      // Allocates everything that is allocated only once: tables, profiles, the codecs themselves.
      _ = try? CodecRegistry.standard.picture(from: fixture("matrix/jpeg-baseline-420.jpg"))
      // Idle memory would hide the memory that a render takes.
      PixelBufferPool.shared.releaseIdle()
      PeakMemory.trimHeap()
      let budget = DecodedByteBudget(byteLimit: 1 << 40)
      let reserved = Mutex(0)
      let context = DecodingContext(
        limits: DecodingLimits(decodedByteCount: 1 << 40, cpuTime: .seconds(1000)),
        pool: PixelBufferPool(retainedByteLimit: 0), budget: budget,
        onStage: { _ in reserved.withLock { $0 = max($0, budget.reservedByteCount) } })
      let (picture, peak) = try PeakMemory.measureBlocking {
        try codecs.picture(from: data, resize: render.resize, context: context)
      }
      withExtendedLifetime(picture) {}
      return Measurement(price: reserved.withLock { $0 }, peak: try #require(peak))
    }
  }
#endif
