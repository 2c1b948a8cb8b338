import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Reduced JPEG decoder, on bad files")
struct ReducedJPEGHostilityTests {
  static let resize = Resize(PixelSize(20, 15), mode: .fill)

  static let variants = [
    JPEGVariant(PixelSize(320, 240)), JPEGVariant(PixelSize(320, 240), isProgressive: true),
    JPEGVariant(PixelSize(317, 239), sampling: (2, 1), restartInterval: 5),
    JPEGVariant(PixelSize(200, 160), isGray: true, optimizesTables: true),
    JPEGVariant(PixelSize(250, 190), sampling: (1, 1), isProgressive: true, restartInterval: 7),
  ]

  private func thumbnail(
    _ data: Data, allowsTruncation: Bool = false, pool: PixelBufferPool = .shared
  ) -> Result<Picture, ImageDecodingError> {
    Result { () throws(ImageDecodingError) -> Picture in
      try CodecRegistry.standard.picture(
        from: data, resize: Self.resize,
        context: DecodingContext(pool: pool, allowsTruncation: allowsTruncation))
    }
  }

  @Test("gives an error or a picture of its size for any file with wrong bits", arguments: variants)
  func mutants(variant: JPEGVariant) {
    let whole = variant.data
    let pool = PixelBufferPool(retainedByteLimit: 0)
    var random: UInt64 = 88_172_645_463_325_252
    func next(_ limit: Int) -> Int {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Int(random % UInt64(limit))
    }
    for round in 0..<Cases.count(150, of: 300) {
      var data = whole
      for _ in 0...round % 5 {
        let place = next(data.count)
        data[place] = round % 2 == 0 ? data[place] ^ 1 << UInt8(next(8)) : UInt8(next(256))
      }
      if round % 7 == 0 { data = data.prefix(next(data.count)) }
      for allowsTruncation in [false, true] {
        if case .success(let picture) = thumbnail(data, allowsTruncation: allowsTruncation, pool: pool) {
          #expect(picture.size.width <= 20 && picture.size.height <= 15)
        }
        // All scans of a progressive file.
        let context = DecodingContext(pool: pool, allowsTruncation: allowsTruncation)
        _ = try? ReducedJPEGDecoder.planes(of: data, eighths: (3, 4), lowestBit: 0, context: context)
      }
    }
    #expect(pool.statistics.lentByteCount == 0)
  }

  @Test("gives an error or a picture of its size for a file truncated at any byte", arguments: variants)
  func prefixes(variant: JPEGVariant) throws {
    let whole = variant.data
    let full = try thumbnail(whole).get().bitmap
    for count in stride(from: 0, to: whole.count - 2, by: Cases.step(74, of: 37)) {
      // Without this check, one accepted prefix would be followed by hundreds of others.
      try #require((try? thumbnail(whole.prefix(count)).get()) == nil, "the first \(count) bytes")
      if case .success(let picture) = thumbnail(whole.prefix(count), allowsTruncation: true) {
        #expect(picture.size == full.size)
      }
    }
  }

  @Test("leaves a progressive file without some of its frequencies to libjpeg", arguments: [1, 2, 3])
  func missingScans(count: Int) throws {
    let whole = JPEGVariant(PixelSize(320, 240), isProgressive: true).data
    let scans = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    let partial = whole[..<scans[count]] + Data([0xFF, 0xD9])
    #expect(try ReducedJPEGDecoder.planes(of: partial, eighths: (2, 2), context: .init()) == nil)
    #expect(try ReducedJPEGDecoder.planes(of: partial, eighths: (1, 1), context: .init()) != nil)
    let full = try CodecRegistry.standard.picture(from: partial).resized(Self.resize).bitmap
    #expect(try thumbnail(partial).get().bitmap.signalToNoise(against: full) > 30)
  }

