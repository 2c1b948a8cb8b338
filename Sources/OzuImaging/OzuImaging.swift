// OzuImaging
