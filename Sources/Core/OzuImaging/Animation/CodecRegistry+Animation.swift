import OzuBase

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
      notes.append("shown without its animation: \(error)")
      return nil
    }
    guard let reader else { return nil }
    let composer: FrameComposer
    do throws(AnimationTrack.Flaw) {
      composer = try FrameComposer(reader, of: header.storedSize, blending: blending)
    } catch {
      notes.append("shown without its animation: \(error)")
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
      limits: context.limits, pool: context.pool,
      colorPolicy: context.colorPolicy, budget: context.budget
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
  ///   - options: as for still pictures. If the file would be larger than `maximumByteCount`, the call fails: the
  ///     quality is not lowered.
  ///   - limits: the limits on the file.
  ///   - onEnd: called if a frame after the first cannot be decoded, with its index and the reason. The file then ends
  ///     before this frame. Without it, as by default, the call fails.
  ///   - isCancelled: called between frames, and while a frame is decoded.
  ///   - transform: receives each frame and its index, and returns the frame to write: for processors. All results
  ///     must have one size. By default frames are written as they are.
  /// - Throws: `ImageEncodingError`: `cancelled`; `tooManyFrames` and `tooManyPixels`, before the second frame;
  ///   `tooManyBytes` and `tooMuchTime`, as soon as it is known; `failed` with the reason if a frame cannot be decoded or
  ///   `transform` fails.
  /// - Complexity: O(frames × pixels).
  public func encode(
    _ animation: PictureAnimation, as type: ImageType, options: EncodingOptions = .init(),
    limits: AnimationEncodingLimits = .default, onEnd: ((Int, ImageDecodingError) -> Void)? = nil,
    isCancelled: @escaping () -> Bool = { false },
    transforming transform: (_ frame: Bitmap, _ index: Int) throws -> Bitmap = { frame, _ in frame }
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
    // The processor time of this thread, and of the processes that decode for it.
    func time() -> Duration { DecodingContext.systemThreadTime() + animation.timeElsewhere() }
    let start = time()
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
          canvas: frame.size, loopCount: animation.loopCount, options: options.narrowed(to: type))
        writer = current
      }
      try current.append(frame, duration: animation.delays[index])
      try check(current.byteCount)
      guard time() - start <= limits.cpuTime else {
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
