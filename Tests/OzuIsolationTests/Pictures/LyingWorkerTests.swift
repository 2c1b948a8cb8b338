#if os(Linux)
  import Foundation
  import OzuImaging
  import OzuRecords
  import OzuSynchronization
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// What a worker that a file has taken over may answer. None of it is believed.
  @Suite("Answers that nobody should believe")
  struct LyingWorkerTests {
    /// Answers with what a test has made up.
    private final class FakeWorkers: WorkerAsking {
      typealias Answer =
        @Sendable (PictureQuestion) throws(DecodingError) -> (message: Data, payload: [UInt8])
      let answer: Answer
      let questions = Mutex<[PictureQuestion]>([])
      /// How many answers ended the worker.
      let refusals = Mutex(0)

      init(_ answer: @escaping Answer) { self.answer = answer }

      var status: WorkerStatus { WorkerStatus() }

      func perform<Result>(
        _ request: WorkerRequest, checkpoint: () throws(DecodingError) -> Void,
        read: (Data, UnsafeRawBufferPointer) throws(DecodingError) -> Result
      ) throws(DecodingError) -> Result {
        try checkpoint()
        guard let question = PictureQuestion(request.message) else { throw .cancelled }
        questions.withLock { $0.append(question) }
        let (message, payload) = try answer(question)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 16)
        defer { memory.deallocate() }
        memory.copyBytes(from: payload)
        do throws(DecodingError) { return try read(message, UnsafeRawBufferPointer(memory)) } catch {
          refusals.withLock { $0 += 1 }
          throw error
        }
      }
    }

    private static func header(_ size: PixelSize = PixelSize(8, 6), frameCount: Int = 1) -> ImageHeader {
      ImageHeader(type: .webp, storedSize: size, frameCount: frameCount)
    }

    private static func form(_ size: PixelSize = PixelSize(8, 6)) -> BitmapForm {
      BitmapForm(Bitmap(size: size, isOpaque: true) { _, _ in .black })
    }

    private static func message(_ answer: PictureAnswer) -> Data { Data([0]) + answer.data }

    private static func picture(
      _ header: ImageHeader = header(), _ form: BitmapForm = form(), byteCount: Int? = nil,
      resizeTime: Duration = .zero
    ) -> (Data, [UInt8]) {
      (
        message(.picture(header, form, notes: [], resizeTime: resizeTime)),
        [UInt8](repeating: 255, count: byteCount ?? form.byteCount)
      )
    }

    private static let file = Data("RIFF____WEBPVP8 ".utf8)

    private static func codecs(
      _ workers: FakeWorkers?, _ mode: DecoderIsolation.Mode = .required, _ inner: (any ImageDecoding)? = nil,
      onDegradation: @escaping @Sendable (String) -> Void = { _ in }
    ) -> CodecRegistry {
      var settings = DecoderIsolation(mode)
      settings.onDegradation = onDegradation
      var codecs = CodecRegistry()
      codecs.register(decoder: IsolatedDecoder(.webp, DecoderDesk(settings, workers), inner: inner))
      return codecs
    }

    private static let lies: [(what: String, answer: (Data, [UInt8]))] = [
      ("no message", (Data(), [])),
      ("another form of message", (Data([9]), [])),
      ("a message that is no answer", (Data([0, 1, 2, 3]), [])),
      ("a place behind the pixels", (Data([1, 255, 255, 255, 255, 15]), [0])),
      ("a negative place", (Data([1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]), [0])),
      ("another answer", (message(.metadata(ImageMetadata())), [])),
      ("another format", picture(ImageHeader(type: .avif, storedSize: PixelSize(8, 6)))),
      ("no size", picture(header(PixelSize(0, 0)))),
      ("a negative size", picture(header(PixelSize(-8, 6)))),
      ("no frames", picture(header(frameCount: 0))),
      ("planes", picture(ImageHeader(type: .webp, storedSize: PixelSize(8, 6), bitsPerComponent: 0))),
      ("another size of the picture", picture(header(), form(PixelSize(9, 6)))),
      ("too few pixels", picture(byteCount: 8 * 6 * 4 - 1)),
      ("too many pixels", picture(byteCount: 8 * 6 * 4 + 1)),
      ("no pixels", picture(byteCount: 0)),
      (
        "grey that nobody asked for",
        picture(
          header(),
          BitmapForm(
            Bitmap(size: PixelSize(8, 6), format: .gray8, isOpaque: true) { (bytes, _) in
              bytes.withMemoryRebound(to: UInt8.self) { $0.update(repeating: 0) }
            }))
      ),
      ("less than it may take", (message(.needs(byteCount: 5)), [])),
      ("less than nothing", (message(.needs(byteCount: -5)), [])),
    ]

    @Test(
      "no stage took longer than the question",
      arguments: [.seconds(Int64.max), .nanoseconds(1), .zero, .nanoseconds(-1), .seconds(Int64.min)]
        as [Duration])
    func resizeTime(_ told: Duration) throws {
      let codecs = Self.codecs(FakeWorkers { _ in Self.picture(resizeTime: told) })
      var stages: [(DecodingStage, Duration)] = []
      let context = DecodingContext().measured { stages.append(($0, $1)) }
      let time = try ContinuousClock().measure { _ = try codecs.picture(from: Self.file, context: context) }
      #expect(stages.map(\.0) == (told > .zero ? [.decode, .resize] : [.decode]))
      if told > .zero { #expect((stages.last?.1).map { .zero < $0 && $0 <= min(told, time) } == true) }
    }

    @Test(
      "a worker without its library makes way for one that may have it, and one that knows the file does not")
    func missingLibrary() throws {
      let error = DecodingError.unsupportedType(.webp, reason: "r")
      for (answer, count) in [(PictureAnswer.lacking(error), 1), (.failure(error), 0)] {
        let workers = FakeWorkers { _ in (Self.message(answer), []) }
        #expect(throws: error) { try Self.codecs(workers).picture(from: Self.file) }
        #expect(workers.refusals.withLock { $0 } == count)
      }
    }

    @Test("are wrong answers, and end the worker", arguments: lies.indices)
    func lie(_ index: Int) throws {
      let (what, answer) = Self.lies[index]
      let codecs = Self.codecs(FakeWorkers { _ in answer })
      let error = #expect(throws: DecodingError.self, "\(what)") { try codecs.picture(from: Self.file) }
      guard case .decoderFailed(.webp, .wrongAnswer) = error else {
        Issue.record("\(what): \(String(describing: error))")
        return
      }
    }

    @Test("a header beyond the limits is refused, as that of any file")
    func limits() {
      let codecs = Self.codecs(FakeWorkers { _ in Self.picture(Self.header(PixelSize(70_000, 1))) })
      #expect(throws: DecodingError.limitExceeded(.init(.side, value: 70_000, limit: 65_535))) {
        try codecs.picture(from: Self.file)
      }
    }

    @Test("what is right is taken: pixels, header, notes, and the price that a worker names is reserved")
    func honest() throws {
      let workers = FakeWorkers { question in
        if question.allowance < 100 << 20 { return (Self.message(.needs(byteCount: 100 << 20)), []) }
        let answer = PictureAnswer.picture(Self.header(), Self.form(), notes: ["a note"])
        return (Self.message(answer), [UInt8](repeating: 7, count: Self.form().byteCount))
      }
      let codecs = Self.codecs(workers)
      let picture = try codecs.picture(from: Self.file)
      #expect(picture.isIsolated && picture.header == Self.header() && picture.notes == ["a note"])
      #expect(picture.bitmap[3, 3] == Pixel(red: 7, green: 7, blue: 7, alpha: 7))
      #expect(workers.questions.withLock { $0.map(\.allowance) } == [16 << 20, 100 << 20])
      // Who has less to give does not ask again.
      let budget = DecodedByteBudget(byteLimit: 50 << 20)
      #expect(
        throws: DecodingError.limitExceeded(.init(.decodedByteCount, value: 100 << 20, limit: 50 << 20))
      ) {
        try codecs.picture(from: Self.file, context: DecodingContext(budget: budget))
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
      "frames are as many as a player takes, and each of the size of the picture", arguments: tracks.indices)
    func frames(_ index: Int) throws {
      let (what, track, isTaken) = Self.tracks[index]
      let workers = FakeWorkers { question in
        switch question.task {
        case .picture: Self.picture(Self.header(frameCount: 3))
        case .track: (Self.message(.track(track)), [])
        case .frame(let index, _):
          // The first is a lie.
          (
            Self.message(.bitmap(Self.form(index == 0 ? PixelSize(7, 6) : PixelSize(8, 6)))),
            [UInt8](repeating: UInt8(index), count: Self.form().byteCount)
          )
        default: (Data(), [])
        }
      }
      guard isTaken else {
        #expect(throws: DecodingError.self, "\(what)") { try Self.codecs(workers).picture(from: Self.file) }
        return
      }
      let picture = try Self.codecs(workers).picture(from: Self.file)
      #expect(picture.animation?.frameCount == track?.delays.count)
      guard let animation = picture.animation else { return }
      #expect(throws: DecodingError.decoderFailed(.webp, .wrongAnswer("no frame of 8x6"))) {
        try animation.frame(at: 0)
      }
      #expect(try animation.frame(at: 1)[0, 0] == Pixel(red: 1, green: 1, blue: 1, alpha: 1))
    }

    /// Decodes in the process of the app.
    private struct Inner: ImageDecoding {
      var types: [ImageType] { [.webp] }
      func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile { File() }

      private final class File: ImageFile {
        let header = LyingWorkerTests.header()
        func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
          Bitmap(size: plan.decodedSize, isOpaque: true) { _, _ in .black }
        }
      }
    }

    @Test("what cannot be had is told once where it need not, and is an error where it must")
    func degradation() throws {
      let absent = FakeWorkers { _ throws(DecodingError) in
        throw .decoderFailed(.webp, .unavailable("seccomp (Operation not permitted)"))
      }
      let told = Mutex<[String]>([])
      let preferred = Self.codecs(absent, .preferred, Inner()) { reason in told.withLock { $0.append(reason) }
      }
      for _ in 0..<3 {
        let picture = try preferred.picture(from: Self.file)
        #expect(!picture.isIsolated && picture.size == PixelSize(8, 6))
        #expect(try preferred.header(of: Self.file).type == .webp)
      }
      #expect(told.withLock { $0 } == ["seccomp (Operation not permitted)"])
      // It may be there by now, so each file is tried.
      #expect(absent.questions.withLock { $0.count } == 9)
      // Once there are workers, they decode.
      let isThere = Mutex(false)
      let late = FakeWorkers { question throws(DecodingError) in
        guard isThere.withLock({ $0 }) else { throw .decoderFailed(.webp, .unavailable("not yet")) }
        return Self.picture()
      }
      var settings = DecoderIsolation(.preferred)
      settings.onDegradation = { _ in }
      let desk = DecoderDesk(settings, late)
      var codecs = CodecRegistry()
      codecs.register(decoder: IsolatedDecoder(.webp, desk, inner: Inner()))
      #expect(try !codecs.picture(from: Self.file).isIsolated)
      #expect(desk.degradation == "not yet")
      isThere.withLock { $0 = true }
      #expect(try codecs.picture(from: Self.file).isIsolated)
      #expect(desk.degradation == nil)
      // A drawing has nobody else to read it.
      let alone = Self.codecs(absent, .preferred)
      let error = #expect(throws: DecodingError.self) { try alone.picture(from: Self.file) }
      guard case .unsupportedType(.webp, let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("isolation") && reason.contains("seccomp"))
      for codecs in [Self.codecs(absent, .required, Inner()), Self.codecs(nil, .required, Inner())] {
        for read in [{ _ = try codecs.picture(from: Self.file) }, { _ = try codecs.header(of: Self.file) }] {
          let error = #expect(throws: DecodingError.self) { try read() }
          guard case .decoderFailed(.webp, .unavailable) = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
        }
      }
    }

    @Test(
      "a crash is an error, and nobody decodes the file in the process of the app",
      arguments: [
        DecoderIsolation.Mode.preferred, .required,
      ])
    func crash(_ mode: DecoderIsolation.Mode) {
      let failure = DecodingError.decoderFailed(.webp, .crashed(signal: 11))
      let workers = FakeWorkers { _ throws(DecodingError) in throw failure }
      let codecs = Self.codecs(workers, mode, Inner())
      for _ in 0..<2 {
        #expect(throws: failure) { try codecs.picture(from: Self.file) }
        #expect(throws: failure) { try codecs.header(of: Self.file) }
      }
      #expect(workers.questions.withLock { $0.count } == 4)
    }

    @Test("decoders of the app are asked first, and isolation is set anew with each call")
    func order() throws {
      struct Own: ImageDecoding {
        var types: [ImageType] { [.webp] }
        func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
          throw .cancelled
        }
      }
      var codecs = CodecRegistry()
      codecs.register(decoder: Inner())
      codecs.markBuiltIn()
      for mode in [DecoderIsolation.Mode.required, .required, .off] {
        let isIsolated =
          codecs.isolate(DecoderIsolation(mode, types: [.webp], helper: .program("/nowhere"))) != nil
        #expect(isIsolated == (mode != .off))
        #expect(codecs.decodableTypes == [.webp])
        #expect(((try? codecs.picture(from: Self.file)) == nil) == isIsolated)
      }
      codecs.register(decoder: Own())
      _ = codecs.isolate(DecoderIsolation(.required, types: [.webp, .svg], helper: .program("/nowhere")))
      #expect(codecs.decodableTypes == [.webp, .svg])
      #expect(throws: DecodingError.cancelled) { try codecs.picture(from: Self.file) }
    }
  }
#endif
