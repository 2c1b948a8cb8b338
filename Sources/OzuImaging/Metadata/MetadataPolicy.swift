/// What becomes of the metadata of a file when its picture is written again.
///
/// Under every policy a written EXIF block says that the picture is upright, as its pixels are, and has no thumbnail, which
/// would show what was cut off.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing is written.
  case strip
  /// EXIF data without the place where the picture was taken, and the resolution.
  ///
  /// Left out with the GPS directory: the maker note, in which some cameras repeat the place in a form of their own, and
  /// all of XMP, which may hold it under any name. Texts that people wrote stay, whatever they say.
  case keepWithoutPlace
  /// EXIF data, XMP and the resolution.
  case keepAll
}
