/// How much colour detail a lossy file keeps, compared with its brightness.
public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
  /// Depends on the quality: a quarter below 0.9, all of it from 0.9 on.
  case automatic
  /// All of it (4:4:4): for drawings, screenshots and small red letters.
  case full
  /// Half, at the full height (4:2:2).
  case half
  /// A quarter (4:2:0): the usual one for photographs.
  case quarter
}
