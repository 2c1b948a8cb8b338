import OzuIsolation
import OzuStandardCodecs

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The program that decodes for others (`DecoderIsolation.Helper.beside`). They start it; by itself it is good for nothing.
DecoderIsolation.runIfHelper { .helper(hasDeepStack: $0) }
StandardError.write("ozu-decode is started by programs that use Ozu, to decode pictures apart from them\n")
exit(2)
