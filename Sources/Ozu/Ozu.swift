@_exported import OzuCaching
@_exported import OzuImaging
