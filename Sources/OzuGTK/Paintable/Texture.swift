#if GTK
  import CGTK
  import Ozu

  /// Pixels in the form that GTK draws, without a copy: the texture holds a reference to the bitmap's memory.
  ///
  /// A class, so that the texture lives as long as somebody in Swift holds this.
  @MainActor
  final class Texture {
    /// A `GdkTexture`.
    let pointer: OpaquePointer
    let size: PixelSize

    /// Wraps a bitmap.
    ///
    /// - Complexity: O(1); the pixels are uploaded when the texture is first drawn.
    init(_ bitmap: Bitmap) {
      let storage = bitmap.storage
      size = bitmap.size
      let bytes = g_bytes_new_with_free_func(
        storage.bytes.baseAddress, gsize(storage.bytes.count),
        { owner in
          if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
        }, Unmanaged.passRetained(storage.owner).toOpaque())
      pointer = gdk_memory_texture_new(
        gint(size.width), gint(size.height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes,
        gsize(bitmap.bytesPerRow))
      g_bytes_unref(bytes)
    }

    isolated deinit {
      g_object_unref(ObjectPointer(pointer))
    }
  }
#endif
