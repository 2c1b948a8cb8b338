import OzuBase

extension CodecRegistry {
  /// Makes an upright picture from a file. It decodes no more pixels than the recipe needs.
  ///
  /// It does every step on the calling thread: reads the header, checks the limits, plans, decodes at the cheapest
  /// sufficient scale, resamples, turns upright.
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - resize: the recipe; `nil` for the whole picture.
  ///   - context: limits, memory, cancellation.
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`.
  /// - Throws: `ImageDecodingError`. Limits are checked before memory for pixels is allocated.
  public func picture(
    from data: Data, resize: Resize? = nil, context: DecodingContext = .init()
  ) throws(ImageDecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    if let picture = try decoder.makePicture(from: data, resize: resize, context: context) { return picture }
    let prepared = try prepare(data, decoder, resize: resize, context: context)
    do throws(ImageDecodingError) {
      return try render(prepared, resize: resize, context: context)
    } catch {
      // The whole picture may be intact even if a smaller rendition in the file is broken.
      guard prepared.isSmaller, error != .cancelled else { throw error }
      return try render(
        prepare(data, decoder, resize: resize, context: context, mayBeSmaller: false), resize: resize,
        context: context)
    }
  }

  /// Makes an upright picture whose pixels are decoded at their first use, on the thread that uses them. Only the
  /// header of the file is read now. An animated picture is decoded at once, up to its first frame.
  ///
  /// The file stays in memory until then. The cost of the decode is checked now; whether the file is intact is
  /// known only after `Picture.decode()`.
  ///
  /// - Parameters:
  ///   - data: the file.
  ///   - context: limits, memory, colours. Its cancellation has no effect after this returns.
  /// - Throws: `ImageDecodingError`, for errors that the header shows.
  package func deferredPicture(
    from data: Data, context: DecodingContext = .init()
  ) throws(ImageDecodingError) -> Picture {
    try context.limits.checkEncodedByteCount(data.count)
    let decoder = try decoder(for: data)
    let prepared = try prepare(data, decoder, resize: nil, context: context)
    let make = { @Sendable (context: DecodingContext) throws(ImageDecodingError) -> Picture in
      let picture = try decoder.makePicture(from: data, resize: nil, context: context)
      if let picture { return picture }
      return try render(prepared, resize: nil, context: context)
    }
    guard prepared.header.frameCount <= 1 else { return try make(context) }
    try context.checkpoint()
    let size = prepared.plan.orientation.applied(to: prepared.plan.outputSize)
    let makeContext = context.successor
    let pixels = DeferredPixels(
      size: size, byteCount: size.bitmapByteCount(as: prepared.format)
    ) { () throws(ImageDecodingError) in
      try make(makeContext())
    }
    return Picture(pixels, header: prepared.header)
  }

  /// The facts about a file that passed the checks.
  private struct Prepared: Sendable {
    let header: ImageHeader
    /// The file to decode: the whole file, or a smaller rendition in it.
    let file: any ImageFile
    let isSmaller: Bool
    let data: Data
    let plan: DecodePlan
    let format: PixelFormat
    /// Whether colours are converted before or after the pixels are rounded to 8 bits.
    let conversion: WideConversion
  }

  /// Reads the header and checks the cost of the decode.
  private func prepare(
    _ data: Data, _ decoder: any ImageDecoding, resize: Resize?, context: DecodingContext,
    mayBeSmaller: Bool = true
  ) throws(ImageDecodingError) -> Prepared {
    var file = try decoder.openChecked(data, limits: context.limits)
    let header = file.header
    let context = context.fitting(header)
    try context.limits.checkDeclared(header)
    guard !header.storedSize.isEmpty else {
      throw .corrupt(header.type, stage: "header", reason: "a picture of \(header.storedSize) pixels")
    }
    try resize?.checkRegion(in: header.size)
    var plan = DecodePlan(of: file, resize: resize, context: context)
    var isSmaller = false
    if mayBeSmaller, let smaller = file.smaller(for: plan, limits: context.limits),
      smaller.header.flaw(from: decoder.types) == nil,
      plan.mayBegin(
        at: smaller.header.storedSize, of: header.storedSize,
        stretch: header.cameraRAW == nil ? 0 : CameraRAW.largestStretch)
    {
      let own = DecodePlan(plan, of: smaller, inPlaceOf: header.storedSize, context: context)
      isSmaller = own.byteCount <= context.limits.decodedByteCount
      if isSmaller { (file, plan) = (smaller, own) }
    }
    try plan.checkPrice(for: file, context)
    let format = plan.pixelFormat(of: header, context)
    let conversion = format == .bgra8 ? wideConversion(file, &plan, context) : .notNeeded
    return Prepared(
      header: header, file: file, isSmaller: isSmaller, data: data, plan: plan, format: format,
      conversion: conversion)
  }

  private func render(
    _ prepared: Prepared, resize: Resize?, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    let file = prepared.file
    var header = prepared.header
    let (plan, format) = (prepared.plan, prepared.format)
    let context = try context.fitting(header).storing(alpha).reserving(plan.byteCount)
    defer { withExtendedLifetime(context) {} }
    try context.checkpoint()
    context.begin(.decode)
    context.hasAcceptedTruncation = false
    var thumbnail: Bitmap?
    if resize?.allowsEmbeddedThumbnail == true {
      thumbnail = try file.renderThumbnail(plan, context: context)
    }
    var notes = header.notes
    if thumbnail != nil { notes.append("made from the thumbnail that the camera put into the file") }
    if prepared.conversion == .tooLarge {
      notes.append("shadows have 8 bits: with more, the picture is over the limit on decoded bytes")
    }
    var bitmap: Bitmap
    if let thumbnail {
      bitmap = thumbnail
    } else if prepared.conversion == .first {
      bitmap = try renderWide(file, plan: plan, context: context, notes: &notes)
    } else if prepared.conversion == .lastInAllBits {
      bitmap = try file.render(plan, context: context.inStoredFormat())
    } else {
      bitmap = try file.render(plan, context: context)
    }
    if context.hasAcceptedTruncation { notes.append("\(PictureNotes.cut)a part of the picture is missing") }
    guard bitmap.size == plan.outputSize else {
      throw .corrupt(
        header.type, stage: "pixels", reason: "rendered to \(bitmap.size) instead of \(plan.outputSize)")
    }
    // A decoder may return another format than it was asked for. Its format is never assumed: any other is
    // converted.
    let isWide = prepared.conversion == .lastInAllBits && bitmap.format == .rgba16
    if bitmap.format != format, !isWide { bitmap = bitmap.converted(to: .bgra8, pool: context.pool) }
    // At the size of the result, which is usually smaller than the decoded picture.
    bitmap = converted(bitmap, header: header, context: context, notes: &notes)
    if bitmap.format != format { bitmap = bitmap.converted(to: format, pool: context.pool) }
    bitmap = try brightened(
      bitmap, prepared.data, plan: plan, header: &header, context: context, notes: &notes)
    let animation = animation(
      of: file, encodedByteCount: prepared.data.count, resize: resize, context: context, notes: &notes)
    return Picture(
      bitmap.upright(from: plan.orientation, pool: context.pool), header: header, animation: animation,
      notes: notes)
  }
}

// MARK: Animations

extension CodecRegistry {
  /// The frames of an animated picture as stored. `nil` for a still picture, and, with a note, for frames that break the
  /// rules. Frames over the limit are left out, with a note. No frame is decoded here.
  func composer(of file: any ImageFile, limits: DecodingLimits, notes: inout [String]) -> FrameComposer? {
    let header = file.header
    guard header.frameCount > 1 else { return nil }
    let limit = limits.frameCount
    guard limit > 1 else {
      let note = "shown without its animation of \(header.frameCountDescription), limit \(limit)"
      // The header of a file that another process opened says so already.
      if !notes.contains(note) { notes.append(note) }
      return nil
    }
    let reader: (any AnimationFrameReading)?
    do throws(ImageDecodingError) {
      reader = try file.frames(limits: limits)
    } catch {
      notes.append("\(PictureNotes.withoutAnimation)\(error)")
      return nil
    }
    guard let reader else { return nil }
    let composer: FrameComposer
    do throws(AnimationTrack.Flaw) {
      composer = try FrameComposer(reader, of: header.storedSize)
    } catch {
      notes.append("\(PictureNotes.withoutAnimation)\(error)")
      return nil
    }
    if header.frameCount > limit {
      notes.append("played up to frame \(limit) of \(header.frameCountDescription)")
    }
    return composer
  }

  /// The frames of `composer`, each resized by the recipe and turned upright.
  func animation(
    of file: any ImageFile, encodedByteCount: Int, resize: Resize?, context: DecodingContext,
    notes: inout [String]
  ) -> PictureAnimation? {
    guard let composer = composer(of: file, limits: context.limits, notes: &notes) else { return nil }
    let header = file.header
    // Frames are combined on their canvas, so they are decoded as whole pixels, not as planes.
    let plan = DecodePlan(header: header, resize: resize).throughPixels
    let frameByteCount = PixelBufferPool.sizeClass(plan.outputSize.bitmapByteCount(as: .bgra8))
    return PictureAnimation(
      composer, encodedByteCount: encodedByteCount, frameByteCount: frameByteCount,
      // A frame is resampled, and then converted or turned into another bitmap.
      finishingByteCount: max(
        plan.workingByteCount, plan.copiesResult(header, context) ? frameByteCount : 0),
      context: context
    ) { [self] (canvas, context) throws(ImageDecodingError) in
      var frame = canvas
      if !plan.needsNoResampling {
        frame = try plan.resampler.resample(
          frame, region: plan.region, to: plan.outputSize, pool: context.pool
        ) { () throws(ImageDecodingError) in try context.checkpoint() }
      }
      var notes: [String] = []
      frame = converted(frame, header: header, context: context, notes: &notes)
      return frame.upright(from: plan.orientation, pool: context.pool)
    }
  }
}

extension CodecRegistry {
  /// The animation encoder for a type.
  ///
  /// - Throws: `unsupportedType`, also for a type that can only be written as a still picture.
  public func animationEncoder(for type: ImageType) throws(ImageEncodingError) -> any AnimationEncoding {
    guard let encoder = animationEncoders.first(where: { $0.type == type }) else {
      throw .unsupportedType(type)
    }
    return encoder
  }

  /// Encodes an animation: its frames as they are shown, with their delays and the loop count.
  ///
  /// Decodes and encodes on the calling thread. Frames are decoded one at a time within the byte budget of the
  /// animation, and are not kept for players. Beside the budget, two canvases and the file are in memory.
  ///
  /// - Parameters:
  ///   - animation: the animation of a picture; its frames have the size and the orientation of the picture.
  ///   - type: WebP, PNG or GIF, if this build can write it: `encodableAnimationTypes`.
  ///   - options: as for still pictures. If the file would be larger than `maximumByteCount`, all frames are encoded again at a
  ///     lower quality, where the format has one.
  ///   - limits: the limits on the file, and on the time of all tries together.
  ///   - onEnd: called if a frame after the first cannot be decoded, with its index and the reason, in each try. The file then
  ///     ends before this frame. Without it, as by default, the call fails.
  ///   - isCancelled: called between frames, and while a frame is decoded.
  ///   - transform: receives each frame and its index, in each try, and returns the frame to write: for processors. All results
  ///     must have one size. By default frames are written as they are.
  /// - Throws: `ImageEncodingError`: `cancelled`; `tooManyFrames` and `tooManyPixels`, before the second frame;
  ///   `tooManyBytes` and `tooMuchTime`, as soon as it is known; `failed` with the reason if a frame cannot be decoded or
  ///   `transform` fails.
  /// - Complexity: O(frames × pixels); eight times the work if `maximumByteCount` is exceeded at the wanted quality.
  public func encode(
    _ animation: PictureAnimation, as type: ImageType, options: EncodingOptions = .init(),
    limits: AnimationEncodingLimits = .default, onEnd: ((Int, ImageDecodingError) -> Void)? = nil,
    isCancelled: @escaping () -> Bool = { false },
    transforming transform: (_ frame: Bitmap, _ index: Int) throws -> Bitmap = { frame, _ in frame }
  ) throws(ImageEncodingError) -> Data {
    var options = options.narrowed(to: type)
    var limits = limits
    func file() throws(ImageEncodingError) -> Data {
      let start = Self.time(of: animation)
      defer { limits.usedTime += Self.time(of: animation) - start }
      return try encodeFrames(
        of: animation, as: type, options: options, limits: limits, onEnd: onEnd, isCancelled: isCancelled,
        transforming: transform)
    }
    let wanted = options.compressionQuality
    let mayLower =
      options.enforcesByteLimit && !options.isLossless && wanted > 0
      && (options.maximumByteCount ?? .max) <= limits.encodedByteCount
      && (try? encoder(for: type))?.hasQuality == true
    do throws(ImageEncodingError) {
      return try file()
    } catch {
      guard case .tooManyBytes = error, mayLower else { throw error }
    }
    // As for a still picture.
    var (low, high) = (0.0, wanted)
    options.compressionQuality = low
    var fitting = try file()
    for _ in 0..<6 {
      options.compressionQuality = (low + high) / 2
      do throws(ImageEncodingError) {
        fitting = try file()
        low = options.compressionQuality
      } catch {
        switch error {
        case .tooManyBytes: high = options.compressionQuality
        case .tooMuchTime: return fitting
        default: throw error
        }
      }
    }
    return fitting
  }

  /// The processor time of this thread, and of the processes that decode for it.
  private static func time(of animation: PictureAnimation) -> Duration {
    DecodingContext.systemThreadTime() + animation.timeElsewhere()
  }

  /// Encodes all frames at the quality of the options.
  private func encodeFrames(
    of animation: PictureAnimation, as type: ImageType, options: EncodingOptions,
    limits: AnimationEncodingLimits, onEnd: ((Int, ImageDecodingError) -> Void)?,
    isCancelled: @escaping () -> Bool,
    transforming transform: (_ frame: Bitmap, _ index: Int) throws -> Bitmap
  ) throws(ImageEncodingError) -> Data {
    let encoder = try animationEncoder(for: type)
    guard animation.frameCount <= limits.frameCount else {
      throw .tooManyFrames(type, frameCount: animation.frameCount, limit: limits.frameCount)
    }
    let byteLimit = min(
      limits.encodedByteCount, (options.enforcesByteLimit ? options.maximumByteCount : nil) ?? .max)
    func check(_ byteCount: Int) throws(ImageEncodingError) {
      guard byteCount <= byteLimit else {
        throw .tooManyBytes(type, byteCount: byteCount, limit: byteLimit)
      }
    }
    let start = Self.time(of: animation)
    var writer: (any AnimationWriting)?
    for index in 0..<animation.frameCount {
      if isCancelled() { throw .cancelled }
      let stored: Bitmap
      do throws(ImageDecodingError) {
        stored = try animation.frame(at: index, keepsFrame: false, isCancelled: isCancelled)
      } catch {
        if error == .cancelled { throw .cancelled }
        guard index > 0, let onEnd else {
          throw .failed(type, reason: "frame \(index) cannot be decoded: \(error)")
        }
        onEnd(index, error)
        break
      }
      let frame = try Self.transformed(stored, index, as: type, transform)
      // No writer has a place for them.
      try Self.refuseColorCodes(frame.colorSpace, type)
      let current: any AnimationWriting
      if let writer {
        current = writer
      } else {
        let pixelCount = animation.frameCount.saturatingProduct(
          max(animation.canvasPixelCount, frame.size.pixelCount))
        guard pixelCount <= limits.pixelCount else {
          throw .tooManyPixels(type, pixelCount: pixelCount, limit: limits.pixelCount)
        }
        current = try encoder.makeWriter(
          canvas: frame.size, loopCount: animation.loopCount, options: options)
        writer = current
      }
      try current.append(frame, duration: animation.delays[index])
      try check(current.byteCount)
      guard limits.usedTime + Self.time(of: animation) - start <= limits.cpuTime else {
        throw .tooMuchTime(type, frameCount: index + 1, limit: limits.cpuTime)
      }
    }
    if isCancelled() { throw .cancelled }
    guard let file = try writer?.finish() else { throw .failed(type, reason: "an animation without frames") }
    try check(file.count)
    return file
  }

  private static func transformed(
    _ frame: Bitmap, _ index: Int, as type: ImageType,
    _ transform: (_ frame: Bitmap, _ index: Int) throws -> Bitmap
  ) throws(ImageEncodingError) -> Bitmap {
    do {
      return try transform(frame, index)
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(type, reason: "frame \(index) cannot be processed: \(error)")
    }
  }
}
