import OzuIsolation
import OzuStandardCodecs

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The program that decodes for other programs (`DecoderIsolation.Helper.beside`). They start it; it does nothing by
// itself.
DecoderIsolation.runIfHelper { .helper(hasDeepStack: $0) }
StandardError.write("ozu-decode is started by programs that use Ozu, to decode pictures apart from them\n")
exit(2)
