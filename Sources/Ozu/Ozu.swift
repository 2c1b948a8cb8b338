// `import Ozu` is enough: the names that its API mentions come with it. Of pictures, caches and isolation that is the whole module.
@_exported import OzuCaching
@_exported import OzuImaging
@_exported import OzuIsolation
// `CodecRegistry.standard` is this module's only declaration.
@_exported import OzuStandardCodecs

// Of HTTP these types alone. The rest of that module, `HTTPRequest` and `HTTPResponse` among it, has names that frameworks for servers
// use too: an app that needs them, to write a client of its own, imports `OzuHTTP`.
@_exported import struct OzuHTTP.CacheKeyRule
@_exported import struct OzuHTTP.HTTPCachePolicy
@_exported import protocol OzuHTTP.HTTPClient
@_exported import struct OzuHTTP.HTTPDecision
@_exported import struct OzuHTTP.HTTPError
@_exported import struct OzuHTTP.HTTPHeaders
@_exported import enum OzuHTTP.HTTPHostRule
@_exported import struct OzuHTTP.HTTPMinimumSpeed
@_exported import protocol OzuHTTP.HTTPRequestPreparing
@_exported import struct OzuHTTP.HTTPRetryPolicy
@_exported import enum OzuHTTP.HTTPTimeoutPhase
@_exported import struct OzuHTTP.HTTPTimeouts
