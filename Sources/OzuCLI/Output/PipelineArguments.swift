import Foundation
import Ozu

/// The pipeline of a command: the default one, with its disk cache in the folder of `--cache` and a small memory cache.
enum PipelineArguments {
  /// The bytes of the memory cache. A command shows no picture twice, as an app does that scrolls back: there is only a
  /// source that is named twice.
  static let memoryCost = 64 << 20

  static func folder(_ arguments: ParsedArguments) -> URL {
    arguments.value("cache").map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? DiskStorage.standardFolder(for: "ozu")
  }

  static func pipeline(
    _ arguments: ParsedArguments, console: Console,
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    let folder = folder(arguments)
    return ImagePipeline {
      $0.memoryCache.costLimit = min($0.memoryCache.costLimit, memoryCost)
      $0.diskStorage = .folder(folder, capacity: DiskStorage.standardCapacity)
      $0.onDiskError = { console.printError("ozu: the disk cache is out of order: \($0)") }
      SVGOption.configure(&$0.codecs, arguments)
      configure(&$0)
    }
  }
}

extension ImagePipeline {
  /// Writes what was loaded, and lets go of the disk cache. The last reference to the pipeline may go a moment later, on
  /// one of its threads; until then the next pipeline on the same folder could only read.
  func end() async {
    await flush()
    await diskCache?.close()
  }
}
