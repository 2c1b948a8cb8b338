import OzuBase

/// Decodes a file while it is downloaded: takes the bytes as they arrive, and shows the picture so far.
///
/// ```swift
/// let decoder = IncrementalDecoder(codecs: .standard, resize: Resize(PixelSize(width: 320, height: 240)))
/// for await chunk in chunks {
///   decoder.append(chunk)
///   if wantsPreview, let preview = try decoder.preview() { show(preview) }
/// }
/// show(try decoder.picture())
/// ```
///
/// `append` only keeps the bytes. Work is done when a preview is asked for, and only for the bytes since the last
/// preview. While one preview is made, other calls of `preview` return `nil`, so a slow decoder never falls behind
/// a fast network. All previews together are under the limits of one picture, including its processor time.
///
/// There are two locks. One guards the bytes that arrived, and is held only for moments. The other guards the
/// decoder and is held while it decodes; `append` and `preview` never wait for it.
public final class IncrementalDecoder: Sendable {
  private enum Stage: Sendable {
    /// The header is not complete. It is tried again when this many bytes are there.
    case waiting(byteCount: Int)
    case decoding(Opened)
    /// Nothing can be shown before the file is complete.
    case over
  }

  private struct Opened: Sendable {
    let file: any ImageFile
    let plan: DecodePlan
    let reservation: DecodedByteBudget.Reservation
  }

  private struct State: Sendable {
    var file = Data()
    var stage = Stage.waiting(byteCount: 1)
    /// The processor time of all previews together.
    var spent = Duration.zero
  }

  /// Bytes that arrived and that the decoder has not taken yet.
  private struct Arrivals: Sendable {
    var chunks: [Data] = []
    var byteCount = 0
    var header: ImageHeader?
  }

  private let codecs: CodecRegistry
  private let resize: Resize?
  private let arrivals = Mutex(Arrivals())
  private let state = Mutex(State())

