#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
