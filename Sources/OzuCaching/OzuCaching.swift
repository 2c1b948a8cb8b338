// OzuCaching
