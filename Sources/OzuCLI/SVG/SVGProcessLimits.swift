import Ozu

/// What the process that draws one SVG may take.
struct SVGProcessLimits: Equatable {
  /// Processor time in seconds, that of its start included.
  var cpuSeconds: Int
  /// Memory in bytes, on top of what it has when it starts.
  var memoryByteCount: Int
  /// How long it may take by the clock: what neither works nor answers is stopped after that.
  var deadline: Duration

  /// Memory for a document, fonts, the stack of the renderer and small layers. A few shapes take 7 MB of it, text 54 MB,
  /// a stack of the depth that the renderer likes 64 MB.
  private static let baseByteCount = 256 << 20
  /// How many layers of the size of the result a drawing may have at once beside that: groups with opacity, masks,
  /// filters. Text and a blurred rectangle at 4,000 by 2,000 pixels take 288 MB in all.
  private static let layerCount = 4

  init(cpuSeconds: Int, memoryByteCount: Int, deadline: Duration) {
    self.cpuSeconds = cpuSeconds
    self.memoryByteCount = memoryByteCount
    self.deadline = deadline
  }

  /// The limits for a drawing whose result takes so many bytes, or for finding out its size.
  ///
  /// - Parameter cpuTime: the limit of the caller on processor time, rounded up to seconds.
  init(pixelByteCount: Int = 0, cpuTime: Duration, deadline: Duration) {
    let (seconds, fraction) = cpuTime.components
    cpuSeconds = max(1, Int(clamping: seconds) + (fraction > 0 ? 1 : 0))
    memoryByteCount = Self.baseByteCount + Self.layerCount * min(pixelByteCount, 1 << 40)
    self.deadline = deadline
  }
}
