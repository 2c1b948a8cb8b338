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
      let picture = try await pipeline.image(for: ImageRequest(request.source))
      let content = ClipboardContent.provider(for: request.source, picture, pipeline)
      gdk_clipboard_set_content(clipboard, content)
      g_object_unref(ObjectPointer(content))
    }
  }

  /// A picture in the formats that other programs take from the clipboard or from a drag.
  @MainActor
  enum ClipboardContent {
    /// A `GdkContentProvider`, owned by the caller: the file of a local picture, the bytes of the original, the pixels,
    /// and the address of one from the web. Programs take the first that they know.
    static func provider(
      for source: ImageSource, _ picture: Picture, _ pipeline: ImagePipeline
    ) -> UnsafeMutablePointer<GdkContentProvider> {
      var providers: [UnsafeMutablePointer<GdkContentProvider>?] = []
      let url = address(of: source)
      if let url, url.isFileURL {
        let file = g_file_new_for_path(url.path(percentEncoded: false))!
        providers.append(provider(g_file_get_type()) { g_value_set_object(&$0, ObjectPointer(file)) })
        g_object_unref(ObjectPointer(file))
      }
      if let type = picture.header?.type {
        providers.append(OriginalContent.provider(for: source, type: type, pipeline: pipeline))
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
#endif
