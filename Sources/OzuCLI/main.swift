print("ozu")
