#if os(Linux)
  import Foundation
  import OzuImaging
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuIsolation

  /// Answers requests with the answers that a test has made up, instead of a pool of workers.
  final class FakeWorkers: WorkerAsking {
    typealias Answer =
      @Sendable (PictureRequest) throws(ImageDecodingError) -> (message: Data, payload: [UInt8])
    let answer: Answer
    let requests = Mutex<[PictureRequest]>([])
    /// How many answers would have ended the worker.
    let refusals = Mutex(0)

    init(_ answer: @escaping Answer) { self.answer = answer }

    var status: WorkerStatus { WorkerStatus() }

    func perform<Result>(
      _ request: WorkerRequest, checkpoint: () throws(ImageDecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(ImageDecodingError) -> Result {
      try checkpoint()
      // As if every answer took a second.
      request.time?.add(.seconds(1))
      guard let request = PictureRequest(request.message) else { throw .cancelled }
      requests.withLock { $0.append(request) }
      let (message, payload) = try answer(request)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 16)
      defer { memory.deallocate() }
      memory.copyBytes(from: payload)
      do throws(ImageDecodingError) { return try read(message, UnsafeRawBufferPointer(memory)) } catch {
        refusals.withLock { $0 += 1 }
        throw error
      }
    }
  }

  extension FakeWorkers {
    static func header(_ size: PixelSize = PixelSize(8, 6), frameCount: Int = 1) -> ImageHeader {
      ImageHeader(type: .webp, storedSize: size, frameCount: frameCount)
    }

    static func header(change: (inout ImageHeader) -> Void) -> ImageHeader {
      var header = header()
      change(&header)
      return header
    }

    static func form(_ size: PixelSize = PixelSize(8, 6)) -> BitmapForm {
      BitmapForm(Bitmap(size: size, isOpaque: true) { _, _ in .black })
    }

    static func form(_ colorSpace: ColorSpaceTag) -> BitmapForm {
      BitmapForm(
        Bitmap(size: PixelSize(8, 6), format: .bgra8, isOpaque: true, colorSpace: colorSpace) { memory, _ in
          memory.initializeMemory(as: UInt8.self, repeating: 0)
        })
    }

    /// An answer that is too long for a message.
    static func afterPixels(_ answer: Data, form: BitmapForm? = form()) -> (Data, [UInt8]) {
      let pixels = [UInt8](repeating: 255, count: form?.byteCount ?? 0)
      var place = FieldWriter(after: 1)
      place.append(pixels.count)
      return (place.data, pixels + answer)
    }

    /// The bytes of an answer whose last list is empty, with other notes in this list; `rest` zeros follow it.
    static func answer(_ answer: PictureAnswer, notes count: Int, of length: Int, before rest: Int = 0)
      -> Data
    {
      var writer = FieldWriter()
      writer.append(count)
      for _ in 0..<count { writer.append(String(repeating: "n", count: length)) }
      return answer.data.dropLast(1 + rest) + writer.data + Data(count: rest)
    }

    static func message(_ answer: PictureAnswer) -> Data { Data([0]) + answer.data }

    static func picture(
      _ header: ImageHeader = header(), _ form: BitmapForm = form(), byteCount: Int? = nil,
      resizeTime: Duration = .zero
    ) -> (Data, [UInt8]) {
      (
        message(.picture(header, form, notes: [], resizeTime: resizeTime)),
        [UInt8](repeating: 255, count: byteCount ?? form.byteCount)
      )
    }

    static let file = Data("RIFF____WEBPVP8 ".utf8)

    static func codecs(
      _ workers: FakeWorkers?, _ mode: DecoderIsolation.Mode = .required, _ inner: (any ImageDecoding)? = nil,
      onDegradation: @escaping @Sendable (String) -> Void = { _ in }
    ) -> CodecRegistry {
      var settings = DecoderIsolation(mode)
      settings.onDegradation = onDegradation
      var codecs = CodecRegistry()
      codecs.register(decoder: IsolatedDecoder(.webp, WorkerClient(settings, workers), inner: inner))
      return codecs
    }
  }
#endif
