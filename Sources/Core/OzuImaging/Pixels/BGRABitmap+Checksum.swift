extension BGRABitmap {
  /// A checksum of 128 bits in hexadecimal digits, of the size and the pixels without padding. It is the same in
  /// every run.
  ///
  /// It is two multiplicative hashes of the words (FNV-1a, each with a shift that moves high bits down) with
  /// different factors. It distinguishes the pictures of one app; it is not safe against deliberate collisions.
  ///
  /// - Complexity: O(pixels).
  var checksum: String {
    var first: UInt64 = 0xCBF2_9CE4_8422_2325
    var second: UInt64 = 0x9E37_79B9_7F4A_7C15
    func add(_ word: UInt64) {
      first = (first ^ word) &* 0x0000_0100_0000_01B3
      first ^= first >> 32
      second = (second ^ word) &* 0xFF51_AFD7_ED55_8CCD
      second ^= second >> 29
    }
    add(UInt64(size.width))
    add(UInt64(size.height))
    withPixels { pixels, rows in
      for y in 0..<rows.height {
        for index in rows[y] { add(UInt64(unsafeBitCast(pixels[index], to: UInt32.self))) }
      }
    }
    return [first, second].map { sum in
      let digits = String(sum, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
