#if OZU_WALK
  import Foundation
  import Ozu
  import OzuBase
  import OzuTesting

  /// One load from a server to the first codec, with nothing in any cache: `OzuSchedulerDrills walk`, for `make walk-cold`.
  ///
  /// The build counts what runs. The counts begin when the picture is asked for, after another load has set everything up,
  /// and are written when the first codec is called; there the process ends.
  enum ColdWalk {
    static func run() async throws {
      let server = try LoopbackServer()
      let picture = try PatternPicture(PixelSize(width: 160, height: 120)).data(as: .jpeg)
      server.routeRest { _ in .ok(picture, type: "image/jpeg") }
      let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-walk-\(getpid())")
      let end = WalkEnd(folder: folder)
      let pipeline = ImagePipeline {
        $0.network.networkMonitor = nil
        $0.caching.diskStorage = .folder(folder, capacity: 4 << 20)
        $0.decoding.codecs.register(decoder: end)
      }
      let size = PixelSize(width: 80, height: 60)
      _ = try await pipeline.image(for: ImageRequest(url: server.url("/first.jpg")).resized(to: size))
      await pipeline.flush()
      let request = ImageRequest(url: server.url("/second.jpg")).resized(to: size)
      end.isNext.withLock { $0 = true }
      resetCounts()
      _ = try await pipeline.image(for: request)
    }
  }

  /// The first codec of a load, where the walk ends.
  private final class WalkEnd: ImageDecoding {
    let folder: URL
    let isNext = Mutex(false)
    let types: [ImageType] = [.jpeg]

    init(folder: URL) { self.folder = folder }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      if isNext.withLock(\.self) {
        _ = writeCounts()
        try? FileManager.default.removeItem(at: folder)
        _exit(0)
      }
      return try CodecRegistry.standard.open(data, limits: limits)
    }
  }

  @_silgen_name("__llvm_profile_reset_counters") private func resetCounts()
  @_silgen_name("__llvm_profile_write_file") private func writeCounts() -> CInt
#endif
