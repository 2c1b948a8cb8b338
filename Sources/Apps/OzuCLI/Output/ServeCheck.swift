#if canImport(OzuServer)
  import Foundation
  import Ozu
  import OzuServer
  import OzuSharedStores
  import OzuBase

  /// The trials of `ozu serve --check`, beside reading the settings. It leaves nothing behind.
  struct ServeCheck {
    /// Settings that cannot work.
    private(set) var errors: [String] = []
    /// Stores that do not answer, without which the service works.
    private(set) var notes: [String] = []

    /// An answer may take this long here, whatever the setting says: the first connection takes longer than others.
    private static let patience = Duration.seconds(3)

    init(_ settings: ServeSettings, _ configuration: ImageService.Configuration) async {
      if settings.hasCache, let reason = Self.reasonNotToWrite(in: settings["cache"]) {
        errors.append("cache = \(settings["cache"]): \(reason)")
      }
      for (name, path) in ((try? settings.folders())?.paths ?? [:]).sorted(by: { $0.key < $1.key }) {
        if access(path, R_OK | X_OK) != 0 {
          errors.append("folders: \(name.isEmpty ? path : "\(name)=\(path)"): \(systemMessage(errno))")
        }
      }
      if let fallback = configuration.fallback {
        do throws(ImageError) {
          let request = ImageRequest(.data(fallback.data)).resized(to: PixelSize(16, 16))
          // A check by another user must not make the folder of the cache.
          let pipeline = ImagePipeline(configuration.pipeline.withoutStores)
          _ = try await pipeline.encoded(for: request, as: OutputFormat(.png))
        } catch {
          errors.append("fallback = \(settings["fallback"]): \(error.explanation)")
        }
      }
      if let buckets = (try? settings.originAccess())?.buckets {
        do throws(S3Error) {
          try await buckets.check(within: Self.patience)
        } catch {
          let isRefusal = if case .refused = error { true } else { false }
          add("buckets: \(error)", isWrong: isRefusal)
        }
      }
      for store in configuration.pipeline.caching.stores {
        if let redis = store as? RedisStore {
          var patient = redis.configuration
          patient.deadline = max(patient.deadline, Self.patience)
          for error in await RedisStore(patient).check() {
            add("redis: \(error)", isWrong: error.isRefusal)
          }
        } else if let bucket = store as? S3Store {
          var patient = bucket.configuration
          patient.deadline = max(patient.deadline, Self.patience)
          do {
            let store = try S3Store(patient)
            try await BlockingWork.run { try store.check() }
          } catch {
            let isRefusal = if case .refused? = error as? S3Error { true } else { false }
            add("s3: \(error)", isWrong: isRefusal)
          }
        }
      }
    }

    private mutating func add(_ text: String, isWrong: Bool) {
      if isWrong { errors.append(text) } else { notes.append(text) }
    }

    /// The reason why no file can be made in a folder, which need not exist yet; `nil` if one can.
    static func reasonNotToWrite(in folder: String) -> String? {
      var missing: [String] = []
      var path = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL.path
      while path != "/", access(path, F_OK) != 0, errno == ENOENT {
        missing.append(path)
        path = (path as NSString).deletingLastPathComponent
      }
      var made: [String] = []
      defer { for path in made.reversed() { rmdir(path) } }
      for path in missing.reversed() {
        guard mkdir(path, 0o700) == 0 else { return systemMessage(errno) }
        made.append(path)
      }
      var template = Array("\(missing.first ?? path)/ozu-check-XXXXXX".utf8CString)
      // Replaces the six X in the array by the name.
      let file = mkstemp(&template)
      guard file >= 0 else { return systemMessage(errno) }
      close(file)
      unlink(template)
      return nil
    }
  }
#endif
