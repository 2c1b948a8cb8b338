#if GTK
  import CGTK
  import Foundation
  import Ozu

  /// Saves an edited picture as a file beside the original: the part that can be seen, which zooming and moving choose, or the
  /// straightened picture.
  @MainActor
  enum PartCopy {
    /// The part in whole pixels, at least one.
    static func rectangle(of region: PixelRegion, in size: PixelSize) -> PixelRectangle {
      let (left, top) = (Int(clamping: region.x), Int(clamping: region.y))
      let right = Int(clamping: region.x + region.width, rounded: .up)
      let bottom = Int(clamping: region.y + region.height, rounded: .up)
      return PixelRectangle(
        x: left, y: top, width: max(min(right, size.width) - left, 1),
        height: max(min(bottom, size.height) - top, 1))
    }

    /// Writes the part in the format of the picture where Ozu writes that, else as JPEG or PNG, with what the metadata say.
    ///
    /// - Parameter quarters: how the part is turned clockwise, as it is in the view.
    /// - Returns: the file.
    /// - Throws: `ImageError`, or when the file cannot be written.
    static func write(
      _ rectangle: PixelRectangle, of file: URL, turnedBy quarters: Int, _ pipeline: ImagePipeline
    ) async throws -> URL {
      var processors: [any ImageProcessing] = [Crop(.rectangle(rectangle))]
      let turns: [Turn] = [.right, .around, .left]
      let rest = ((quarters % 4) + 4) % 4
      if rest > 0 { processors.append(turns[rest - 1]) }
      return try await write(file, processors, named: tr("part"), pipeline)
    }

    /// Writes what processors make of a picture as a file beside it, in the same way.
    ///
    /// - Parameter addition: stands behind the name of the picture.
    static func write(
      _ file: URL, _ processors: [any ImageProcessing], named addition: String, _ pipeline: ImagePipeline
    ) async throws -> URL {
      var request = ImageRequest(.url(file), processors: processors)
      request.cachePolicy = .bypass
      let type = try await pipeline.header(for: request).type
      var options = EncodingOptions()
      options.compressionQuality = 0.92
      var format =
        ImageFormat.of(type).isWritten
        ? OutputFormat(type, options: options) : .automatic(options: options)
      format.metadata = .keepAll
      format.colorProfile = .embed
      format.keepsAnimation = false
      let image = try await pipeline.encoded(for: request, as: format)
      return try await save(image.data, beside: file, named: addition, ending: image.type.fileExtension)
    }

    /// Writes a file whose name is free.
    @concurrent
    private static func save(
      _ data: Data, beside file: URL, named addition: String, ending: String
    ) async throws -> URL {
      let folder = file.deletingLastPathComponent()
      let stem = file.deletingPathExtension().lastPathComponent
      for number in 1...999 {
        let addition = number == 1 ? addition : addition + " \(number)"
        let target = folder.appending(path: "\(stem) (\(addition)).\(ending)", directoryHint: .notDirectory)
        do {
          // A file that another program makes in the meantime stays.
          try data.write(to: target, options: .withoutOverwriting)
          return target
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
          continue
        }
      }
      throw CocoaError(.fileWriteFileExists)
    }
  }
#endif
