print("moclone")
