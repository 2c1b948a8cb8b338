import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A file that a library has opened once: the same decoder reads the header, makes the picture and its frames.
///
/// One lock guards the decoder. If the same picture is decoded again, which a fallback from planes can need, the
/// decoder of an animation goes back to its first frame, and that of a still picture is made again.
final class LibraryFile: ImageFile {
  private struct State: ~Copyable {
    var session: LibrarySession
    var isUsed = false
  }

  let header: ImageHeader
  let library: LibraryDecoder
  private let limits: DecodingLimits
  /// The bytes that the library reads: the file, or an excerpt of it.
  let data: Data
  private let source: Data
  private let bytes: PinnedBytes
  private let isPremultiplied: Bool
  /// Whether the library makes one row after the other.
  let deliversRows: Bool
  /// The pixels of the largest picture in the file, of which the shown picture may be a part; 0 if the library only
  /// decodes the picture of the header.
  private let largestPixelCount: Int
  /// The number of frames that are there, of an animation whose file ends too early.
  let wholeFrameCount: Int?
  /// The part of the stored picture that this file represents; `nil` for the whole.
  private let cut: PixelRectangle?
  /// The smaller renditions of the picture, and how its pixels are stored.
  let levels: [LibraryLevel]
  let storage: LibraryLevel.Storage
  /// The grid of tiles that the picture consists of, if its parts become files of their own. If the library turns the
  /// picture, these are only whole rows or columns of tiles (`LibraryFile+Bands.swift`).
  let grid: HEIFGrid?
  private let state: Mutex<State>
  private let slot = FeedSlot()

  /// - Parameters:
  ///   - cut: the part of the picture that the library has to cut out.
  ///   - whole: the header of the picture of which this is a part or a smaller rendition.
  ///   - isLevel: whether it is a smaller rendition.
  init(
    _ source: Data, library: LibraryDecoder, limits: DecodingLimits, cut: PixelRectangle? = nil,
    partOf whole: ImageHeader? = nil, isLevel: Bool = false
  ) throws(ImageDecodingError) {
    let inspection = try library.inspect?(source, limits) ?? LibraryDecoder.Inspection(data: source)
    let data = inspection.data
    let bytes = PinnedBytes(data)
    var opened: LibrarySession?
    try bytes.withBytes { (bytes) throws(ImageDecodingError) in
      opened = try LibrarySession(
        bytes, type: library.type, limits: limits, open: library.opening, cut: cut)
    }
    guard let session = opened.take() else { preconditionFailure("the session was not opened") }
    var header = session.header
    header.isDrawing = library.isDrawing
    header.notes += library.notes
    deliversRows = session.info.has_rows
    // Averaging supports 8 bits for each channel.
    if deliversRows, !session.info.is_deep, !session.info.is_cmyk {
      header.planeLayout = PlaneLayout(chromaStep: nil, source: .rows)
    }
    let hasBoxes = library.type == .avif || library.type == .heic
    if inspection.hasThumbnail {
      header.metadata = header.metadata ?? PictureMetadata()
      header.metadata?.hasThumbnail = true
    }
    if let remainder = inspection.remainder { header.notes.append(remainder) }
    if hasBoxes, HighDynamicRange(header.colorEncoding) != nil {
      header.lightLevels = HEIFLightLevels.find(in: source.span)
    }
    // The bytes of drawings and of other formats are not boxes.
    if hasBoxes { header.add(HEIFGainMap.find(in: source.span, turnsPictures: library.type == .heic)) }
    grid = hasBoxes && whole == nil && header.frameCount == 1 ? HEIFGrid(data.span, of: header) : nil
    if let grid, !grid.isTurned {
      header.regionUnit = grid.tileSize
      header.hasParts = true
    }
    wholeFrameCount = session.info.is_cut ? Int(session.info.whole_frames) : nil
    if let wholeFrameCount {
      // Only AVIF states their number at the beginning.
      header.noteCut(
        wholeFrames: wholeFrameCount, ofAtLeast: header.frameCount, isExact: library.type == .avif)
    }
    if let reason = session.info.unread { header.noteUnread(String(cString: reason)) }
    if session.info.drops_alpha { header.notes.append("its alpha is left out: it is not read with CMYK") }
    if session.info.has_pages { header.notes.append("only its first page is read") }
    levels = whole == nil ? LibraryLevel.all(of: session.info) : []
    storage = LibraryLevel.Storage(session.info)
    if let whole {
      header = isLevel ? whole.level(header) : whole.part(of: session.header.storedSize)
    }
    self.header = header
    self.library = library
    self.limits = limits
    self.data = data
    self.source = source
    largestPixelCount = inspection.largestPixelCount
    self.cut = cut
    self.bytes = bytes
    isPremultiplied = session.info.is_premultiplied
    state = Mutex(State(session: session))
  }

