extension Bitmap {
  /// The memory of the pixels, and the object that keeps it where it is.
  ///
  /// For toolkits that show pixels without copying them and say when they are done: the bytes stay valid, and never
  /// change, as long as the owner is retained.
  ///
  /// ```swift
  /// let storage = bitmap.storage
  /// let owner = Unmanaged.passRetained(storage.owner)   // released by the toolkit's own callback
  /// show(storage.bytes.baseAddress, storage.bytes.count, owner.toOpaque())
  /// ```
  public var storage: (bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    // The address is the buffer's own, allocated once; nobody writes to it after the bitmap's initialiser.
    (withUnsafeBytes { $0 }, buffer)
  }
}
