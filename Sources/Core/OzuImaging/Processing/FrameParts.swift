import OzuBase

/// The parts of frames that processors choose by the pixels: the same in all frames of an animation, which would otherwise
/// jump, or change its size.
///
/// Attention stays where it falls in the first frame. A trim leaves what is no border in any frame, so all frames are looked
/// through before the first is written: once for each trim, because the pictures that a trim gets depend on those before it.
///
/// A processor may work on several threads, so a lock guards the parts.
final class FrameParts: Sendable {
  private struct Attention: Hashable {
    let part: PixelSize
    let whole: PixelSize
  }

  /// A trim, by its number among those of one frame.
  private struct Trimming: Hashable {
    let number: Int
    let whole: PixelSize
  }

  private struct State {
    var attention: [Attention: PixelRectangle] = [:]
    var contents: [Trimming: PixelRectangle] = [:]
    /// The trims of the current frame so far.
    var trimCount = 0
    var isSearching = false
    /// The trim for which frames are looked through.
    var searched: Trimming?
    /// What is no border in any of the frames that were looked at.
    var found: PixelRectangle?
  }

  private let state = Mutex(State())

  /// The part of a picture that attracts the most attention: that of the first frame, or else what a closure finds.
  func attention(on part: PixelSize, of whole: PixelSize, _ find: () -> PixelRectangle) -> PixelRectangle {
    let key = Attention(part: part, whole: whole)
    if let first = state.withLock({ $0.attention[key] }) { return first }
    let found = find()
    state.withLock { $0.attention[key] = found }
    return found
  }

  /// What a trim leaves of a frame.
  ///
  /// - Parameter find: finds it in this frame alone; `nil` if all of it is border.
  /// - Returns: also whether it is known; not while frames are looked through.
  func content(of whole: PixelSize, _ find: () -> PixelRectangle?) -> (part: PixelRectangle?, isKnown: Bool) {
    let (key, known, isSearching) = state.withLock { state -> (Trimming, PixelRectangle?, Bool) in
      let key = Trimming(number: state.trimCount, whole: whole)
      state.trimCount += 1
      return (key, state.contents[key], state.isSearching)
    }
    if let known { return (known, true) }
    let found = find()
    guard isSearching else { return (found, true) }
    state.withLock { state in
      let searched = state.searched ?? key
      state.searched = searched
      if searched == key, let found { state.found = state.found?.united(with: found) ?? found }
    }
    return (nil, false)
  }

  func beginFrame() { state.withLock { $0.trimCount = 0 } }

  func beginSearch() { state.withLock { $0.isSearching = true } }

  /// Whether further frames would tell nothing more: no trim was met, or nothing is border.
  var isSettled: Bool {
    state.withLock { state in
      guard let searched = state.searched else { return true }
      return state.found?.size == searched.whole
    }
  }

  /// - Returns: whether frames were looked through for a trim.
  func endSearch() -> Bool {
    state.withLock { state in
      state.isSearching = false
      guard let searched = state.searched else { return false }
      state.contents[searched] = state.found ?? PixelRectangle(searched.whole)
      (state.searched, state.found) = (nil, nil)
      return true
    }
  }
}

extension ProcessingContext {
  /// The same surroundings for the frames of one animation.
  package func forFrames() -> ProcessingContext {
    var context = self
    context.parts = FrameParts()
    return context
  }

  /// Called before the first processor of each frame.
  package func beginFrame() { parts?.beginFrame() }

  /// What a trim leaves of a picture; in a frame of an animation, what is no border in any frame.
  ///
  /// - Throws: `failed`, while the frames are looked through.
  func content(
    of whole: PixelSize, for trim: Trim, _ find: () -> PixelRectangle?
  ) throws(ProcessingError) -> PixelRectangle? {
    guard let parts else { return find() }
    let content = parts.content(of: whole, find)
    guard content.isKnown else { throw .failed(trim.identifier, reason: "not all frames have been seen") }
    return content.part
  }
}

extension PictureAnimation {
  /// Looks through the frames for the processors whose result depends on all of them, before the animation is written.
  ///
  /// It ends early where writing would fail too: when it is cancelled, over the limits, or at a frame that cannot be
  /// decoded.
  ///
  /// - Parameters:
  ///   - context: that of the processors, made by `forFrames`.
  ///   - limits: those of writing; the processor time is added to the used one.
  ///   - process: runs the processors on a frame.
  /// - Returns: the first frame after the processors; `nil` after an early end.
  /// - Complexity: O(frames × pixels) for each trim; one frame without a trim.
  package func survey(
    _ context: ProcessingContext, limits: inout AnimationEncodingLimits,
    isCancelled: @escaping () -> Bool, _ process: (Bitmap) throws -> Bitmap
  ) -> Bitmap? {
    guard let parts = context.parts, frameCount <= limits.frameCount,
      frameCount.saturatingProduct(canvasPixelCount) <= limits.pixelCount
    else { return nil }
    func time() -> Duration { DecodingContext.systemThreadTime() + timeElsewhere() }
    let start = time()
    defer { limits.usedTime += time() - start }
    while true {
      parts.beginSearch()
      var first: Bitmap?
      for index in 0..<frameCount {
        guard time() - start <= limits.cpuTime,
          let stored = try? self.frame(at: index, keepsFrame: false, isCancelled: isCancelled)
        else { break }
        // A trim that is looked for ends the work on a frame. Other errors come again when the frame is written.
        let processed = try? process(stored)
        if index == 0 { first = processed }
        if parts.isSettled { break }
      }
      guard parts.endSearch() else { return first }
    }
  }
}
