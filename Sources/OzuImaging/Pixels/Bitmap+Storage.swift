extension Bitmap {
  /// The memory of the pixels, and the object that owns it.
  ///
  /// For toolkits that show pixels without copying them and call back when they are done: the bytes stay valid and
  /// do not change while the owner is retained.
  ///
  /// ```swift
  /// let storage = bitmap.storage
  /// let owner = Unmanaged.passRetained(storage.owner)   // released by the toolkit's own callback
  /// show(storage.bytes.baseAddress, storage.bytes.count, owner.toOpaque())
  /// ```
  public var storage: (bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    // The buffer allocates its memory once, and nothing writes to it after the bitmap's initialiser.
    (withUnsafeBytes { $0 }, buffer)
  }
}
