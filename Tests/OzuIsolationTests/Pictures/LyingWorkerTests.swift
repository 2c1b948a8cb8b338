#if os(Linux)
  import Foundation
  import OzuImaging
  import OzuRecords
  import OzuSynchronization
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// The answers of a worker that a hostile file has taken over. None of them is accepted.
  @Suite("Answers of a worker that was taken over")
  struct LyingWorkerTests {
    private static let lies: [(what: String, answer: (Data, [UInt8]))] = [
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
      let error = DecodingError.unsupportedType(.webp, reason: "r")
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
      let error = #expect(throws: DecodingError.self, "\(what)") {
        try codecs.picture(from: FakeWorkers.file)
      }
      guard case .decoderFailed(.webp, .wrongAnswer) = error else {
        Issue.record("\(what): \(String(describing: error))")
        return
      }
    }

    @Test("a header over the limits is refused, like that of any file")
    func limits() {
      let codecs = FakeWorkers.codecs(
        FakeWorkers { _ in FakeWorkers.picture(FakeWorkers.header(PixelSize(70_000, 1))) })
      #expect(throws: DecodingError.limitExceeded(.init(.side, value: 70_000, limit: 65_535))) {
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
        throws: DecodingError.limitExceeded(.init(.decodedByteCount, value: 100 << 20, limit: 50 << 20))
      ) {
        try codecs.picture(from: FakeWorkers.file, context: DecodingContext(budget: budget))
      }
      #expect(budget.reservedByteCount == 0)
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
        #expect(throws: DecodingError.self, "\(what)") {
          try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file)
        }
        return
      }
      let picture = try FakeWorkers.codecs(workers).picture(from: FakeWorkers.file)
      #expect(picture.animation?.frameCount == track?.delays.count)
      guard let animation = picture.animation else { return }
      #expect(throws: DecodingError.decoderFailed(.webp, .wrongAnswer("no frame of 8x6"))) {
        try animation.frame(at: 0)
      }
      #expect(try animation.frame(at: 1)[0, 0] == Pixel(red: 1, green: 1, blue: 1, alpha: 1))
    }
  }
#endif
