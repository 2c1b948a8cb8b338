import Foundation
import Ozu

/// The pipeline of a command: the default one, with its disk cache in the folder of `--cache` and a small memory cache.
enum PipelineArguments {
  /// The bytes of the memory cache. It can be small: a command needs a picture twice only when a source is named twice.
  static let memoryCost = 64 << 20

  /// The folder of the disk cache. By default pictures for addresses of strangers have one of their own: the user's may have pictures
  /// from hosts that strangers must not reach.
  static func folder(_ arguments: ParsedArguments) -> URL {
    arguments.value("cache").map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? DiskStorage.standardFolder(for: arguments.has("untrusted") ? "ozu/untrusted" : "ozu")
  }

  /// The use of the caches by a request: with `--no-cache` memory keeps nothing either.
  static func cachePolicy(_ arguments: ParsedArguments) -> CachePolicy {
    arguments.has(OptionSpecification.noCache.name) ? .bypass : .useCaches
  }

  static func pipeline(
    _ arguments: ParsedArguments, console: Console
  ) throws(UsageError) -> ImagePipeline {
    pipeline(try configuration(arguments), console: console)
  }

  static func pipeline(
    _ configuration: ImagePipeline.Configuration, console: Console,
    _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) -> ImagePipeline {
    var configuration = configuration
    configuration.caching.onDiskError = { console.printError("ozu: disk cache: \($0)") }
    configure(&configuration)
    return ImagePipeline(configuration)
  }

  /// The configuration of the pipeline. Commands without a pipeline use its network and cache settings too, so that all
  /// commands find each other's entries.
  static func configuration(
    _ arguments: ParsedArguments
  ) throws(UsageError) -> ImagePipeline.Configuration {
    var configuration = ImagePipeline.Configuration()
    configuration.caching.memoryCache.costLimit = min(configuration.caching.memoryCache.costLimit, memoryCost)
    configuration.caching.encodedMemoryCache.costLimit = min(
      configuration.caching.encodedMemoryCache.costLimit, memoryCost)
    if arguments.has(OptionSpecification.noCache.name) {
      if arguments.has(OptionSpecification.cache.name) {
        throw UsageError("--no-cache and --cache cannot be used together")
      }
      configuration.caching.diskStorage = .none
    } else {
      configuration.caching.diskStorage = .folder(folder(arguments), capacity: DiskStorage.standardCapacity)
    }
    configuration.decoding.isolation = try IsolationOption.isolation(arguments)
    try NetworkArguments.configure(&configuration, arguments)
    try LimitOption.configure(&configuration, arguments)
    return configuration
  }
}

extension ImagePipeline {
  /// Writes pending entries and closes the disk cache. Without this, the folder stays locked for writing until the last
  /// reference to the pipeline is released on one of its threads.
  func end() async {
    await flush()
    await diskCache?.close()
  }
}
