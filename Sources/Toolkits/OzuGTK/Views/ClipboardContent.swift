#if GTK
  import CGTK
  import Foundation
  import Ozu

  /// Puts pictures on a clipboard that no view shows.
  @MainActor
  public enum Clipboard {
    /// Puts the original of a request on a clipboard: its file if it is local, its bytes, its address, and its pixels at
    /// their own size.
    ///
    /// - Parameter clipboard: a `GdkClipboard`.
    /// - Throws: `ImageError` when the original cannot be loaded.
    public static func copy(
      _ request: ImageRequest, from pipeline: ImagePipeline, to clipboard: OpaquePointer
    ) async throws(ImageError) {
      // Others may have released it when the picture is loaded.
      g_object_ref(ObjectPointer(clipboard))
      defer { g_object_unref(ObjectPointer(clipboard)) }
      let request = request.original
      let picture = try await pipeline.image(for: request)
      let content = ClipboardContent.provider(for: request, picture, pipeline)
      gdk_clipboard_set_content(clipboard, content)
      g_object_unref(ObjectPointer(content))
    }
  }

  /// A picture in the formats that other programs take from the clipboard or from a drag.
  @MainActor
  enum ClipboardContent {
    /// A `GdkContentProvider`, owned by the caller: the file of a local picture, the bytes of the original, the pixels,
    /// and the address of one from the web. Programs take the first that they know.
    ///
    /// - Parameter request: that for the original.
    static func provider(
      for request: ImageRequest, _ picture: Picture, _ pipeline: ImagePipeline
    ) -> UnsafeMutablePointer<GdkContentProvider> {
      var providers: [UnsafeMutablePointer<GdkContentProvider>?] = []
      let url = address(of: request.source)
      if let url, url.isFileURL {
        let file = g_file_new_for_path(url.path(percentEncoded: false))!
        providers.append(provider(g_file_get_type()) { g_value_set_object(&$0, ObjectPointer(file)) })
        g_object_unref(ObjectPointer(file))
      }
      if let type = picture.header?.type {
        providers.append(OriginalContent.provider(for: request, type: type, pipeline: pipeline))
      }
      let texture = Texture(picture.bitmap)
      providers.append(
        provider(gdk_texture_get_type()) { g_value_set_object(&$0, ObjectPointer(texture.pointer)) })
      if let url, !url.isFileURL, url.scheme != "data" {
        providers.append(provider(ozu_type_string()) { g_value_set_string(&$0, url.absoluteString) })
      }
      // Takes over the providers.
      return gdk_content_provider_new_union(&providers, gsize(providers.count))
    }

    private static func address(of source: ImageSource) -> URL? {
      switch source {
      case .url(let url): url
      case .request(let request): request.url
      default: nil
      }
    }

    private static func provider(_ type: GType, _ fill: (inout GValue) -> Void) -> UnsafeMutablePointer<
      GdkContentProvider
    >? {
      var value = GValue()
      g_value_init(&value, type)
      fill(&value)
      defer { g_value_unset(&value) }
      return gdk_content_provider_new_for_value(&value)
    }
  }

  /// The original file of a picture, for the clipboard and for drags.
  ///
  /// Nothing is read before a program asks for it; then it comes from the caches or, if they have lost it, from its
  /// source. The GObject is of a type that is registered at the first use. Its instances hold one of these objects.
  @MainActor
  final class OriginalContent {
    private let request: ImageRequest
    private let pipeline: ImagePipeline
    private let type: ImageType

    private init(_ request: ImageRequest, _ pipeline: ImagePipeline, _ type: ImageType) {
      self.request = request
      self.pipeline = pipeline
      self.type = type
    }

    /// A `GdkContentProvider`, owned by the caller.
    static func provider(
      for request: ImageRequest, type: ImageType, pipeline: ImagePipeline
    ) -> UnsafeMutablePointer<GdkContentProvider>? {
      guard let object = g_object_new_with_properties(providerType, 0, nil, nil) else { return nil }
      let content = OriginalContent(request.with { $0.priority = .high }, pipeline, type)
      g_object_set_qdata_full(
        object, contentKey, Unmanaged.passRetained(content).toOpaque(),
        { content in
          if let content { Unmanaged<OriginalContent>.fromOpaque(content).release() }
        })
      return UnsafeMutableRawPointer(object).assumingMemoryBound(to: GdkContentProvider.self)
    }

    fileprivate static func of(_ provider: UnsafeMutablePointer<GdkContentProvider>) -> OriginalContent? {
      let object = UnsafeMutableRawPointer(provider).assumingMemoryBound(to: GObject.self)
      return g_object_get_qdata(object, contentKey).map {
        Unmanaged<OriginalContent>.fromOpaque($0).takeUnretainedValue()
      }
    }

    private static let contentKey = g_quark_from_static_string("ozu-original")

    // MARK: Answers to GTK

    fileprivate var formats: OpaquePointer? {
      type.mediaType.withCString { name in
        var names: [UnsafePointer<CChar>?] = [name]
        return gdk_content_formats_new(&names, 1)
      }
    }

    /// Writes the file to a stream.
    ///
    /// - Parameter task: a `GTask`, which gets the result and is then released.
    fileprivate func write(
      to stream: UnsafeMutablePointer<GOutputStream>, _ priority: gint, _ task: OpaquePointer
    ) {
      g_object_ref(ObjectPointer(stream))
      Task { [request, pipeline] in
        defer { g_object_unref(ObjectPointer(stream)) }
        do throws(ImageError) {
          let data = try await pipeline.data(for: request)
          // The task holds the bytes until they are written.
          let bytes = data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
          g_task_set_task_data(task, ObjectPointer(bytes)) { g_bytes_unref(OpaquePointer($0)) }
          g_output_stream_write_all_async(
            stream, g_bytes_get_data(bytes, nil), g_bytes_get_size(bytes), priority,
            g_task_get_cancellable(task), { stream, result, task in finish(stream, result, task) },
            ObjectPointer(task))
        } catch {
          g_task_return_error(
            task, g_error_new_literal(g_io_error_quark(), gint(G_IO_ERROR_FAILED.rawValue), "\(error)"))
          g_object_unref(ObjectPointer(task))
        }
      }
    }
  }

  /// Reports to the task whether the bytes were written.
  private func finish(_ stream: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ task: gpointer?) {
    guard let task else { return }
    var error: UnsafeMutablePointer<GError>?
    let stream = UnsafeMutableRawPointer(stream)?.assumingMemoryBound(to: GOutputStream.self)
    if g_output_stream_write_all_finish(stream, result, nil, &error) != 0 {
      g_task_return_boolean(OpaquePointer(task), 1)
    } else {
      g_task_return_error(OpaquePointer(task), error)
    }
    g_object_unref(task)
  }

  /// The type of the providers, registered once. GDK asks on the main actor's thread.
  @MainActor
  private let providerType: GType = g_type_register_static_simple(
    gdk_content_provider_get_type(), "OzuOriginalContent", guint(MemoryLayout<GdkContentProviderClass>.size),
    { type, _ in
      guard let type = type?.assumingMemoryBound(to: GdkContentProviderClass.self) else { return }
      type.pointee.ref_formats = { provider in
        let address = UInt(bitPattern: provider)
        let formats = MainActor.assumeIsolated {
          UInt(bitPattern: UnsafeMutablePointer(bitPattern: address).flatMap(OriginalContent.of)?.formats)
        }
        return OpaquePointer(bitPattern: formats)
      }
      type.pointee.write_mime_type_async = { provider, _, stream, priority, cancellable, callback, context in
        let task = g_task_new(provider, cancellable, callback, context)
        let addresses = (UInt(bitPattern: provider), UInt(bitPattern: stream), UInt(bitPattern: task))
        MainActor.assumeIsolated {
          guard let content = UnsafeMutablePointer(bitPattern: addresses.0).flatMap(OriginalContent.of),
            let stream = UnsafeMutablePointer<GOutputStream>(bitPattern: addresses.1),
            let task = OpaquePointer(bitPattern: addresses.2)
          else { return }
          content.write(to: stream, priority, task)
        }
      }
      type.pointee.write_mime_type_finish = { _, result, error in
        g_task_propagate_boolean(result, error)
      }
    }, guint(MemoryLayout<GdkContentProvider>.size), nil, GTypeFlags(rawValue: 0))
#endif
