#if canImport(ImageIO)
  import Foundation
  import ImageIO
  import OzuImaging
  import OzuBase

  /// The frames of an animation that ImageIO reads. Each is a whole picture.
  ///
  /// All are read through one source: a new one would compose every frame from the first one on.
  ///
  /// `@unchecked Sendable`: the source is used only within `turn`; everything else is constant.
  final class ImageIOFrames: AnimationFrameReading, @unchecked Sendable {
    let canvas: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let file: ImageIOFile
    private let header: ImageHeader
    private let turn = Mutex(())

    /// Opens the frames of a file, without decoding one.
    ///
    /// - Parameter frameLimit: frames beyond this number are ignored.
    /// - Throws: `corrupt`, `truncated`.
    init(_ data: Data, _ header: ImageHeader, frameLimit: Int) throws(ImageDecodingError) {
      let file = try ImageIOFile(data, header.type)
      let keys = ImageIOAnimationKeys(header.type)
      self.file = file
      self.header = header
      canvas = header.storedSize
      loopCount = file.loopCount(keys)
      let size = header.storedSize
      frames = (0..<min(header.frameCount, frameLimit)).map {
        AnimationFrame(size: size, delay: file.delay(of: $0, keys))
      }
    }

    func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      try context.checkpoint()
      return try turn.withLock { (_) throws(ImageDecodingError) in
        guard let image = file.image(at: index) else { throw file.failure(stage: "frame \(index)") }
        return try file.draw(image, size: canvas, header: header, context: context)
      }
    }
  }

  /// The keys of the facts that ImageIO reports about an animation.
  struct ImageIOAnimationKeys {
    let dictionary: CFString
    let unclampedDelay: CFString
    let delay: CFString
    let loopCount: CFString

    /// `nil` for a format whose pictures are not frames.
    init?(_ type: ImageType) {
      switch type {
      case .png:
        dictionary = kCGImagePropertyPNGDictionary
        unclampedDelay = kCGImagePropertyAPNGUnclampedDelayTime
        delay = kCGImagePropertyAPNGDelayTime
        loopCount = kCGImagePropertyAPNGLoopCount
      case .webp:
        dictionary = kCGImagePropertyWebPDictionary
        unclampedDelay = kCGImagePropertyWebPUnclampedDelayTime
        delay = kCGImagePropertyWebPDelayTime
        loopCount = kCGImagePropertyWebPLoopCount
      case .heic, .avif:
        // Both are sequences in one container, and their keys have the same names.
        dictionary = type == .heic ? kCGImagePropertyHEICSDictionary : kCGImagePropertyAVISDictionary
        unclampedDelay = kCGImagePropertyHEICSUnclampedDelayTime
        delay = kCGImagePropertyHEICSDelayTime
        loopCount = kCGImagePropertyHEICSLoopCount
      default: return nil
      }
    }
  }

  extension ImageIOFile {
    /// The number of frames, up to the limit of `ImageHeader.frameCount`; 1 for several pictures that are not an
    /// animation.
    var frameCount: Int {
      let count = CGImageSourceGetCount(source)
      guard count > 1, let keys = ImageIOAnimationKeys(type), time(of: 0, keys) != nil else { return 1 }
      return min(count, ImageHeader.largestFrameCount)
    }

    func loopCount(_ keys: ImageIOAnimationKeys?) -> Int {
      guard let keys else { return 0 }
      let all = ImageIOProperties(CGImageSourceCopyProperties(source, nil)).nested(keys.dictionary)
      return max(0, all[keys.loopCount] as? Int ?? 0)
    }

    /// The delay as stored; players decide how long 0 is.
    func delay(of index: Int, _ keys: ImageIOAnimationKeys?) -> Duration {
      guard let keys, let seconds = time(of: index, keys), seconds.isFinite else { return .zero }
      return .seconds(min(max(0, seconds), 3600))
    }

    private func time(of index: Int, _ keys: ImageIOAnimationKeys) -> Double? {
      let frame = ImageIOProperties(CGImageSourceCopyPropertiesAtIndex(source, index, nil))
        .nested(keys.dictionary)
      return frame[keys.unclampedDelay] as? Double ?? frame[keys.delay] as? Double
    }
  }
#endif