  /// The library's own memory beside the bitmap or the rows: it keeps its picture until the file is closed. Planes
  /// that a library makes are part of the plan; planes that are averaged from rows need one row of pixels more.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
    bands(of: plan, context)?.demand ?? wholeDemand(of: plan)
  }

  /// The demand of a plan whose picture, or part of it, is decoded at once.
  func wholeDemand(of plan: DecodePlan) -> DecodingDemand {
    guard plan.averaging == nil || deliversRows else { return DecodingDemand() }
    var (scratch, columnScratch, isDeep) = state.withLock {
      (
        Int(clamping: $0.session.info.scratch), Int(clamping: $0.session.info.column_scratch),
        $0.session.info.is_deep
      )
    }
    if let cut = plan.cut { scratch = self.scratch(scratch, perColumn: columnScratch, of: cut) }
    // The library counts the pixels that are shown, but decodes the whole.
    let hiddenCount = plan.cut == nil ? largestPixelCount - header.storedSize.pixelCount : 0
    let hidden = max(0, hiddenCount).saturatingProduct(isDeep ? 12 : 8)
    let byteCount = scratch.saturatingSum(hidden)
      .saturatingSum(plan.averaging == nil ? 0 : 4 * header.storedSize.width)
    return DecodingDemand(
      byteCount: byteCount, keptByteCount: byteCount, deliversRows: deliversRows,
      isPiecewise: grid != nil && plan.cut != nil)
  }

  /// The library's own memory for the whole picture.
  var scratchByteCount: Int { state.withLock { Int(clamping: $0.session.info.scratch) } }

  /// Makes the result: from planes if the plan averages them, else from pixels.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if bands(of: plan, context) != nil { return try renderFromPixels(plan, context: context) }
    if let cut = plan.cut { return try render(plan, from: part(cut, of: plan, context), context: context) }
    if let averaging = plan.averaging, deliversRows {
      return try plan.rendered(try averagedRows(averaging, context), header: header, context: context)
    }
    if let averaging = plan.averaging {
      let planes = try use { (session) throws(ImageDecodingError) in
        try session.planes(header: header, averaging: averaging, context)
      }
      if let planes { return try plan.rendered(planes, header: header, context: context) }
    }
    return try renderFromPixels(plan, context: context)
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let cut = plan.cut { return try decode(plan, cut: cut, context) }
    try context.limits.checkPixelCount(max(largestPixelCount, header.storedSize.pixelCount))
    try context.checkpoint()
    return try use { (session) throws(ImageDecodingError) in
      try session.decode(header: header, size: plan.decodedSize, context)
    }
  }

  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard header.metadata?.hasThumbnail == true, let file = library.thumbnail?(source) else { return nil }
    return try PinnedBytes(file).withBytes { (bytes) throws(ImageDecodingError) in
      do throws(ImageDecodingError) {
        let largest = try library.inspect?(file, context.limits).largestPixelCount ?? 0
        try context.limits.checkPixelCount(largest)
        let session = try LibrarySession(
          bytes, type: library.type, limits: context.limits, open: library.opening)
        var own = session.header
        guard own.storedSize.width >= smallest.width, own.storedSize.height >= smallest.height else {
          return nil
        }
        try context.limits.check(own)
        own.colorEncoding = header.colorEncoding
        let hidden = max(0, largest - own.storedSize.pixelCount)
        let byteCount = own.storedSize.byteCount(as: .bgra8)
          .saturatingSum(Int(clamping: session.info.scratch)).saturatingSum(hidden.saturatingProduct(12))
        try context.limits.checkDecodedByteCount(byteCount)
        // Nothing else has been decoded yet.
        try context.reserve(atLeast: byteCount)
        return try session.decode(header: own, size: own.storedSize, context)
      } catch {
        switch error {
        case .cancelled, .limitExceeded: throw error
        default: return nil
        }
      }
    }
  }

  /// The metadata that the library finds. If pixels were decoded already, a new session is asked, so that no memory
  /// of the library is read after it may have been freed.
  func readMetadata() -> ImageMetadata {
    state.withLock { state in
      bytes.withBytes { bytes in
        guard state.isUsed else { return state.session.metadata }
        let fresh = Result { () throws(ImageDecodingError) -> ImageMetadata in
          try LibrarySession(bytes, type: library.type, limits: limits, open: library.opening).metadata
        }
        return (try? fresh.get()) ?? ImageMetadata()
      }
    }
  }

  /// Shows the part of a file that has arrived, if the library can.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard let make = library.feed else { return nil }
    return try slot.preview(of: data, context: context) { () throws(ImageDecodingError) in
      try make(header, isPremultiplied, context)
    }
  }

  func timing(frameCount: Int) throws(ImageDecodingError) -> (delays: [Duration], loopCount: Int) {
    let result = state.withLock { state in
      Result { () throws(ImageDecodingError) -> ([Duration], Int) in
        var delays: [Duration] = []
        for index in 0..<frameCount {
          delays.append(
            .milliseconds(Int(clamping: try state.session.delay(index), rounded: .toNearestOrAwayFromZero)))
        }
        return (delays, Int(state.session.info.loops))
      }
    }
    return try result.get()
  }

  /// Calls a closure with a decoder that is at the beginning of a frame.
  func use<Success>(
    frame: Int = 0, _ body: (borrowing LibrarySession) throws(ImageDecodingError) -> Success
  ) throws(ImageDecodingError) -> Success {
    var outcome: Result<Success, ImageDecodingError>?
    state.withLock { state in
      outcome = Result { () throws(ImageDecodingError) -> Success in
        try bytes.withBytes { (bytes) throws(ImageDecodingError) in
          if header.frameCount > 1, state.isUsed || frame > 0 {
            try state.session.select(frame)
          } else if state.isUsed {
            state.session = try LibrarySession(
              bytes, type: library.type, limits: limits, open: library.opening, cut: cut)
          }
          state.isUsed = true
          return try body(state.session)
        }
      }
    }
    guard let outcome else { preconditionFailure("the closure did not run") }
    return try outcome.get()
  }
}

extension ImageHeader {
  /// Adds a gain map, or a note why there is none.
  fileprivate mutating func add(_ finding: HEIFGainMap.Finding) {
    switch finding {
    case .none: break
    case .flaw(let flaw): notes.append("its gain map cannot be used: \(flaw)")
    case .map(let map):
      if let flaw = map.flaw(for: storedSize) { return add(.flaw(flaw)) }
      gainMap = map
    }
  }
}
