// OzuHTTP