  @Test("leaves a progressive file to libjpeg if its last bits come in another order, or twice")
  func disorder() throws {
    let whole = JPEGVariant(PixelSize(320, 240), isGray: true, isProgressive: true).data
    let starts = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    // From table to table: the bytes before the first scan, and each scan with the table before it.
    let tables = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xC4 }
    let cuts = starts.indices.map { index in
      tables.last { $0 < starts[index] && (index == 0 || $0 > starts[index - 1]) } ?? starts[index]
    }
    let pieces = (cuts + [whole.count - 2]).reduce(into: [(Int, Int)]()) {
      $0.append(($0.last?.1 ?? 0, $1))
    }
    .map { whole[$0.0..<$0.1] }
    func isRead(_ order: [Int], lowestBit: Int) throws -> Bool {
      let file = order.reduce(Data()) { $0 + pieces[$1] } + Data([0xFF, 0xD9])
      let context = DecodingContext()
      return try ReducedJPEGDecoder.planes(of: file, eighths: (4, 4), lowestBit: lowestBit, context: context)
        != nil
    }
    // The order: means; coefficients 1 to 5 and 6 to 63; two refinement passes, and that of the means between them.
    let order = Array(pieces.indices)
    #expect(order.count == 7)
    #expect(try isRead(order, lowestBit: 0))
    #expect(try !isRead([0, 1, 2, 3, 6, 5, 4], lowestBit: 0))
    #expect(try !isRead([0, 1, 2, 3, 4, 4, 5, 6], lowestBit: 0))
    #expect(try !isRead([0, 1, 2, 3, 3, 4, 5, 6], lowestBit: 0))
    #expect(try !isRead([0, 1, 2, 4, 3, 5, 6], lowestBit: 0))
    // A decode that reads none of them is not affected.
    #expect(try isRead([0, 1, 2, 3, 6, 5, 4], lowestBit: 9))
  }

  @Test("has the bits of complete scans where the last scan is cut off", arguments: [2, 3, 4, 5, 8])
  func missingBits(scale: Int) throws {
    let whole = JPEGVariant(PixelSize(640, 480), isGray: true, isProgressive: true).data
    let scan = try #require(whole.range(of: Data([0xFF, 0xDA]), options: .backwards)).lowerBound
    let cut = whole.prefix((scan + whole.count) / 2)
    func plane(_ data: Data, lowestBit: Int) throws -> SamplePlane {
      let context = DecodingContext(allowsTruncation: true)
      let planes = try ReducedJPEGDecoder.planes(
        of: data, eighths: (scale, scale), lowestBit: lowestBit, context: context)
      return try #require(planes).planes[0]
    }
    let found = try plane(cut, lowestBit: 0)
    let (all, allButLast) = (try plane(whole, lowestBit: 0), try plane(whole, lowestBit: 1))
    let third = found.rowCount / 3 * found.samplesPerRow
    #expect(found.samples.prefix(third).elementsEqual(all.samples.prefix(third)))
    #expect(found.samples.suffix(third).elementsEqual(allButLast.samples.suffix(third)))
    #expect(!all.samples.suffix(third).elementsEqual(allButLast.samples.suffix(third)))
  }

  @Test("leaves a progressive file to libjpeg if a scan of last bits has numbers of two bits")
  func longNumbers() throws {
    var data = JPEGVariant(PixelSize(320, 240), isGray: true, isProgressive: true).data
    let table = try #require(data.range(of: Data([0xFF, 0xC4]), options: .backwards)).upperBound
    let place = try #require(data[(table + 19)...].firstIndex { $0 & 15 == 1 })
    data[place] = data[place] & 0xF0 | 2
    #expect(try ReducedJPEGDecoder.planes(of: data, eighths: (4, 4), lowestBit: 0, context: .init()) == nil)
    #expect(try ReducedJPEGDecoder.planes(of: data, eighths: (4, 4), lowestBit: 1, context: .init()) != nil)
  }

  @Test(
    "leaves a progressive file to libjpeg if a run of zeros leads behind the last coefficient of a scan",
    arguments: [0, 9])
  func longRuns(lowestBit: Int) throws {
    let whole = JPEGVariant(PixelSize(320, 240), isGray: true, isProgressive: true).data
    func isRead(_ file: Data) throws -> Bool {
      let context = DecodingContext()
      return try ReducedJPEGDecoder.planes(of: file, eighths: (4, 4), lowestBit: lowestBit, context: context)
        != nil
    }
    // The first scans have coefficients 1 to 5 and 6 to 63. Now the first one ends before its codes of coefficient 5.
    let scans = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    var file = whole
    file[scans[1] + 8] = 4
    file[scans[2] + 7] = 5
    #expect(whole[scans[1] + 8] == 5 && whole[scans[2] + 7] == 6)
    #expect(try isRead(whole))
    #expect(try !isRead(file))
    // Not where data are missing: the zeros in their place become the symbol with the first code, here a run of three zeros.
    var cut = whole.prefix(scans[1] + 10)
    let table = try #require(cut.range(of: Data([0xFF, 0xC4]), options: .backwards)).upperBound
    cut[table + 19] = 0x31
    let planes = try ReducedJPEGDecoder.planes(
      of: cut, eighths: (1, 1), lowestBit: 0, context: DecodingContext(allowsTruncation: true))
    #expect(planes != nil)
  }

  @Test("reports that scan data are missing", arguments: variants)
  func truncated(variant: JPEGVariant) throws {
    let whole = variant.data
    let error = ImageDecodingError.truncated(.jpeg, stage: "scan data")
    #expect(throws: error) { try thumbnail(whole.prefix(whole.count * 9 / 10)).get() }
  }

  @Test("does not need the end marker", arguments: variants)
  func noEndMarker(variant: JPEGVariant) throws {
    let whole = variant.data
    // libjpeg decodes a progressive file without its end marker, with all of its bits.
    let cut = try thumbnail(whole.dropLast(2)).get().bitmap
    #expect(cut.signalToNoise(against: try thumbnail(whole).get().bitmap) > 35)
  }

  @Test("does not take an early end marker for the end of the picture")
  func earlyEndMarker() throws {
    let whole = Self.variants[0].data
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "scan data")) {
      try thumbnail(whole.prefix(whole.count / 2) + Data([0xFF, 0xD9])).get()
    }
  }

  @Test("returns the rows that exist, and grey, if that is allowed")
  func partial() throws {
    let whole = Self.variants[0].data
    let full = try thumbnail(whole).get().bitmap
    let cut = try thumbnail(whole.prefix(whole.count / 2), allowsTruncation: true).get().bitmap
    #expect((0..<20).allSatisfy { cut[$0, 2] == full[$0, 2] })
    #expect((0..<20).allSatisfy { cut[$0, 14] == Pixel(red: 128, green: 128, blue: 128) })
  }

  @Test("damage ends at the next restart marker")
  func restart() throws {
    var data = JPEGVariant(PixelSize(320, 240), restartInterval: 20).data
    let whole = try thumbnail(data).get().bitmap
    let marker = try #require(data.range(of: Data([0xFF, 0xD2])))
    let next = try #require(data.range(of: Data([0xFF, 0xD3])))
    for place in marker.upperBound + 40..<next.lowerBound - 4 where data[place] < 0xF0 { data[place] = 0x55 }
    let damaged = try thumbnail(data).get().bitmap
    // A row of groups is 16 pixels high, which is one pixel of the thumbnail, and the filter reaches over three.
    #expect((0..<20).contains { damaged[$0, 3] != whole[$0, 3] })
    #expect((0..<20).allSatisfy { x in [9, 10, 14].allSatisfy { damaged[x, $0] == whole[x, $0] } })
  }

  @Test("a missing restart marker damages its interval and the next", arguments: [1, 4])
  func missingRestart(number: UInt8) throws {
    var data = JPEGVariant(PixelSize(320, 240), restartInterval: 20).data
    let whole = try thumbnail(data).get().bitmap
    let marker = try #require(data.range(of: Data([0xFF, 0xD0 + number])))
    data.removeSubrange(marker)
    let damaged = try thumbnail(data).get().bitmap
    let after = Int(number) + 6
    #expect(
      (0..<20).allSatisfy { x in damaged[x, 0 + after] == whole[x, after] && damaged[x, 14] == whole[x, 14] })
  }

  @Test("stops when the decode is cancelled", arguments: [1, 2, 5, 9])
  func cancellation(question: Int) throws {
    for variant in Self.variants {
      let pool = PixelBufferPool(retainedByteLimit: 0)
      var questions = 0
      let context = DecodingContext(
        pool: pool,
        isCancelled: {
          questions += 1
          return questions >= question
        })
      #expect(throws: ImageDecodingError.cancelled) {
        try CodecRegistry.standard.picture(from: variant.data, resize: Self.resize, context: context)
      }
      #expect(questions == question)
      #expect(pool.statistics.lentByteCount == 0)
    }
  }

  @Test("stops in a file of many scans when its time is used up")
  func time() throws {
    // The second scan is the first one with coefficients, and must be decoded each time.
    let whole = JPEGVariant(PixelSize(320, 240), isProgressive: true).data
    let scans = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    let tables = whole[scans[0]..<scans[1]]
    let bomb = whole[..<scans[0]] + Data(repeatElement(tables, count: 90).joined()) + whole[scans[1]...]
    var questions = 0
    let context = DecodingContext(
      limits: DecodingLimits(cpuTime: .milliseconds(200)),
      threadTime: {
        questions += 1
        return .milliseconds(questions)
      })
    let violation = DecodingLimits.Violation(.cpuTime, value: 201, limit: 200)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.picture(from: bomb, resize: Self.resize, context: context)
    }
  }

  @Test("takes memory only for the planes, however large the picture is")
  func memory() throws {
    // A small progressive file that declares 100 megapixels.
    var data = JPEGVariant(PixelSize(64, 48), isProgressive: true).data
    let frame = try #require(data.range(of: Data([0xFF, 0xC2])))
    data.replaceSubrange(frame.lowerBound + 5..<frame.lowerBound + 9, with: [0x22, 0x00, 0x2C, 0x00])
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let picture = try CodecRegistry.standard.picture(
      from: data, resize: Resize(PixelSize(320, 240)),
      context: DecodingContext(pool: pool, allowsTruncation: true))
    #expect(picture.header?.storedSize == PixelSize(11264, 8704))
    #expect(pool.statistics.peakLentByteCount < 16 << 20)
  }

  @Test("refuses planes over the limit before it allocates them")
  func limit() throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let context = DecodingContext(limits: DecodingLimits(decodedByteCount: 3000), pool: pool)
    let error = #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.standard.picture(
        from: Self.variants[0].data, resize: Self.resize, context: context)
    }
    guard case .limitExceeded = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }
}
