import MOCloneModel
import MOCloneSQL

/// Tables in which frameworks keep what they need themselves: versions of a schema, the locale of a device.
enum SystemTables {
  static func contains(_ table: String) -> Bool {
    let name = table.sqlName
    return names.contains(name) || prefixes.contains(where: name.hasPrefix)
  }

  private static let names: Set<String> = [
    "grdb_migrations", "schema_migrations", "ar_internal_metadata", "django_migrations", "alembic_version",
    "knex_migrations", "knex_migrations_lock", "room_master_table", "android_metadata", "_prisma_migrations",
    "sequelizemeta", "flyway_schema_history", "schema_version", "databasechangelog", "databasechangeloglock",
    "__efmigrationshistory", "__efmigrationslock", "migrations", "typeorm_metadata", "goose_db_version",
    "gorp_migrations", "__diesel_schema_migrations", "_sqlx_migrations", "__drizzle_migrations", "phinxlog",
    "doctrine_migration_versions", "refinery_schema_history", "schemaversion", "schemaversions",
    "mikro_orm_migrations",
    "objection_migrations", "kysely_migration", "kysely_migration_lock", "yoyo_lock", "_yoyo_migration",
    "_yoyo_log", "_yoyo_version", "aerich", "migratehistory", "play_evolutions", "ebean_migrations",
    "z_primarykey", "z_metadata", "z_modelcache", "geometry_columns", "spatial_ref_sys", "spatialite_history",
    "ckdatabasechangetoken", StoreValidator.metadataTable,
  ]

  private static let prefixes = ["gpkg_", "_litestream_"]
}
