// OzuCodecs
