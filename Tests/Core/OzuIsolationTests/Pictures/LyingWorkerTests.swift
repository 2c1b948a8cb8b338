#if os(Linux)
  import Foundation
  import OzuCodecs
  import OzuImaging
  import OzuStandardCodecs
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// The answers of a worker that a hostile file has taken over. None of them is accepted.
  @Suite("Answers of a worker that was taken over")
  struct LyingWorkerTests {
    private static let lies: [(what: String, answer: (Data, [UInt8]))] = shortLies + longLies()

    /// Made one by one: the compiler takes minutes for a long list of such calls.
    private static func longLies() -> [(what: String, answer: (Data, [UInt8]))] {
      var lies: [(what: String, answer: (Data, [UInt8]))] = []
      func add(_ what: String, _ header: ImageHeader, _ form: BitmapForm) {
        lies.append((what, FakeWorkers.picture(header, form)))
      }
      let picture = PictureAnswer.picture(FakeWorkers.header(), FakeWorkers.form(), notes: [])
      // The time follows the notes.
      let many = FakeWorkers.answer(picture, notes: 100_000, of: 0, before: 2)
      lies.append(("many empty notes", FakeWorkers.afterPixels(many)))
      let long = FakeWorkers.answer(picture, notes: 1, of: 5000, before: 2)
      lies.append(("a long note", FakeWorkers.afterPixels(long)))
      let longest = FakeWorkers.answer(picture, notes: 250, of: 48 << 10, before: 2)
      lies.append(("a longer answer than the file can have", FakeWorkers.afterPixels(longest)))
      let name = ColorSpaceTag.icc(name: String(repeating: "c", count: 5000))
      add("colours with a long name", FakeWorkers.header(), FakeWorkers.form(name))
      let codes = ColorSpaceTag.coded(primaries: -1, transfer: .max)
      add("colours by impossible numbers", FakeWorkers.header(), FakeWorkers.form(codes))
      lies.append(("that nobody wants the picture", (FakeWorkers.message(.failure(.cancelled)), [])))
      lies.append(("that nobody wants its library", (FakeWorkers.message(.lacking(.cancelled)), [])))
      return lies
    }

    private static let shortLies: [(what: String, answer: (Data, [UInt8]))] = [
      ("no message", (Data(), [])),
      ("another form of message", (Data([9]), [])),
      ("a message that is no answer", (Data([0, 1, 2, 3]), [])),
      ("a place after the end of the pixels", (Data([1, 255, 255, 255, 255, 15]), [0])),
      ("a negative place", (Data([1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), [0])),
      ("another answer", (FakeWorkers.message(.metadata(ImageMetadata())), [])),
      ("another format", FakeWorkers.picture(ImageHeader(type: .avif, storedSize: PixelSize(8, 6)))),
      ("no size", FakeWorkers.picture(FakeWorkers.header(PixelSize(0, 0)))),
      ("a negative size", FakeWorkers.picture(FakeWorkers.header(PixelSize(-8, 6)))),
      ("no frames", FakeWorkers.picture(FakeWorkers.header(frameCount: 0))),
      (
        "planes",
        FakeWorkers.picture(ImageHeader(type: .webp, storedSize: PixelSize(8, 6), bitsPerComponent: 0))
      ),
      (
        "another size of the picture",
        FakeWorkers.picture(FakeWorkers.header(), FakeWorkers.form(PixelSize(9, 6)))
      ),
      ("too few pixels", FakeWorkers.picture(byteCount: 8 * 6 * 4 - 1)),
      ("too many pixels", FakeWorkers.picture(byteCount: 8 * 6 * 4 + 1)),
      ("no pixels", FakeWorkers.picture(byteCount: 0)),
      (
        "grey that nobody asked for",
        FakeWorkers.picture(
          FakeWorkers.header(),
          BitmapForm(
            Bitmap(size: PixelSize(8, 6), format: .gray8, isOpaque: true) { (bytes, _) in
              bytes.withMemoryRebound(to: UInt8.self) { $0.update(repeating: 0) }
            }))
      ),
      ("memory that it already may take", (FakeWorkers.message(.needs(byteCount: 5)), [])),
      ("less than nothing", (FakeWorkers.message(.needs(byteCount: -5)), [])),
    ]

    @Test(
      "no stage took longer than the request",
      arguments: [.seconds(Int64.max), .nanoseconds(1), .zero, .nanoseconds(-1), .seconds(Int64.min)]
        as [Duration])
    func resizeTime(_ told: Duration) throws {
      let codecs = FakeWorkers.codecs(FakeWorkers { _ in FakeWorkers.picture(resizeTime: told) })
      var stages: [(DecodingStage, Duration)] = []
      let context = DecodingContext().measured { stages.append(($0, $1)) }
      let time = try ContinuousClock().measure {
        _ = try codecs.picture(from: FakeWorkers.file, context: context)
      }
      #expect(stages.map(\.0) == (told > .zero ? [.decode, .resize] : [.decode]))
      if told > .zero { #expect((stages.last?.1).map { .zero < $0 && $0 <= min(told, time) } == true) }
    }

    @Test(
      "a worker without its library is replaced, and one that reports a broken file is kept")
    func missingLibrary() throws {
      let error = ImageDecodingError.unsupportedType(.webp, reason: "r")
      for (answer, count) in [(PictureAnswer.lacking(error), 1), (.failure(error), 0)] {
        let workers = FakeWorkers { _ in (FakeWorkers.message(answer), []) }
        #expect(throws: error) { try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file) }
        #expect(workers.refusals.withLock { $0 } == count)
      }
    }

    @Test("are wrong answers, and end the worker", arguments: lies.indices)
    func lie(_ index: Int) throws {
      let (what, answer) = Self.lies[index]
      let codecs = FakeWorkers.codecs(FakeWorkers { _ in answer })
      let error = #expect(throws: ImageDecodingError.self, "\(what)") {
        try codecs.picture(from: FakeWorkers.file)
      }
      guard case .decoderFailed(.webp, .wrongAnswer) = error else {
        Issue.record("\(what): \(String(describing: error))")
        return
      }
    }

    private static let headers: [(what: String, header: ImageHeader)] = makeHeaders()

    private static func makeHeaders() -> [(what: String, header: ImageHeader)] {
      var headers: [(what: String, header: ImageHeader)] = []
      func add(_ what: String, _ change: (inout ImageHeader) -> Void) {
        headers.append((what, FakeWorkers.header(change: change)))
      }
      func add(_ what: String, _ map: GainMap) { add(what) { $0.gainMap = map } }
      add("another format") { $0.type = .avif }
      add("a negative size") { $0.storedSize = PixelSize(-1, 6) }
      add("no frames") { $0.frameCount = 0 }
      add("missing bytes that are none") { $0.missingBytes = 5..<5 }
      add("too many frames") { $0.frameCount = .max }
      add("no dots") { $0.dotsPerInch = .nan }
      add("too many dots") { $0.dotsPerInch = .infinity }
      add("far too many dots") { $0.dotsPerInch = 1e300 }
      add("no light") { $0.lightLevels = LightLevels(masteringPeak: .nan) }
      add("endless light") { $0.lightLevels = LightLevels(maximumContent: -.infinity) }
      add("an endless exposure") {
        var metadata = PictureMetadata()
        metadata.exposureTime = .infinity
        $0.metadata = metadata
      }
      add("an exposure shorter than any fraction") {
        var metadata = PictureMetadata()
        metadata.exposureTime = .leastNonzeroMagnitude
        $0.metadata = metadata
      }
      let sane = GainMap.Channel(minimum: 0, maximum: 2)
      add("a gain map without channels", gainMap([]))
      add("a gain map of two channels", gainMap([sane, sane]))
      add("a gain that is no number", gainMap([GainMap.Channel(minimum: .nan, maximum: 2)]))
      add("no light of a gain map", gainMap([GainMap.Channel(minimum: 0, maximum: 0)], .light))
      add("no number as light", gainMap([GainMap.Channel(minimum: 0, maximum: .nan)], .light))
      var map = gainMap([sane])
      map.bytes = 0..<(.max)
      add("a gain map that is not in the file", map)
      map = gainMap([sane])
      map.edits = [GainMap.Edit(offset: .max, bytes: [1, 2])]
      add("an edit outside of the gain map", map)
      return headers
    }

    private static func gainMap(_ channels: [GainMap.Channel], _ coding: GainMap.Coding = .stops) -> GainMap {
      var map = GainMap(size: PixelSize(4, 3), bytes: 0..<4, channels: channels, alternateHeadroom: 2)
      map.coding = coding
      return map
    }

    @Test("an impossible header is a wrong answer, alone and with its picture", arguments: headers.indices)
    func header(_ index: Int) {
      let (what, header) = Self.headers[index]
      let workers = FakeWorkers { request in
        if case .header = request.task { return (FakeWorkers.message(.header(header)), []) }
        return FakeWorkers.picture(header)
      }
      let codecs = FakeWorkers.codecs(workers)
      let alone = #expect(throws: ImageDecodingError.self, "\(what)") {
        try codecs.header(of: FakeWorkers.file)
      }
      let picture = #expect(throws: ImageDecodingError.self, "\(what)") {
        try codecs.picture(from: FakeWorkers.file)
      }
      for error in [alone, picture] {
        guard case .decoderFailed(.webp, .wrongAnswer) = error else {
          Issue.record("\(what): \(String(describing: error))")
          continue
        }
      }
    }

    private static let blocks: [(what: String, metadata: ImageMetadata)] = [
      ("a large block", ImageMetadata(exif: Data(count: ImageMetadata.largestBlock + 1))),
      ("large data sets", ImageMetadata(iptc: Data(count: ImageMetadata.largestBlock + 1))),
      ("a long text", stating { $0.title = String(repeating: "a", count: 5000) }),
      ("a place beyond the pole", stating { $0.latitude = 91 }),
      ("an exposure that is no number", stating { $0.exposureTime = .nan }),
      ("a large profile", ImageMetadata(colorProfile: ICCProfile(name: nil, data: Data(count: 5 << 20)))),
    ]

    private static func stating(_ change: (inout MetadataValues) -> Void) -> ImageMetadata {
      var metadata = ImageMetadata()
      change(&metadata.values)
      return metadata
    }

    @Test("impossible metadata are left out", arguments: blocks.indices)
    func metadata(_ index: Int) throws {
      let (what, metadata) = Self.blocks[index]
      let workers = FakeWorkers { request in
        if case .header = request.task { return (FakeWorkers.message(.header(FakeWorkers.header())), []) }
        return FakeWorkers.afterPixels(PictureAnswer.metadata(metadata).data, form: nil)
      }
      let codecs = FakeWorkers.codecs(workers)
      let read = try codecs.metadata(of: FakeWorkers.file)
      #expect(read == ImageMetadata(notes: read.notes) && read.notes.count == 1, "\(what)")
      #expect(read.notes.first?.contains("wrong answer") == true, "\(what): \(read.notes)")
    }

    private static func rewriting(_ change: (inout MetadataRewriting.Outcome) -> Void) -> PictureAnswer {
      var outcome = MetadataRewriting.Outcome()
      change(&outcome)
      return .rewritten(outcome)
    }

    @Test("the cleaned file is that of the worker, if it is one of the format")
    func cleaned() throws {
      let other: Data = FakeWorkers.file + [1, 2, 3]
      let answers: [PictureAnswer] = [
        Self.rewriting {
          $0.file = other
          ($0.dropped, $0.notes) = (["XMP"], ["n"])
        }, Self.rewriting { $0.file = Data("GIF89a".utf8) }, Self.rewriting { _ in }, .file(other),
      ]
      for (index, answer) in answers.enumerated() {
        let codecs = FakeWorkers.codecs(FakeWorkers { _ in (FakeWorkers.message(answer), []) })
        let file = Result { () throws(ImageDecodingError) in
          try CleanedFile(FakeWorkers.file, keeping: .appearance, by: codecs, limits: .default)
        }
        switch file {
        case .success(let file):
          #expect(index == 0 && file.data == other && file.dropped == ["XMP"] && file.notes == ["n"])
        case .failure(.decoderFailed(.webp, .wrongAnswer)): #expect(index > 0)
        case .failure(let error): Issue.record("\(index): \(error)")
        }
      }
    }

    @Test(
      "kept metadata are those of the worker; impossible ones, and those of a crash, are left out with a note"
    )
    func keptMetadata() {
      let dots = ImageResolution(dotsPerInch: 72)
      func kept(_ answer: @escaping FakeWorkers.Answer) -> (metadata: EncodedMetadata, notes: [String]) {
        var notes: [String] = []
        let metadata = FakeWorkers.codecs(FakeWorkers(answer)).keptMetadata(
          of: FakeWorkers.file, policy: .keepAll, size: PixelSize(8, 6), colorSpace: .sRGB, resolution: dots,
          limits: .default, notes: &notes)
        return (metadata, notes)
      }
      func kept(_ blocks: EncodedMetadata) -> (metadata: EncodedMetadata, notes: [String]) {
        let answer = Self.rewriting { ($0.blocks, $0.notes) = (blocks, ["n"]) }
        return kept { _ in FakeWorkers.afterPixels(answer.data, form: nil) }
      }
      let own = kept(EncodedMetadata(exif: Data([1]), resolution: ImageResolution(dotsPerInch: .nan)))
      #expect(own.metadata == EncodedMetadata(exif: Data([1])) && own.notes == ["n"])
      let crash = ImageDecodingError.decoderFailed(.webp, .crashed(signal: 5))
      let failures = [
        kept(EncodedMetadata(exif: Data(count: 9 << 20))),
        kept { _ throws(ImageDecodingError) in throw crash },
      ]
      for failure in failures {
        #expect(failure.metadata == EncodedMetadata(resolution: dots))
        #expect(failure.notes.count == 1 && failure.notes.first?.hasPrefix("metadata are left out: ") == true)
      }
    }

    @Test("no list is longer than one of a worker may be", arguments: [(100_000, 0), (1, 5000)])
    func notes(_ count: Int, _ length: Int) throws {
      let header = PictureAnswer.header(FakeWorkers.header())
      let lie = FakeWorkers.answer(header, notes: count, of: length)
      let liar = FakeWorkers.codecs(FakeWorkers { _ in FakeWorkers.afterPixels(lie, form: nil) })
      #expect(throws: ImageDecodingError.decoderFailed(.webp, .wrongAnswer("it cannot be read"))) {
        try liar.header(of: FakeWorkers.file)
      }
      let blocks = FakeWorkers.answer(.metadata(ImageMetadata()), notes: count, of: length)
      let workers = FakeWorkers { request in
        if case .header = request.task { return FakeWorkers.afterPixels(header.data, form: nil) }
        return FakeWorkers.afterPixels(blocks, form: nil)
      }
      let read = try FakeWorkers.codecs(workers).metadata(of: FakeWorkers.file)
      #expect(read.notes.count == 1 && read.notes.first?.contains("wrong answer") == true)
    }

    @Test("a resolution that no format can store is left out")
    func resolution() throws {
      let dots = ImageResolution(horizontal: .nan, vertical: 72)
      let workers = FakeWorkers { request in
        if case .header = request.task { return (FakeWorkers.message(.header(FakeWorkers.header())), []) }
        return (FakeWorkers.message(.metadata(ImageMetadata(resolution: dots, notes: ["n"]))), [])
      }
      let read = try FakeWorkers.codecs(workers).metadata(of: FakeWorkers.file)
      #expect(read == ImageMetadata(notes: ["n"]))
    }

    @Test("a header over the limits is refused, like that of any file")
    func limits() {
      let codecs = FakeWorkers.codecs(
        FakeWorkers { _ in FakeWorkers.picture(FakeWorkers.header(PixelSize(70_000, 1))) })
      #expect(throws: ImageDecodingError.limitExceeded(.init(.side, value: 70_000, limit: 65_535))) {
        try codecs.picture(from: FakeWorkers.file)
      }
    }

    @Test(
      "right answers are accepted: pixels, header, notes; and the memory that a worker asks for is reserved")
    func honest() throws {
      let workers = FakeWorkers { request in
        if request.allowance < 100 << 20 { return (FakeWorkers.message(.needs(byteCount: 100 << 20)), []) }
        let answer = PictureAnswer.picture(FakeWorkers.header(), FakeWorkers.form(), notes: ["a note"])
        return (FakeWorkers.message(answer), [UInt8](repeating: 7, count: FakeWorkers.form().byteCount))
      }
      let codecs = FakeWorkers.codecs(workers)
      let picture = try codecs.picture(from: FakeWorkers.file)
      #expect(picture.isIsolated && picture.header == FakeWorkers.header() && picture.notes == ["a note"])
      #expect(picture.bitmap[3, 3] == Pixel(red: 7, green: 7, blue: 7, alpha: 7))
      #expect(workers.requests.withLock { $0.map(\.allowance) } == [16 << 20, 100 << 20])
      // A budget with less than that fails without asking again.
      let budget = DecodedByteBudget(byteLimit: 50 << 20)
      #expect(
        throws: ImageDecodingError.limitExceeded(.init(.decodedByteCount, value: 100 << 20, limit: 50 << 20))
      ) {
        try codecs.picture(from: FakeWorkers.file, context: DecodingContext(budget: budget))
      }
      #expect(budget.reservedByteCount == 0)
    }

    @Test("a worker that asks for a little more memory each time is not asked for ever")
    func endlessNeeds() {
      let workers = FakeWorkers { request in
        (FakeWorkers.message(.needs(byteCount: request.allowance + 1)), [])
      }
      let reason = "it asked for more memory 8 times"
      #expect(throws: ImageDecodingError.decoderFailed(.webp, .wrongAnswer(reason))) {
        try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file)
      }
      #expect(workers.requests.withLock { $0.count } == 8)
    }

    @Test(
      "a question about a file has the limits of the file, and its answer no more pixels than were asked for")
    func bounds() throws {
      let workers = FakeWorkers { request in
        if case .header = request.task { return (FakeWorkers.message(.header(FakeWorkers.header())), []) }
        return (FakeWorkers.message(.metadata(ImageMetadata(notes: ["n"]))), [])
      }
      var limits = DecodingLimits.default
      limits.encodedByteCount = 1000
      #expect(try FakeWorkers.codecs(workers).metadata(of: FakeWorkers.file, limits: limits).notes == ["n"])
      #expect(workers.requests.withLock { $0.map(\.limits) } == [limits, limits])
      let pixels = PictureRequest(.pixels(PixelSize(8, 6)), DecodingContext(), allowance: 1 << 30)
      #expect(pixels.pixelByteCount == 8 * 6 * 8)
    }

    @Test("an animation that is written has limits on the pixels of its source, and on the time of workers")
    func written() throws {
      let (count, source) = (3, PixelSize(80, 60))
      let track = FrameTrack(
        delays: Array(repeating: .milliseconds(50), count: count), loopCount: 0, workingByteCount: 0)
      let workers = FakeWorkers { request in
        switch request.task {
        case .picture: FakeWorkers.picture(FakeWorkers.header(source, frameCount: count))
        case .track: (FakeWorkers.message(.track(track)), [])
        case .frame:
          (
            FakeWorkers.message(.bitmap(FakeWorkers.form())),
            [UInt8](repeating: 255, count: FakeWorkers.form().byteCount)
          )
        default: (Data(), [])
        }
      }
      let picture = try FakeWorkers.codecs(workers).picture(
        from: FakeWorkers.file, resize: Resize(PixelSize(8, 6)))
      let animation = try #require(picture.animation)
      let codecs = CodecRegistry.standard
      let pixelCount = count * source.pixelCount
      var limits = AnimationEncodingLimits(pixelCount: pixelCount)
      #expect(throws: Never.self) { try codecs.encode(animation, as: .gif, limits: limits) }
      limits.pixelCount -= 1
      #expect(throws: ImageEncodingError.tooManyPixels(.gif, pixelCount: pixelCount, limit: pixelCount - 1)) {
        try codecs.encode(animation, as: .gif, limits: limits)
      }
      limits = AnimationEncodingLimits(cpuTime: .milliseconds(1500))
      #expect(throws: ImageEncodingError.tooMuchTime(.gif, frameCount: 2, limit: .milliseconds(1500))) {
        try codecs.encode(animation, as: .gif, limits: limits)
      }
    }

    private static let tracks: [(what: String, track: FrameTrack?, isTaken: Bool)] = [
      ("two frames", FrameTrack(delays: [.zero, .zero], loopCount: 0, workingByteCount: 0), true),
      ("none after all", nil, true),
      ("one", FrameTrack(delays: [.zero], loopCount: 0, workingByteCount: 0), false),
      (
        "more than are played",
        FrameTrack(delays: Array(repeating: .zero, count: 16_385), loopCount: 0, workingByteCount: 0), false
      ),
      (
        "a negative delay", FrameTrack(delays: [.zero, .seconds(-1)], loopCount: 0, workingByteCount: 0),
        false
      ),
      ("a negative count", FrameTrack(delays: [.zero, .zero], loopCount: -1, workingByteCount: 0), false),
      ("negative memory", FrameTrack(delays: [.zero, .zero], loopCount: 0, workingByteCount: -1), false),
      ("all memory", FrameTrack(delays: [.zero, .zero], loopCount: 0, workingByteCount: .max), false),
      (
        "frames for ever",
        FrameTrack(delays: [.seconds(Int64.max), .seconds(Int64.max)], loopCount: 0, workingByteCount: 0),
        false
      ),
    ]

    @Test(
      "frames are accepted only in a number that a player accepts, and in the size of the picture",
      arguments: tracks.indices)
    func frames(_ index: Int) throws {
      let (what, track, isTaken) = Self.tracks[index]
      let workers = FakeWorkers { request in
        switch request.task {
        case .picture: FakeWorkers.picture(FakeWorkers.header(frameCount: 3))
        case .track: (FakeWorkers.message(.track(track)), [])
        case .frame(let index, _):
          // The first answer is a lie.
          (
            FakeWorkers.message(.bitmap(FakeWorkers.form(index == 0 ? PixelSize(7, 6) : PixelSize(8, 6)))),
            [UInt8](repeating: UInt8(index), count: FakeWorkers.form().byteCount)
          )
        default: (Data(), [])
        }
      }
      guard isTaken else {
        #expect(throws: ImageDecodingError.self, "\(what)") {
          try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file)
        }
        return
      }
      let picture = try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file)
      #expect(picture.animation?.frameCount == track?.delays.count)
      guard let animation = picture.animation else { return }
      #expect(throws: ImageDecodingError.decoderFailed(.webp, .wrongAnswer("no frame of 8x6"))) {
        try animation.frame(at: 0)
      }
      #expect(try animation.frame(at: 1)[0, 0] == Pixel(red: 1, green: 1, blue: 1, alpha: 1))
    }
  }
#endif
