import OzuBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
          canvas: frame.size, loopCount: animation.loopCount, options: options)
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
