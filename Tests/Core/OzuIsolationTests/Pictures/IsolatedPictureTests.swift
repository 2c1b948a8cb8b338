#if os(Linux)
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// Decodes files in real worker processes, and compares with the same codecs in this process.
  @Suite("Pictures that are decoded in processes of their own")
  struct IsolatedPictureTests {
    /// All that can be read here.
    private static let types = Set(CodecRegistry.standardWithDrawings.decodableTypes)
    private static let drawing = Data(
      "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><text y='30' font-size='24'>Ozu</text></svg>"
        .utf8)

    private static var helper: DecoderIsolation.Helper {
      get throws { .program(try builtProgram("ozu-decode").path) }
    }

    /// With a sanitizer, workers have no restrictions, so `required` would fail.
    private static func codecs(
      _ mode: DecoderIsolation.Mode = .preferred, domain: String = #function,
      deadline: Duration = .seconds(600)
    ) throws -> (CodecRegistry, IsolationReport) {
      var codecs = CodecRegistry.standard
      var settings = DecoderIsolation(mode, types: types, helper: try helper, processLimit: 2, domain: domain)
      settings.deadline = deadline
      settings.onDegradation = { Issue.record("not isolated: \($0)") }
      let report = codecs.isolate(settings)
      return (codecs, try #require(report))
    }

    /// The files that can be read here, still and animated.
    private static func files() throws -> [(name: String, data: Data)] {
      let codecs = CodecRegistry.standard
      let picture = PatternPicture(PixelSize(90, 60), tint: 3)
      var files = try codecs.encodableTypes.filter { types.contains($0) }.map {
        ($0.rawValue, try picture.data(as: $0))
      }
      for type in codecs.encodableAnimationTypes where types.contains(type) {
        let writer = try codecs.animationEncoder(for: type).makeWriter(
          canvas: PixelSize(24, 18), loopCount: 2, options: EncodingOptions())
        for tint in 0..<3 {
          try writer.append(
            PatternPicture(PixelSize(24, 18), tint: tint).bitmap, duration: .milliseconds(40 * (tint + 1)))
        }
        files.append(("moving \(type.rawValue)", try writer.finish()))
      }
      files += [("bmp", bitmapFile), ("ico", try icon()), ("raf", try cameraRAW())]
      if CodecRegistry.standardWithDrawings.decodableTypes.contains(.svg) { files.append(("svg", drawing)) }
      // These are read only. The decoders of HEIC are plugins on some systems: they are loaded before a worker is locked
      // down.
      let folder = Repository.fixture("")
      for (type, name) in [
        (ImageType.heic, "matrix/heic-420.heic"), (.heic, "matrix/heic-alpha-444.heic"),
        (.tiff, "metadata/exif.tif"), (.tga, "small/t15-32-8-9x5-1.tga"), (.icns, "small/ic05-1.icns"),
        (.psd, "small/gray-16-0-0-0-10x4-1.psd"),
      ] where codecs.decodableTypes.contains(type) {
        files.append((name, try Data(contentsOf: folder.appending(path: name).standardizedFileURL)))
      }
      // The libraries for pictures inside a drawing are loaded before a worker is locked down, too.
      for (name, data) in files
      where ["avif", "jxl", "metadata/exif.tif"].contains(name) && types.contains(.svg) {
        let text = """
          <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='60' height='40'><image \
          width='60' height='40' xlink:href='data:;base64,\(data.base64EncodedString())'/></svg>
          """
        files.append(("svg with \(name)", Data(text.utf8)))
      }
      return files
    }

    private static func littleEndian(_ numbers: UInt32...) -> Data {
      Data(numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } })
    }

    /// 20 by 16 pixels of 24 bits.
    private static let bitmapFile =
      Data("BM".utf8) + littleEndian(54 + 960, 0, 54, 40, 20, 16, 24 << 16 | 1, 0, 960, 2835, 2835, 0, 0)
      + Data((0..<960).map { UInt8(truncatingIfNeeded: $0 * 7) })

    /// A JPEG in a camera RAW file of Fujifilm.
    private static func cameraRAW() throws -> Data {
      let preview = try PatternPicture(PixelSize(90, 60), tint: 3).data(as: .jpeg)
      var head = Data("FUJIFILMCCD-RAW ".utf8)
      head.append(Data(count: 84 - head.count))
      for number in [160, preview.count] {
        head.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
      }
      return head + Data(count: 160 - head.count) + preview
    }

    /// A PNG of 24 by 18 pixels in an ICO.
    private static func icon() throws -> Data {
      let picture = try PatternPicture(PixelSize(24, 18), tint: 4).data(as: .png)
      return littleEndian(1 << 16) + Data([1, 0, 24, 18, 0, 0, 1, 0, 32, 0])
        + littleEndian(UInt32(picture.count), 22) + picture
    }

    /// A cleaned JPEG that says that it lies on its side.
    private static func turnedFile(_ size: PixelSize) throws -> CleanedFile {
      let exif: [UInt8] =
        Array("Exif\0\0MM".utf8)
        + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
      let plain = try PatternPicture(size, tint: 3).data(as: .jpeg)
      return try CleanedFile(
        plain.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain.dropFirst(2))
    }

    @Test(
      "are turned upright there without loss, or stay as they are",
      arguments: [PixelSize(320, 240), PixelSize(321, 241)])
    func turned(size: PixelSize) throws {
      let file = try Self.turnedFile(size)
      let (apart, report) = try Self.codecs()
      let turned = file.turnedUpright(by: apart)
      #expect(turned == file.turnedUpright(by: .standard))
      #expect(turned.notes.count == 1 && (turned.data == file.data) == (size.width == 321))
      #expect(report.status.answerCount > 0)
      // A limit is one there too.
      let limits = DecodingLimits(decodedByteCount: 1000)
      #expect(
        file.turnedUpright(by: apart, limits: limits) == file.turnedUpright(by: .standard, limits: limits))
    }

    private static func blocks(_ policy: MetadataPolicy) -> MetadataRewriting {
      .blocks(
        policy: policy, size: PixelSize(30, 20), colorSpace: .icc(name: "P3"), resolution: nil,
        isTurned: true)
    }

    @Test("have their metadata written again there as in this process: kept blocks, and cleaned files")
    func rewritten() throws {
      let (apart, report) = try Self.codecs()
      let here = CodecRegistry.standard
      let fixtures = ["metadata/exif.jpg", "metadata/exif.tif", "metadata/exif.avif", "metadata/exif.jxl"]
      var files = try Self.files()
      for name in fixtures { files.append((name, try Data(contentsOf: Repository.fixture(name)))) }
      var questionCount = 0
      for (name, data) in files {
        guard let type = try? here.header(of: data).type else { continue }
        for policy in MetadataPolicy.allCases {
          let task = Self.blocks(policy)
          let outcome = try apart.rewritten(data, task, limits: .default)
          #expect(try outcome == here.rewritten(data, task, limits: .default), "\(name), \(policy)")
          questionCount += 1
        }
        for kept in [[], .appearance, .copyright, .everythingButPlace] as [KeptMetadata]
        where CleanedFile.types.contains(type) {
          let file = try CleanedFile(data, keeping: kept, by: apart, limits: .default)
          #expect(try file == CleanedFile(data, keeping: kept), "\(name)")
          questionCount += 1
        }
      }
      #expect(report.status.answerCount == questionCount && questionCount > 0)
      // Errors are those of this process, and so is the answer to a format that cannot be cleaned.
      let cut = try Data(contentsOf: Repository.fixture("metadata/exif.jpg")).prefix(400)
      for data in [Data(), Data("<html>".utf8), Self.bitmapFile, cut] {
        let own = #expect(throws: ImageDecodingError.self) { try CleanedFile(data) }
        let other = #expect(throws: ImageDecodingError.self) {
          try CleanedFile(data, keeping: .appearance, by: apart, limits: .default)
        }
        #expect(own == other)
      }
    }

    @Test("are stored as JPEG XL there, and given back to the byte")
    func transcoded() throws {
      let jpeg = try PatternPicture(PixelSize(320, 240), tint: 3).data(as: .jpeg)
      let (apart, report) = try Self.codecs()
      let file = try apart.transcoded(jpeg, .store, by: .jxl, limits: .default)
      #expect(try file == CodecRegistry.standard.transcoded(jpeg, .store, by: .jxl, limits: .default))
      #expect(try apart.transcoded(file, .restore, by: .jxl, limits: .default) == jpeg)
      #expect(report.status.answerCount > 0)
      #expect(throws: ImageDecodingError.self) {
        try apart.transcoded(Data(jpeg.prefix(400)), .store, by: .jxl, limits: .default)
      }
    }

    @Test("have their gain map applied there", arguments: [nil, 1.5, 4])
    func brightened(headroom: Double?) throws {
      let gains = Bitmap(size: PixelSize(30, 20), isOpaque: true) { x, _ in
        Pixel(red: UInt8(x * 8), green: UInt8(x * 8), blue: UInt8(x * 8))
      }
      try Self.checkBrightened(by: gains, headroom: headroom)
    }

    @Test(
      "have a gain map applied there that takes more memory than is reserved at first, unless it takes more than there is",
      arguments: [DecodedByteBudget.shared, DecodedByteBudget(byteLimit: 16 << 20)])
    func brightenedByMuch(budget: DecodedByteBudget) throws {
      let gains = Bitmap(size: PixelSize(2520, 1680), format: .gray8, isOpaque: true) { bytes, _ in
        bytes.initializeMemory(as: UInt8.self, repeating: 100)
      }
      try Self.checkBrightened(by: gains, headroom: 4, budget)
    }

    private static func checkBrightened(
      by gains: Bitmap, headroom: Double?, _ budget: DecodedByteBudget = .shared
    ) throws {
      let numbers = GainMap(
        size: gains.size, bytes: 0..<0, channels: [GainMap.Channel(minimum: 0, maximum: 2)],
        alternateHeadroom: 2)
      var notes: [String] = []
      let here = CodecRegistry.standard
      let data = try here.encode(
        PatternPicture(PixelSize(90, 60), tint: 3).bitmap, with: GainMapPicture(numbers, bitmap: gains),
        notes: &notes)
      let context = DecodingContext(budget: budget).brightened(to: headroom)
      let resize = Resize(PixelSize(33, 20), mode: .aspectFill, crops: true)
      let (own, other) = (
        try here.picture(from: data, resize: resize, context: context),
        try codecs().0.picture(from: data, resize: resize, context: context)
      )
      #expect(other.isIsolated && other.header?.gainMap == own.header?.gainMap)
      let isApplied = headroom != nil && budget === DecodedByteBudget.shared
      #expect(other.bitmap.format == (isApplied ? .rgba16 : .bgra8))
      #expect(other.bitmap == own.bitmap && other.notes == own.notes)
    }

    @Test(
      "are those of this process: pixels, headers, blocks, frames",
      arguments: [
        nil, Resize(PixelSize(33, 20), mode: .aspectFill, crops: true),
        Resize(region: PixelRectangle(x: 5, y: 3, width: 9, height: 11)),
      ])
    func same(_ resize: Resize?) throws {
      let (apart, report) = try Self.codecs()
      let here = CodecRegistry.standardWithDrawings
      for (name, data) in try Self.files() {
        let (own, other) = (
          try here.picture(from: data, resize: resize), try apart.picture(from: data, resize: resize)
        )
        #expect(other.isIsolated && !own.isIsolated, "\(name)")
        #expect(
          own.bitmap.size == other.bitmap.size && own.bitmap.isOpaque == other.bitmap.isOpaque, "\(name)")
        #expect(own.bitmap == other.bitmap, "\(name)")
        var header = try here.header(of: data)
        header.planeLayout = nil
        // A part is cut out by the process that decodes it.
        header.regionUnit = nil
        #expect(other.header == header, "\(name)")
        #expect(try apart.header(of: data) == header, "\(name)")
        let still = DecodingLimits(frameCount: 1)
        #expect(
          try apart.header(of: data, limits: still).notes == here.header(of: data, limits: still).notes,
          "\(name)")
        #expect(try apart.metadata(of: data) == here.metadata(of: data), "\(name)")
        let deferred = try apart.deferredPicture(from: data)
        try deferred.decode()
        #expect(deferred.isIsolated, "\(name)")
        #expect(deferred.size == own.header?.size, "\(name)")
        // A caller that opens a file gets its pixels as stored.
        let plan = DecodePlan(header: header, resize: nil)
        let stored = try apart.open(data).decode(plan, context: DecodingContext())
        #expect(
          try stored == here.open(data).decode(plan, context: .init()), "\(name)")
        #expect(own.animation?.delays == other.animation?.delays, "\(name)")
        #expect(own.animation?.loopCount == other.animation?.loopCount, "\(name)")
        guard let (frames, others) = own.animation.flatMap({ own in other.animation.map { (own, $0) } })
        else {
          continue
        }
        for index in [0, 1, 2, 0] {
          #expect(
            try frames.frame(at: index) == others.frame(at: index),
            "\(name) \(index)")
        }
      }
      #expect(report.status.failureCount == 0)
      #expect(report.status.answerCount > 0)
    }

    /// Everything that can be asked about a file.
    private enum Way: CaseIterable {
      case header, metadata, picture, thumbnail, part, later, whileItArrives, kept, cleaned

      func read(_ codecs: CodecRegistry, _ data: Data) throws(ImageDecodingError) {
        switch self {
        case .header: _ = try codecs.header(of: data)
        case .metadata: _ = try codecs.metadata(of: data)
        case .picture:
          let picture = try codecs.picture(from: data)
          #expect(picture.isIsolated)
          _ = try picture.animation?.frame(at: 1)
        case .thumbnail:
          let resize = Resize(PixelSize(8, 8), allowsEmbeddedThumbnail: true)
          let picture = try codecs.picture(from: data, resize: resize)
          #expect(picture.isIsolated)
        case .part:
          // Every file has these pixels.
          let resize = Resize(region: PixelRectangle(x: 5, y: 2, width: 3, height: 2))
          let picture = try codecs.picture(from: data, resize: resize)
          #expect(picture.size == PixelSize(3, 2))
        case .later: try codecs.deferredPicture(from: data).decode()
        case .kept: _ = try codecs.rewritten(data, IsolatedPictureTests.blocks(.keepAll), limits: .default)
        case .cleaned:
          // No other format can be cleaned.
          guard case .image(let type) = ContentKind(sniffing: data), CleanedFile.types.contains(type) else {
            return try Way.kept.read(codecs, data)
          }
          _ = try CleanedFile(data, keeping: .appearance, by: codecs, limits: .default)
        case .whileItArrives:
          let decoder = IncrementalDecoder(codecs: codecs)
          decoder.append(data)
          let preview = try decoder.preview()
          #expect(preview == nil)
          _ = try decoder.picture()
        }
      }
    }

    @Test(
      "required isolation is for every format and everything that is asked: a trap in a decoder costs one picture",
      .enabled(if: Drills.isConfined))
    func trap() throws {
      let helper = try HelperWithTrap()
      defer { helper.remove() }
      var codecs = CodecRegistry.standard
      let settings = DecoderIsolation(.required, helper: .program(helper.path), processLimit: 1)
      let isolation = codecs.isolate(settings)
      let report = try #require(isolation)
      var types: Set<ImageType> = []
      var crashCount = 0
      for (name, data) in try Self.files() {
        types.insert(try codecs.header(of: data).type)
        for way in Way.allCases {
          let error = #expect(throws: ImageDecodingError.self, "\(name), \(way)") {
            try way.read(codecs, data + HelperWithTrap.marker)
          }
          guard case .decoderFailed(_, .crashed) = error else {
            Issue.record("\(name), \(way): \(String(describing: error))")
            continue
          }
          crashCount += 1
          #expect(throws: Never.self, "\(name), \(way)") { try way.read(codecs, data) }
        }
      }
      // One maker's files stand for those of all: they have the same decoder.
      #expect(Self.types.subtracting(types).isSubset(of: Set(ImageType.cameraRAW).subtracting([.raf])))
      #expect(report.status.failureCount == crashCount)
    }

    #if SVG
      @Test(
        "a chain of references is drawn as in this process, however deep the app's stack is; a chain longer than any stack fails alone"
      )
      func deep() throws {
        func chain(_ count: Int) -> Data {
          let links = (0..<count).map { "<g id='a\($0)'><use xlink:href='#a\($0 + 1)'/></g>" }.joined()
          return Data(
            """
            <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='20' height='10'>\
            <defs>\(links)<rect id='a\(count)' width='5' height='5'/></defs><use xlink:href='#a0'/></svg>
            """.utf8)
        }
        func outcome(_ codecs: CodecRegistry, _ count: Int) -> Result<Bitmap, ImageDecodingError> {
          Result { () throws(ImageDecodingError) -> Bitmap in try codecs.picture(from: chain(count)).bitmap }
        }
        let (codecs, report) = try Self.codecs()
        // librsvg 2.60 and newer refuse more than 50 layers; older versions need 15 MB of a stack, which is freed and used
        // again.
        let own = outcome(.standardWithDrawings, 1000)
        for _ in 0..<3 { #expect(outcome(codecs, 1000) == own) }
        #expect(report.status.startedProcessCount == 1)
        // The address sanitizer catches the signal, reports it and ends the process.
        #if OZU_ASAN
          let crash = DecoderFailure.ended(status: 1)
        #else
          let crash = DecoderFailure.crashed(signal: SIGSEGV)
        #endif
        let isRefused = if case .failure = own { true } else { false }
        #expect(outcome(codecs, 8000) == (isRefused ? own : .failure(.decoderFailed(.svg, crash))))
        #expect(try codecs.picture(from: Self.drawing).size == PixelSize(60, 40))
      }

      @Test("a cancelled drawing, and one that does not end, are stopped")
      func endless() throws {
        let text = """
          <svg xmlns='http://www.w3.org/2000/svg' width='3000' height='3000'><filter id='f' x='0' y='0' width='1' \
          height='1'><feTurbulence baseFrequency='0.05' numOctaves='2000'/></filter><rect width='3000' height='3000' \
          filter='url(#f)'/></svg>
          """
        #if OZU_ASAN || OZU_TSAN
          // A worker with a sanitizer has no limit on processor time.
          let deadline = Duration.seconds(5)
        #else
          let deadline = Duration.seconds(600)
        #endif
        let (codecs, _) = try Self.codecs(deadline: deadline)
        var context = DecodingContext(limits: DecodingLimits(cpuTime: .milliseconds(500)))
        let error = #expect(throws: ImageDecodingError.self) {
          try codecs.picture(from: Data(text.utf8), context: context)
        }
        guard case .decoderFailed(.svg, .stopped) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        let looks = Mutex(0)
        context = DecodingContext(isCancelled: {
          looks.withLock { looks in
            looks += 1
            return looks > 3
          }
        })
        #expect(throws: ImageDecodingError.cancelled) {
          try codecs.picture(from: Data(text.utf8), context: context)
        }
        #expect(try codecs.picture(from: Self.drawing).size == PixelSize(60, 40))
      }
    #endif

    @Test("the library of a format starts no thread when it is loaded: a fork would copy the thread's locks")
    func threads() throws {
      for type in Self.types where CodecRegistry.standardWithDrawings.decodableTypes.contains(type) {
        let settings = DecoderIsolation(.preferred, types: [type], helper: try Self.helper, processLimit: 1)
        let pool = WorkerPool(try #require(settings.poolOptions()))
        let decoder = IsolatedDecoder(type, WorkerClient(settings, pool), inner: nil)
        // No file of the format is read, but its library is loaded.
        #expect(throws: ImageDecodingError.self) { try decoder.open(Data("text".utf8), limits: .default) }
        // Sanitizers have threads of their own.
        #if !OZU_ASAN && !OZU_TSAN
          #expect(pool.status.confinement?.zygoteThreadCount == 1, "\(type)")
        #endif
      }
    }

    #if AVIF
      @Test("an AVIF of tiles over the limits is a thumbnail, and too large as a whole")
      func tiles() throws {
        let folder = Repository.fixture("")
        let data = try Data(contentsOf: folder.appending(path: "parts/grid-alpha.avif").standardizedFileURL)
        let (codecs, _) = try Self.codecs()
        let resize = Resize(PixelSize(80, 80))
        let context = DecodingContext(limits: DecodingLimits(decodedByteCount: 400_000))
        let picture = try codecs.picture(from: data, resize: resize, context: context)
        let plain = try CodecRegistry.standard.picture(from: data, resize: resize, context: context)
        #expect(picture.isIsolated && picture.size == PixelSize(80, 48))
        #expect(picture.bitmap == plain.bitmap)
        let error = #expect(throws: ImageDecodingError.self) {
          try codecs.picture(from: data, context: context)
        }
        guard case .limitExceeded(let violation) = error else { throw try #require(error) }
        #expect(violation.quantity == .decodedByteCount)
      }
    #endif

    // A process under a sanitizer cannot be confined, which this test requires.
    #if !OZU_ASAN && !OZU_TSAN
      @Test("a JPEG of 200 megapixels is a thumbnail, and too large as a whole")
      func hugePicture() throws {
        // Grey, with two codes of one bit for each block.
        let size = PixelSize(16_320, 12_240)
        let table: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        var data = Data([0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64))
        data += Data([0xFF, 0xC0, 0, 11, 8, 0x2F, 0xD0, 0x3F, 0xC0, 1, 1, 0x11, 0])
        data += Data([0xFF, 0xC4, 0, 20, 0] + table + [0xFF, 0xC4, 0, 20, 0x10] + table)
        data +=
          Data([0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]) + Data(count: size.pixelCount / 64 / 4) + [0xFF, 0xD9]
        let (codecs, report) = try Self.codecs(.required)
        let context = DecodingContext(limits: DecodingLimits(cpuTime: .seconds(600)))
        let picture = try codecs.picture(from: data, resize: Resize(PixelSize(320, 320)), context: context)
        #expect(picture.isIsolated && picture.size == PixelSize(320, 240) && picture.header?.size == size)
        let violation = DecodingLimits.Violation(.pixelCount, value: size.pixelCount, limit: 128_000_000)
        #expect(throws: ImageDecodingError.limitExceeded(violation)) {
          try codecs.picture(from: data, context: context)
        }
        #expect(report.status.startedProcessCount == 1)
      }
    #endif

    @Test("limits are those of any decode, and the worker is kept")
    func limits() throws {
      let (codecs, report) = try Self.codecs()
      let data = try PatternPicture(PixelSize(90, 60)).data(as: .png)
      #expect(throws: ImageDecodingError.limitExceeded(.init(.pixelCount, value: 5400, limit: 5399))) {
        try codecs.picture(from: data, context: DecodingContext(limits: DecodingLimits(pixelCount: 5399)))
      }
      let small = DecodingContext(limits: DecodingLimits(decodedByteCount: 1000))
      let error = #expect(throws: ImageDecodingError.self) { try codecs.picture(from: data, context: small) }
      guard case .limitExceeded(let violation) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(violation.quantity == .decodedByteCount && violation.limit == 1000)
      let half = data.prefix(data.count / 2)
      let flaw = #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: half) }
      #expect(throws: try #require(flaw)) { try codecs.picture(from: half) }
      #expect(try codecs.picture(from: data).size == PixelSize(90, 60))
      #expect(report.status.startedProcessCount == 1)
    }
  }
#endif
