// OzuTesting
