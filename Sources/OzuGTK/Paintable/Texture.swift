#if GTK
  import CGTK
  import Ozu

  /// Pixels in the forms that GTK draws, without a copy: each holds a reference to the bitmap's memory.
  ///
  /// A class, so that the texture lives as long as somebody in Swift holds this.
  @MainActor
  final class Texture {
    /// A `GdkTexture`.
    let pointer: OpaquePointer
    let size: PixelSize
    /// The same pixels for cairo; `nil` where they are too many for it.
    private(set) lazy var surface = Self.surface(of: BGRABitmap(bitmap))
    private let bitmap: Bitmap

    /// Wraps a bitmap. The texture has its format where GTK 4.8 knows that: `bgra8`, and `rgba16` with all its bits. Grey
    /// is converted; so are PQ and HLG, for which GTK has colour states from 4.16 on alone; cairo, which draws 8 bits, is given converted pixels when it first draws.
    ///
    /// - Complexity: O(1) for these two, else O(pixels); the pixels are uploaded when the texture is first drawn.
    init(_ bitmap: Bitmap) {
      let mapped = bitmap.toneMapped()
      let bitmap = Self.memoryFormat(of: mapped) == nil ? BGRABitmap(mapped).bitmap : mapped
      let format = Self.memoryFormat(of: bitmap) ?? GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
      let storage = bitmap.storage
      size = bitmap.size
      self.bitmap = bitmap
      let bytes = g_bytes_new_with_free_func(
        storage.bytes.baseAddress, gsize(storage.bytes.count),
        { owner in
          if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
        }, Unmanaged.passRetained(storage.owner).toOpaque())
      pointer = gdk_memory_texture_new(
        gint(size.width), gint(size.height), format, bytes, gsize(bitmap.bytesPerRow))
      g_bytes_unref(bytes)
    }

    /// The word of GDK for a bitmap's format; `nil` where it has none.
    static func memoryFormat(of bitmap: Bitmap) -> GdkMemoryFormat? {
      switch bitmap.format {
      case .bgra8: GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
      case .rgba16: GDK_MEMORY_R16G16B16A16_PREMULTIPLIED
      case .gray8: nil
      }
    }

    isolated deinit {
      g_object_unref(ObjectPointer(pointer))
      if let surface { cairo_surface_destroy(surface) }
    }

    private static func surface(of bitmap: BGRABitmap) -> OpaquePointer? {
      let storage = bitmap.bitmap.storage
      let surface = cairo_image_surface_create_for_data(
        // Cairo only reads what is the source of a drawing.
        UnsafeMutablePointer(mutating: storage.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)),
        bitmap.isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, gint(bitmap.size.width),
        gint(bitmap.size.height), gint(bitmap.bitmap.bytesPerRow))
      let owner = Unmanaged.passRetained(storage.owner).toOpaque()
      guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS,
        cairo_surface_set_user_data(
          surface, ownerKey, owner,
          { owner in
            if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
          }) == CAIRO_STATUS_SUCCESS
      else {
        Unmanaged<AnyObject>.fromOpaque(owner).release()
        cairo_surface_destroy(surface)
        return nil
      }
      return surface
    }

    /// Tells our data of a surface from that of others; only its address counts.
    private static let ownerKey = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(capacity: 1)
  }
#endif
