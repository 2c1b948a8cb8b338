#if GTK
  import CGTK
  import Foundation
  import Ozu

  /// A picture in the forms that other programs take from the clipboard or from a drag.
  @MainActor
  enum ClipboardContent {
    /// A `GdkContentProvider`, owned by the caller: the file of a local picture, the address of one from the web, and
    /// the pixels.
    static func provider(
      for request: ImageRequest, _ picture: Picture
    ) -> UnsafeMutablePointer<GdkContentProvider> {
      let texture = Texture(picture.bitmap)
      var providers = [
        self.provider(gdk_texture_get_type()) { g_value_set_object(&$0, ObjectPointer(texture.pointer)) }
      ]
      if case .url(let url) = request.source {
        if url.isFileURL {
          let file = g_file_new_for_path(url.path(percentEncoded: false))!
          providers.insert(
            self.provider(g_file_get_type()) { g_value_set_object(&$0, ObjectPointer(file)) }, at: 0)
          g_object_unref(ObjectPointer(file))
        } else if url.scheme != "data" {
          providers.append(self.provider(ozu_type_string()) { g_value_set_string(&$0, request.source.name) })
        }
      }
      // Takes over the providers.
      return gdk_content_provider_new_union(&providers, gsize(providers.count))
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
