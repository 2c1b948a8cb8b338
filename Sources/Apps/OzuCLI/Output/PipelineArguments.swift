import Foundation
import Ozu

/// The pipeline of a command: the default one, with its disk cache in the folder of `--cache` and a small memory cache.
enum PipelineArguments {
  /// The options of commands that load pictures.
  static let options: [OptionSpecification] =
    [.cache, .noCache] + NetworkArguments.options + [.maxPixels, .isolation]

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

extension OptionSpecification {
  /// Whether pictures are decoded in processes of their own; see `IsolationOption`.
  static let isolation = OptionSpecification(
    name: "isolation", value: "MODE", kind: .words(IsolationOption.modes.map(\.0)),
    help: """
      off, preferred (the default) or required: decode in processes of their own, which may crash; the formats of C \
      libraries, or all.
      """)
}

/// The decision in which process a command decodes pictures.
///
/// Pictures from the web and from folders are untrusted: C libraries decode them in processes of their own. A file that is
/// named on the command line is trusted. Then only a drawing (SVG) is isolated, because a hundred bytes of it can end a
/// process. With `--untrusted` isolation is required, and so for every format.
enum IsolationOption {
  fileprivate static let modes = DecoderIsolation.Mode.allCases.map { ($0.rawValue, $0) }

  /// - Parameter isUntrusted: whether named files are untrusted, too.
  static func isolation(
    _ arguments: ParsedArguments, isUntrusted: Bool = false,
    isOwnProgram: Bool = Tool.isOwnProgram.load(ordering: .relaxed)
  ) throws(UsageError) -> DecoderIsolation {
    // Another program with this code, such as the one of the tests, cannot be the helper.
    let possible = arguments.has("untrusted") ? DecoderIsolation.Mode.required : .preferred
    let standard = isOwnProgram ? possible : .off
    let mode = try arguments.choice(OptionSpecification.isolation.name, among: modes) ?? standard
    let areUntrusted =
      isUntrusted || arguments.has(OptionSpecification.recursive.name)
      || arguments.has(OptionSpecification.from.name)
      || arguments.positional.contains { !SourceArgument.isFile($0) }
    // This program is its own helper: `main` calls `runIfHelper` first.
    return DecoderIsolation(
      mode, types: areUntrusted ? DecoderIsolation.libraryTypes : [.svg], helper: .thisProgram)
  }
}

extension ImagePipeline.Configuration {
  /// The formats that a pipeline of this configuration reads, except for the one that only caches use.
  var readableTypes: [ImageType] {
    var codecs = decoding.codecs
    _ = codecs.isolate(decoding.isolation)
    return codecs.decodableTypes.filter { $0 != .ozuDelta }
  }
}

extension OptionSpecification {
  /// The most pixels of a source; see `LimitOption`.
  static let maxPixels = OptionSpecification(
    name: "max-pixels", value: "N",
    help: """
      The most pixels a picture may have, with the memory and time that they take; \
      128000000 by default, in 512 MB; for thumbnails of JPEG 512000000, of HEIC in tiles 256000000.
      """)
}

/// The option that raises or lowers the limit on the pixels of a source.
enum LimitOption {
  /// The most bytes of a pixel in a library that decodes whole pictures: HEIC above 8 bits, with the result.
  private static let bytesPerPixel = 20

  static func configure(
    _ configuration: inout ImagePipeline.Configuration, _ arguments: ParsedArguments
  ) throws(UsageError) {
    guard let count = try arguments.integer(OptionSpecification.maxPixels.name, in: 1...(1 << 40)) else {
      return
    }
    let limits = DecodingLimits.default
    let factor = max(1, Double(count) / Double(limits.pixelCount))
    configuration.decoding.limits.pixelCount = count
    configuration.decoding.limits.cpuTime = configuration.decoding.limits.cpuTime * factor
    configuration.decoding.limits.scannedPixelCount = max(
      limits.scannedPixelCount, count * limits.scansOfLargest)
    let byteCount = max(limits.decodedByteCount, count * bytesPerPixel)
    configuration.decoding.limits.decodedByteCount = byteCount
    if byteCount > DecodedByteBudget.shared.byteLimit {
      configuration.decoding.decodedByteBudget = DecodedByteBudget(byteLimit: byteCount)
    }
  }

  /// How to read a picture that is over a limit which the option raises.
  static func advice(_ error: ImageError) -> String? {
    switch error.violation?.quantity {
    case .pixelCount, .scannedPixelCount, .decodedByteCount, .cpuTime:
      "; --\(OptionSpecification.maxPixels.name) raises the limit"
    default: nil
    }
  }
}

extension DecodingLimits {
  fileprivate var scansOfLargest: Int { max(1, scannedPixelCount / max(1, pixelCount)) }
}
