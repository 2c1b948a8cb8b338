import Testing

@testable import OzuCaching

@Suite("Checksums")
struct Checksum64Tests {
  @Test(
    "XXH64 gives the published answers",
    arguments: [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, 0x9E37_79B1, 0xAC75_FDA2_929B_17EF), (1, 0, 0xE934_A84A_DB05_2768),
      (1, 0x9E37_79B1, 0x5014_6076_43A9_B4C3), (4, 0, 0x9136_A0DC_A574_57EE),
      (4, 0x9E37_79B1, 0xCAAB_286B_D8E9_FDB5), (8, 0, 0xCDBC_F538_E71D_1348),
      (14, 0, 0x8282_DCC4_994E_35C8), (14, 0x9E37_79B1, 0xC3BD_6BF6_3DEB_6DF0),
      (16, 0, 0x98C9_0B57_FDFC_B55C), (222, 0, 0xB641_AE8C_B691_C174),
      (222, 0x9E37_79B1, 0x20CB_8AB7_AE10_C14A),
    ] as [(Int, UInt64, UInt64)])
  func checksum(length: Int, seed: UInt64, answer: UInt64) {
    var generator: UInt64 = 0x9E37_79B1
    let bytes = (0..<length).map { _ -> UInt8 in
      defer { generator &*= 11_400_714_785_074_694_797 }
      return UInt8(generator >> 56)
    }
    #expect(bytes.withUnsafeBytes { Checksum64.of($0, seed: seed) } == answer)
  }
}