  /// Makes a decoder that has no bytes yet.
  ///
  /// - Parameters:
  ///   - codecs: the decoders to choose from. Only files that support `ImageFile.feed` give previews.
  ///   - resize: the recipe of the previews and of the picture; `nil` for the whole picture.
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`.
  public init(codecs: CodecRegistry, resize: Resize? = nil) {
    self.codecs = codecs
    self.resize = resize
  }

  /// Takes the next bytes of the file. They are kept without a copy until the decoder needs them.
  ///
  /// - Complexity: O(1).
  public func append(_ data: Data) {
    guard !data.isEmpty else { return }
    arrivals.withLock {
      $0.chunks.append(data)
      $0.byteCount += data.count
    }
  }

  /// The number of bytes that arrived.
  public var byteCount: Int { arrivals.withLock { $0.byteCount } }

  /// The header; `nil` until a call of `preview` has read it.
  public var header: ImageHeader? { arrivals.withLock { $0.header } }

  /// The picture so far, made on the calling thread.
  ///
  /// - Parameter context: the context of this call; pool and limits should be the same in all calls.
  /// - Returns: `nil` if there is nothing new to show, while another call is making a preview, and always for
  ///   formats that are decoded in one piece. The picture has `isPreview`; it is transparent where no pixels have
  ///   arrived.
  /// - Throws: `ImageDecodingError`, once: after that there are no more previews. `cancelled` if the context says so;
  ///   the next call then continues.
  public func preview(context: DecodingContext = .init()) throws(ImageDecodingError) -> Picture? {
    let result = state.withLockIfAvailable { state in
      Result { () throws(ImageDecodingError) -> Picture? in try self.preview(&state, context) }
    }
    return try result?.get()
  }

  /// The picture of all bytes, decoded like any file: the same that `CodecRegistry.picture(from:resize:context:)`
  /// returns for them. There are no previews after it.
  public func picture(context: DecodingContext = .init()) throws(ImageDecodingError) -> Picture {
    let file = state.withLock { state in
      takeArrivals(&state)
      state.stage = .over
      return state.file
    }
    return try codecs.picture(from: file, resize: resize, context: context)
  }

  private func takeArrivals(_ state: inout State) {
    let chunks = arrivals.withLock { arrivals in
      defer { arrivals.chunks.removeAll() }
      return arrivals.chunks
    }
    for chunk in chunks { state.file.append(chunk) }
  }

  private func preview(
    _ state: inout State, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Picture? {
    if case .over = state.stage { return nil }
    takeArrivals(&state)
    let context = context.continuing(after: state.spent)
    defer { state.spent = context.spentTime }
    do throws(ImageDecodingError) {
      try context.checkpoint()
      if case .waiting(let byteCount) = state.stage, state.file.count >= byteCount {
        state.stage = try open(state.file, context)
      }
      guard case .decoding(let opened) = state.stage else { return nil }
      guard let bitmap = try opened.file.feed(state.file, plan: opened.plan, context: context)
      else { return nil }
      return try finish(bitmap, opened, context)
    } catch {
      if error != .cancelled { state.stage = .over }
      throw error
    }
  }

  private func open(_ file: Data, _ context: DecodingContext) throws(ImageDecodingError) -> Stage {
    try context.limits.checkEncodedByteCount(file.count)
    // An eighth more bytes each time, so that all attempts together read the file only a few times, however small
    // the pieces are.
    let waiting = Stage.waiting(byteCount: file.count + max(1, file.count / 8))
    let decoder: any ImageDecoding
    do throws(ImageDecodingError) {
      decoder = try codecs.decoder(for: file)
    } catch {
      // The first few bytes are not enough to recognise a file.
      if file.count < ContentKind.prefixByteCount || ContentKind.isOpen(file) { return waiting }
      throw error
    }
    let opened: any ImageFile
    switch try decoder.open(beginning: file, limits: context.limits) {
    case .tooShort: return waiting
    case .notIncremental: return .over
    case .opened(let file): opened = file
    }
    let header = opened.header
    try decoder.check(header)
    arrivals.withLock { $0.header = header }
    try context.limits.check(header)
    try resize?.checkRegion(in: header.size)
    guard !header.storedSize.isEmpty else {
      throw .corrupt(header.type, stage: "header", reason: "a picture of \(header.storedSize) pixels")
    }
    // Previews are made from pixels.
    let plan = DecodePlan(drawingOf: header, resize: resize, scales: opened.scales).throughPixels
    // The pixels that the file keeps between calls, and the copy that is shown.
    let decodedByteCount = plan.decodedSize.bitmapByteCount(as: .bgra8)
    let keptByteCount = decodedByteCount.saturatingSum(opened.demand(of: plan, context: context).byteCount)
    try context.limits.checkDecodedByteCount(
      keptByteCount.saturatingSum(decodedByteCount).saturatingSum(plan.workingByteCount))
    // After a quarter turn, rows have another length and so another padding.
    for size in [plan.outputSize, plan.orientation.applied(to: plan.outputSize)] {
      try context.limits.checkDecodedByteCount(size.bitmapByteCount(as: .bgra8))
    }
    // The memory for what is made from the copy.
    let peakByteCount = plan.peakByteCount(header, format: .bgra8, context)
    guard let reservation = context.budget.reserveAside(keptByteCount.saturatingSum(peakByteCount))
    else { return waiting }
    return .decoding(Opened(file: opened, plan: plan, reservation: reservation))
  }

  private func finish(
    _ bitmap: Bitmap, _ opened: Opened, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    guard bitmap.size == opened.plan.decodedSize else {
      throw .corrupt(
        opened.file.header.type, stage: "preview",
        reason: "decoded to \(bitmap.size) instead of \(opened.plan.decodedSize)")
    }
    // From here on the work is not cancelled: the file would not return the same picture again.
    var result = bitmap.converted(to: .bgra8, pool: context.pool)
    if !opened.plan.needsNoResampling {
      result = opened.plan.resampler.resample(
        result, region: opened.plan.region, to: opened.plan.outputSize, pool: context.pool)
    }
    var notes: [String] = []
    var header = opened.file.header
    result = codecs.converted(result, header: header, context: context, notes: &notes)
    // The file is not cut off: the rest is on its way.
    header.notes = []
    return Picture(
      result.upright(from: opened.plan.orientation, pool: context.pool), header: header,
      isPreview: true, notes: notes)
  }
}
