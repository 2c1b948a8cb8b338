// `import Ozu` is enough: it exports every name that its API mentions. It exports the modules for pictures, caches and isolation
// whole.
@_exported import OzuCaching
@_exported import OzuImaging
@_exported import OzuIsolation
// `CodecRegistry.standard` is this module's only declaration.
@_exported import OzuStandardCodecs

// Of the formats in Swift it exports what cleans files.
@_exported import struct OzuCodecs.CleanedFile
@_exported import struct OzuCodecs.KeptMetadata
// Of the module for HTTP it exports only these types. Other names there, such as `HTTPRequest` and `HTTPResponse`, are also used by
// frameworks for servers. An app that needs them, for example to write its own client, imports `OzuHTTP`.
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
