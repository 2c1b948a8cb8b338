// One import is enough: the vocabulary of pictures and of caches comes with the pipeline.
@_exported import OzuCaching
@_exported import OzuImaging
@_exported import OzuIsolation
