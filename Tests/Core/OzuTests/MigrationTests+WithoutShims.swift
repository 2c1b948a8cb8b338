import Foundation
import Ozu
import OzuTesting
import Testing

// Kingfisher and SDWebImage have no shims: their pages name calls of Ozu.
extension MigrationTests {
  @Test("Kingfisher")
  func kingfisher() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(width: 40, height: 30), pipeline: pipeline)
    let images = view.images

    images.setImage(from: url)
    images.setImage(
      from: url,
      options: DisplayOptions {
        $0.placeholder = .picture(placeholder)
        $0.failurePicture = placeholder
        $0.transition = .fade(.milliseconds(200))
      },
      progress: { progress in report(progress) })
    images.setImage(
      ImageRequest(url: url, processors: [.gaussianBlur(radius: 4), .roundedCorners(radius: 20)]))
    images.setImage(ImageRequest(url: url, cachePolicy: .reload))
    images.setImage(ImageRequest(url: url, cachePolicy: .cacheOnly))
    images.cancel()
    let picture = try await pipeline.image(for: ImageRequest(url: url, cacheKey: "avatar"))
    pipeline.store(picture, forKey: "avatar")
    #expect(pipeline.cachedImage(forKey: "avatar") != nil)
    let isCached = pipeline.cache.contains(ImageRequest(url: url, cacheKey: "avatar"), layers: .memory)
    #expect(isCached)
    await pipeline.removeImage(forKey: "avatar")
    pipeline.removeImagesFromMemory()
    await pipeline.removeAllImages()
  }

  @Test("SDWebImage")
  func sdWebImage() async throws {
    let pipeline = try servedPipeline()
    let view = FakeImageView(DisplaySize(width: 40, height: 30), pipeline: pipeline)
    let images = view.images
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }

    images.setImage(from: url)
    images.setImage(
      ImageRequest(url: url),
      options: DisplayOptions {
        $0.placeholder = .picture(placeholder)
        $0.transition = .fade(.milliseconds(200))
        $0.priority = .low
      },
      handlers: DisplayHandlers(
        progress: { progress in report(progress) }, completion: { result in show(result) }))
    images.cancel()
    pipeline.loadImage(for: url) { result in show(result) }
    let picture = try await pipeline.image(for: url)
    let data = try await pipeline.data(for: url)
    #expect(!data.isEmpty)
    for request in [
      ImageRequest(url: url, cachePolicy: .reload), ImageRequest(url: url, cachePolicy: .cacheOnly),
      ImageRequest(url: url, cachePolicy: .bypass), ImageRequest(url: url, cacheKey: "avatar"),
      ImageRequest(url: url).resized(to: PixelSize(width: 320, height: 240)),
      ImageRequest(url: url, processors: [.gaussianBlur(radius: 4), .roundedCorners(radius: 20)]),
    ] {
      #expect(try await pipeline.image(for: request).size == picture.size)
    }
    let prefetcher = ImagePrefetcher(pipeline: pipeline)
    prefetcher.start([ImageRequest(url: url)])
    pipeline.store(picture, forKey: "avatar")
    #expect(pipeline.cachedImage(forKey: "avatar") != nil)
    #expect(try await pipeline.image(forKey: "avatar").size == picture.size)
    await pipeline.removeImage(forKey: "avatar")
    pipeline.removeImagesFromMemory()
    await pipeline.removeAllImages()
    let custom = ImagePipeline {
      $0.network.httpClient = client
      $0.caching.memoryCache.costLimit = 64 << 20
      $0.caching.diskStorage = .folder(folder, capacity: 512 << 20)
      $0.network.concurrentFetches = 6
    }
    #expect(try await custom.image(for: url).size == picture.size)
  }
}

private func show(_ result: Result<ImageResponse, ImageError>) {}
private func report(_ progress: LoadProgress) {}
