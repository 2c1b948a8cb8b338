#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CodecRegistry {
  /// The frames of a picture that moves, each brought to the size of the recipe and turned upright; `nil` for a
  /// still picture, and with a note for one whose frames make no sense. Frames over the limit are left out, with a
  /// note. No frame is decoded.
  func animation(
    of data: Data, by decoder: any ImageDecoding, header: ImageHeader, resize: Resize?,
    context: DecodingContext, notes: inout [String]
  ) -> PictureAnimation? {
    guard header.frameCount > 1, let decoder = decoder as? any AnimationDecoding else { return nil }
    let limit = context.limits.frameCount
    guard limit > 1 else {
      notes.append("shown without its animation of \(header.frameCountDescription), limit \(limit)")
      return nil
    }
    let reader: (any AnimationFrameReading)?
    do throws(DecodingError) {
      reader = try decoder.frames(of: data, header: header, limits: context.limits)
    } catch {
      notes.append("shown without its animation: \(error)")
      return nil
    }
    guard let reader, reader.canvas == header.storedSize else { return nil }
    if header.frameCount > limit {
      notes.append("played up to frame \(limit) of \(header.frameCountDescription)")
    }
    // Frames meet on their canvas, so they are decoded in whole.
    let plan = DecodePlan(header: header, resize: resize)
    return PictureAnimation(
      reader, encodedByteCount: data.count,
      frameByteCount: PixelBufferPool.sizeClass(plan.outputSize.bitmapByteCount(as: .bgra8)),
      blending: blending, limits: context.limits, pool: context.pool,
      colorPolicy: context.colorPolicy, budget: context.budget
    ) { [self] canvas, context in
      var frame = canvas
      if !plan.needsNoResampling {
        frame = plan.resampler.resample(
          frame, region: plan.region, to: plan.outputSize, pool: context.pool)
      }
      var notes: [String] = []
      frame = converted(frame, header: header, context: context, notes: &notes)
      return frame.upright(from: plan.orientation, pool: context.pool)
    }
  }
}
