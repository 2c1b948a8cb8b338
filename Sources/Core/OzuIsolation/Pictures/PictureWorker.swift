#if os(Linux) && canImport(CIsolation)
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// Decodes for another process: answers requests about one file at a time.
  ///
  /// The animation of the last file is kept until the next file comes, so that its frames can be made one after the
  /// other without starting again.
  package struct PictureWorker: WorkerHandling {
    /// The animation of the last file.
    private struct Current {
      var number: UInt64
      /// The request for the picture that the frames belong to.
      var request: PictureRequest
      var animation: PictureAnimation
    }

    private let codecs: CodecRegistry
    private var current: Current?
    /// Why files of a format cannot be read here.
    private var failures: [ImageType: ImageDecodingError] = [:]

    /// - Parameter codecs: the codecs that decode here, in this process.
    package init(codecs: CodecRegistry) {
      self.codecs = codecs
    }

    package mutating func prepare(_ kind: WorkerKind) -> Bool {
      do throws(ImageDecodingError) {
        try codecs.prepare(for: [kind.type])
        failures[kind.type] = nil
      } catch {
        // A worker could only report that it finds no file, so the reason is kept.
        failures[kind.type] = error
        return false
      }
      guard kind.type == .svg else { return true }
      // gdk-pixbuf reads a drawing inside a drawing with a module, which it opens with the first one; other pictures
      // inside need none (`DrawingPictures`). The drawing has no text, because text would start threads.
      _ = try? codecs.picture(from: Data(Self.firstDrawing.utf8))
      return true
    }

    private static let firstDrawing = """
      <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='2' height='2'><image \
      width='2' height='2' xlink:href="data:image/svg+xml,&lt;svg xmlns='http://www.w3.org/2000/svg' width='1' \
      height='1'/&gt;"/></svg>
      """

    package mutating func answer(
      message: Data, body: UnsafeRawBufferPointer, bodyNumber: UInt64, output: WorkerOutput
    ) -> Data {
      guard let request = PictureRequest(message), let start = body.baseAddress else {
        let reason = "the request is not understood: the helper is of another version than the program"
        return AnswerEnvelope.seal(
          .failure(.corrupt(ImageType(rawValue: "image"), stage: "request", reason: reason)), pixels: nil,
          into: output)
      }
      if current?.number != bodyNumber { current = nil }
      // Valid until the next body comes. Nothing of it is kept longer: the old animation was released above.
      let data = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: body.count, deallocator: .none)
      do throws(ImageDecodingError) {
        let (answer, pixels) = try self.answer(request, data, bodyNumber)
        return AnswerEnvelope.seal(answer, pixels: pixels, into: output)
      } catch {
        let answer =
          needs(error, request).map { .needs(byteCount: $0) } ?? failure(error)
        return AnswerEnvelope.seal(answer, pixels: nil, into: output)
      }
    }

    /// The error; or, if the cause is a library that could not be opened in the zygote, the error of that.
    private func failure(_ error: ImageDecodingError) -> PictureAnswer {
      guard case .unsupportedType(let type, _) = error, let cause = failures[type] else {
        return .failure(error)
      }
      return .lacking(cause)
    }

    /// The bytes that a render would need, if it was refused only for that.
    private func needs(_ error: ImageDecodingError, _ request: PictureRequest) -> Int? {
      guard case .limitExceeded(let violation) = error, violation.quantity == .decodedByteCount,
        violation.limit == request.allowance, request.allowance < request.limits.decodedByteCount
      else { return nil }
      return violation.value
    }

    private mutating func answer(
      _ request: PictureRequest, _ data: Data, _ number: UInt64
    ) throws(ImageDecodingError) -> (PictureAnswer, Bitmap?) {
      let watch = ResizeWatch()
      let context = request.context(watch)
      switch request.task {
      case .header: return (.header(try codecs.header(of: data, limits: request.limits)), nil)
      case .metadata: return (.metadata(try codecs.metadata(of: data, limits: request.limits)), nil)
      case .picture(let resize):
        let picture = try codecs.picture(from: data, resize: resize, context: context)
        current = picture.animation.map {
          Current(number: number, request: request.aboutPicture, animation: $0)
        }
        let header = picture.header ?? ImageHeader(type: ImageType(rawValue: ""), storedSize: picture.size)
        let answer = PictureAnswer.picture(
          header, BitmapForm(picture.bitmap), notes: picture.notes, resizeTime: watch.finish())
        return (answer, picture.bitmap)
      case .track:
        let track = try animation(request, data, number).map {
          FrameTrack(delays: $0.delays, loopCount: $0.loopCount, workingByteCount: $0.workingByteCount)
        }
        return (.track(track), nil)
      case .frame(let index, _):
        guard let animation = try animation(request, data, number), 0..<animation.frameCount ~= index
        else {
          throw .corrupt(
            ImageType(rawValue: "animation"), stage: "frames", reason: "there is no frame \(index)")
        }
        // The frame is cached in the process that asked for it.
        let frame = try animation.frame(at: index, keepsFrame: false, isCancelled: { false })
        return (.bitmap(BitmapForm(frame)), frame)
      case .pixels(let size):
        let file = try codecs.open(data, limits: request.limits)
        var header = file.header
        if header.isDrawing { (header.storedSize, header.exactSize) = (size, nil) }
        try request.limits.check(header)
        let plan = DecodePlan(header: header, resize: nil)
        let demand = file.demand(of: plan, context: context)
        let reserved = try context.reserving(plan.byteCount.saturatingSum(demand.byteCount))
        let pixels = try file.decode(plan, context: reserved)
        return (.bitmap(BitmapForm(pixels)), pixels)
      case .turned(let orientation):
        return (.file(try codecs.turned(data, from: orientation, limits: request.limits)), nil)
      case .transcoded(let way, let type):
        return (.file(try codecs.transcoded(data, way, by: type, limits: request.limits)), nil)
      case .rewritten(let task):
        return (.rewritten(try codecs.rewritten(data, task, limits: request.limits)), nil)
      }
    }

    /// The animation of the file; the one of the last request if that was for the same recipe.
    private mutating func animation(
      _ request: PictureRequest, _ data: Data, _ number: UInt64
    ) throws(ImageDecodingError) -> PictureAnimation? {
      let about = request.aboutPicture
      if let current, current.request == about { return current.animation }
      let picture = try codecs.picture(
        from: data, resize: request.resize, context: request.context(ResizeWatch()))
      current = picture.animation.map { Current(number: number, request: about, animation: $0) }
      return picture.animation
    }
  }

  extension PictureRequest {
    /// The context for answering. A process that ends soon has no use for a pool; a render may take no more than
    /// was reserved for it.
    fileprivate func context(_ watch: ResizeWatch) -> DecodingContext {
      DecodingContext(
        limits: limits, allowsTruncation: allowsTruncation, colorPolicy: colorPolicy,
        pixelFormats: pixelFormats, budget: DecodedByteBudget(byteLimit: allowance), onStage: watch.enter
      ).brightened(to: headroom).withGrowingBudget()
    }

    fileprivate var resize: Resize? {
      switch task {
      case .picture(let resize), .track(let resize), .frame(_, let resize): resize
      case .header, .metadata, .pixels, .turned, .transcoded, .rewritten: nil
      }
    }

    /// The request for the picture that the wanted frames belong to, without its allowance.
    fileprivate var aboutPicture: PictureRequest {
      var request = self
      request.task = .picture(resize)
      request.allowance = 0
      return request
    }
  }

  /// Adds up the time of the resize stages of a decode. Used on one thread.
  private final class ResizeWatch {
    private var total = Duration.zero
    private var start: ContinuousClock.Instant?

    func enter(_ stage: DecodingStage) {
      let now = ContinuousClock.now
      if let start { total += now - start }
      start = stage == .resize ? now : nil
    }

    /// Ends the current stage.
    func finish() -> Duration {
      if start != nil { enter(.decode) }
      return total
    }
  }
#endif
