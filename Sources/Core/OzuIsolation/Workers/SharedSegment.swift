#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import Glibc

  /// Memory that is shared with a worker. It is kept between requests, because the pages of fresh memory would cost
  /// more time than most decoders.
  ///
  /// Only this process can make it longer, and its seal prevents all processes from making it shorter. So all
  /// `byteCount` bytes can always be accessed, whatever the worker does.
  struct SharedSegment: ~Copyable {
    let descriptor: Descriptor
    private let protection: Int32
    private(set) var byteCount = 0
    private var address: UnsafeMutableRawPointer?

    /// A segment that is longer than this does not keep its memory.
    static let keptByteCount = 64 << 20
    /// Segments grow in steps of this size.
    private static let step = 64 << 10

    init(isWritable: Bool) throws(WorkerPool.StartFailure) {
      descriptor = try Descriptor.segment()
      protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    }

    deinit { if let address { munmap(address, byteCount) } }

    /// The memory.
    var bytes: UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(start: address, count: byteCount)
    }

    /// Makes it at least `minimum` long, and at least twice as long as before, unless that exceeds `limit`.
    mutating func grow(to minimum: Int, limit: Int = .max) -> Bool {
      guard minimum > byteCount else { return true }
      let wanted = max(minimum, min(byteCount * 2, limit))
      guard wanted <= Int.max - Self.step else { return false }
      let length = (wanted + Self.step - 1) / Self.step * Self.step
      guard ozu_segment_resize(descriptor.number, length) == 0 else { return false }
      guard let new = mmap(nil, length, protection, MAP_SHARED, descriptor.number, 0), new != MAP_FAILED
      else {
        return false
      }
      if let address { munmap(address, byteCount) }
      address = new
      byteCount = length
      return true
    }

    /// Frees the pages; they read as zero from now on.
    func discard() {
      if byteCount > 0 { _ = ozu_segment_discard(descriptor.number, byteCount) }
    }
  }
#endif
