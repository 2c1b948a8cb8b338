import CCodecs
import OzuCodecs
import OzuImaging
import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The frames of an animation whose library decodes each as a whole picture.
///
/// The library's decoder stays open from one frame to the next, since frames build on those before them; one lock
/// guards it. Its file is kept in memory that does not move.
final class LibraryFrames: AnimationFrameReading {
  let canvas: PixelSize
  let frames: [AnimationFrame]
  let loopCount: Int

  private let header: ImageHeader
  private let alpha: Alpha
  private let session: Mutex<OpenFile>

  /// A file with the decoder that reads it.
  ///
  /// `@unchecked Sendable`: bytes and session are reached through the lock alone.
  private final class OpenFile: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    let session: LibrarySession

    init(_ data: Data, library: LibraryDecoder, limits: DecodingLimits) throws(DecodingError) {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, data.count), alignment: 16)
      data.withUnsafeBytes { bytes.copyMemory(from: $0) }
      do throws(DecodingError) {
        session = try LibrarySession(
          UnsafeRawBufferPointer(rebasing: bytes[..<data.count]), type: library.type, limits: limits,
          open: library.open)
      } catch {
        bytes.deallocate()
        throw error
      }
      self.bytes = bytes
    }

    deinit {
      // The decoder goes after its bytes, and touches them no more.
      bytes.deallocate()
    }
  }

  /// - Throws: `DecodingError`.
  init?(
    _ data: Data, header: ImageHeader, library: LibraryDecoder, limits: DecodingLimits
  ) throws(DecodingError) {
    let frameCount = min(header.frameCount, limits.frameCount)
    guard frameCount > 1 else { return nil }
    let file = try OpenFile(data, library: library, limits: limits)
    var frames: [AnimationFrame] = []
    for index in 0..<frameCount {
      let delay = Duration.milliseconds(Int(try file.session.delay(index).rounded()))
      frames.append(AnimationFrame(size: header.storedSize, delay: delay))
    }
    self.frames = frames
    loopCount = Int(file.session.info.loops)
    self.header = header
    canvas = header.storedSize
    alpha = library.alpha
    session = Mutex(file)
  }

  func decodeFrame(at index: Int, context: DecodingContext) throws(DecodingError) -> Bitmap {
    let result = session.withLock { file in
      Result { () throws(DecodingError) -> Bitmap in
        try file.session.select(index)
        return try file.session.decode(header: header, size: canvas, alpha: alpha, context)
      }
    }
    return try result.get()
  }
}
