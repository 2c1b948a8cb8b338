/// The tags of EXIF data that Ozu uses by number (CIPA DC-008-2023 §4.6, TIFF 6.0).
enum EXIFTag {
  static let orientation = 0x0112
  static let horizontalResolution = 0x011A
  static let verticalResolution = 0x011B
  static let resolutionUnit = 0x0128
  static let details = 0x8769
  static let place = 0x8825
  static let makerNote = 0x927C
  static let subjectArea = 0x9214
  static let colorSpace = 0xA001
  static let width = 0xA002
  static let height = 0xA003
  static let interoperability = 0xA005
  static let subjectLocation = 0xA214
  static let copyright = 0x8298
  static let artist = 0x013B
  static let userComment = 0x9286
  static let componentsConfiguration = 0x9101
  static let titleOfWindows = 0x9C9B
  static let keywordsOfWindows = 0x9C9E
  static let subjectOfWindows = 0x9C9F

  /// The tags of the first directory that describe the picture: description, maker, model, orientation, resolution,
  /// software, date, artist, rating, copyright, and those of Windows (title, comment, author, keywords, subject).
  /// The others describe the layout of pixels in a TIFF, or refer to another part of the file: they are not copied.
  static let picture: Set<Int> = [
    0x010E, 0x010F, 0x0110, orientation, horizontalResolution, verticalResolution, resolutionUnit, 0x0131,
    0x0132,
    0x013B, 0x013C, 0x4746, 0x4749, 0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
  ]

  /// The tags of the details that are not copied: padding, and the offset by which a maker note was moved; places
  /// in the original picture, in pixels; and the rules for camera file systems.
  static let uncopiedDetails: Set<Int> = [0xEA1C, 0xEA1D, subjectArea, subjectLocation, interoperability]
}
