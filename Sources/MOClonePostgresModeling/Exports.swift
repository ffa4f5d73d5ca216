@_exported import MOCloneModeling
@_exported import MOClonePostgres
