import Foundation

/// The name of an entry of a folder. Names are bytes; Foundation puts other characters in place of those that are not UTF-8,
/// and then there is no such file.
struct FileName {
  private let bytes: [UInt8]

  /// The names in a folder, sorted by their bytes, without `.` and `..`.
  static func names(in folder: String) throws(SystemError) -> [FileName] {
    guard let stream = opendir(folder) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [FileName] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes != Array(".".utf8), bytes != Array("..".utf8) { names.append(FileName(bytes: bytes)) }
    }
    guard errno == 0 else { throw SystemError(code: errno) }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

  /// The name as a text; `nil` if it is not UTF-8.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The name for people: bytes that are no printable ASCII as `\xe9`, if it is not UTF-8.
  var shown: String {
    text
      ?? bytes.map { byte in
        (0x20..<0x7F).contains(byte)
          ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }

  /// The path for system calls.
  ///
  /// - Parameter folder: the path of the folder, with a slash at its end.
  func path(in folder: String) -> [CChar] { (Array(folder.utf8) + bytes + [0]).map(CChar.init(bitPattern:)) }
}
