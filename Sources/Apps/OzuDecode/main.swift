import OzuIsolation
import OzuStandardCodecs

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The program that decodes for other programs (`DecoderIsolation.Helper.beside`). They start it; without them it only
// prints what it is for.
DecoderIsolation.runIfHelper { .helper(hasDeepStack: $0) }
StandardError.put("ozu-decode decodes pictures for programs that use Ozu; they start it\n")
exit(2)
