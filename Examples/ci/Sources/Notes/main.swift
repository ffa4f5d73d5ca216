// An app with a model; what matters here is its workflow.
print("Notes")
