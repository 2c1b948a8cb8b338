/// The treatment of the metadata of a file when its picture is written again.
///
/// Under every policy a written EXIF block says that the picture is upright, as its pixels are, and has no
/// thumbnail, because that would show what was cropped.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing is written.
  case strip
  /// EXIF data without the place where the picture was taken, and the resolution.
  ///
  /// Beside the GPS directory, these are left out: the maker note, in which some cameras repeat the place in their
  /// own format, and all of XMP, which may contain the place under any name. Texts that people wrote are kept,
  /// whatever they contain.
  case keepWithoutPlace
  /// EXIF data, XMP and the resolution.
  case keepAll
}
