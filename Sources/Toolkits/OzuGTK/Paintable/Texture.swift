#if GTK
  import CGTK
  import Ozu

  /// Pixels as a `GdkTexture` and for cairo, without a copy: both hold a reference to the bitmap's memory.
  ///
  /// A class, because its `deinit` releases the texture.
  @MainActor
  final class Texture {
    /// A `GdkTexture`.
    let pointer: OpaquePointer
    let size: PixelSize
    /// The same pixels for cairo; `nil` if there are too many for it, or their colours are not those of the screen.
    var surface: OpaquePointer? {
      if !isSurfaceMade {
        isSurfaceMade = true
        madeSurface = isConvertedByGTK ? nil : Self.surface(of: BGRABitmap(bitmap))
      }
      return madeSurface
    }

    // Not a lazy property: `deinit` would make it for every texture that cairo has not drawn, and convert all its 16-bit pixels.
    private var madeSurface: OpaquePointer?
    private var isSurfaceMade = false
    private let isConvertedByGTK: Bool
    private let bitmap: Bitmap

    /// Wraps a bitmap. The texture has the format of the bitmap if GTK 4.8 knows it: `bgra8`, and `rgba16` with all its bits.
    /// Grey is converted, and PQ and HLG are tone-mapped: GTK has colour states for them from 4.16 on, but on a screen that
    /// shows nothing brighter than white it cuts off what is brighter. Other colours that were kept under numbers of H.273, such as
    /// Display P3, are converted by GTK from 4.16 on. Cairo draws 8 bits and gets converted pixels when it first draws.
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
      defer { g_bytes_unref(bytes) }
      let (width, height, stride) = (gint(size.width), gint(size.height), gsize(bitmap.bytesPerRow))
      if case .coded(let primaries, let transfer) = bitmap.colorSpace,
        let texture = ozu_coded_texture(
          width, height, format, bytes, stride, guint(clamping: primaries), guint(clamping: transfer))
      {
        (pointer, isConvertedByGTK) = (texture, true)
      } else {
        (pointer, isConvertedByGTK) = (gdk_memory_texture_new(width, height, format, bytes, stride), false)
      }
    }

    /// GDK's format for the format of a bitmap; `nil` if it has none.
    static func memoryFormat(of bitmap: Bitmap) -> GdkMemoryFormat? {
      switch bitmap.format {
      case .bgra8: GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
      case .rgba16: GDK_MEMORY_R16G16B16A16_PREMULTIPLIED
      case .gray8: nil
      }
    }

    isolated deinit {
      g_object_unref(ObjectPointer(pointer))
      if let madeSurface { cairo_surface_destroy(madeSurface) }
    }

    private static func surface(of bitmap: BGRABitmap) -> OpaquePointer? {
      let storage = bitmap.bitmap.storage
      let surface = cairo_image_surface_create_for_data(
        // Cairo only reads the source of a drawing.
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

    /// The key of our data in a surface; only its address counts.
    private static let ownerKey = UnsafeMutablePointer<cairo_user_data_key_t>.allocate(capacity: 1)
  }
#endif
