/// What the system catalogue is asked about schemas and everything in them, for a model that is made of it.
enum PostgresListingQueries {
  /// Name, whether the role may use it, how many tables it has; without the server's own schemas.
  static let schemas = """
    SELECT n.nspname::text, has_schema_privilege(n.oid, 'USAGE'),
      (SELECT count(*) FROM pg_catalog.pg_class c
        WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND NOT c.relispartition)
    FROM pg_catalog.pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY n.nspname
    """

  /// Number, schema, name, kind, is visible, may be read, is part of an inheritance, number of partitions, comment.
  ///
  /// What an extension has made is its own.
  static let relations = """
    SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, pg_catalog.pg_table_is_visible(c.oid),
      has_table_privilege(c.oid, 'SELECT'),
      c.relkind <> 'p' AND EXISTS (
        SELECT FROM pg_catalog.pg_inherits h WHERE c.oid IN (h.inhparent, h.inhrelid)),
      (SELECT count(*) FROM pg_catalog.pg_inherits h WHERE c.relkind = 'p' AND h.inhparent = c.oid),
      pg_catalog.obj_description(c.oid, 'pg_class')
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN unnest($schemas::text[]) WITH ORDINALITY s(name, place) ON s.name = n.nspname
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY s.place, c.relname
    """

  /// The names of tables in other schemas than `$schemas` with foreign keys into `$tables`.
  static let referrers = """
    SELECT DISTINCT n.nspname || '.' || c.relname
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype = 'f' AND k.confrelid = ANY($tables::oid[]) AND NOT c.relispartition
      AND n.nspname <> ALL($schemas::text[])
    ORDER BY 1
    """

  /// The names of partitions that foreign keys of `$tables` reference themselves, as these are listed.
  static let partitions = """
    SELECT DISTINCT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname::text
      ELSE n.nspname || '.' || c.relname END
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype = 'f' AND k.conrelid = ANY($tables::oid[]) AND k.conparentid = 0 AND c.relispartition
    """

  /// Number of the table, name, default, comment, values of an enum, other columns that a CHECK reads beside it.
  static let columns = """
    SELECT a.attrelid, a.attname::text,
      CASE WHEN a.attgenerated = ''
        THEN coalesce(pg_catalog.pg_get_expr(e.adbin, e.adrelid), pg_catalog.pg_get_expr(t.typdefaultbin, 0)) END,
      pg_catalog.col_description(a.attrelid, a.attnum),
      (SELECT json_agg(l.enumlabel ORDER BY l.enumsortorder) FROM pg_catalog.pg_enum l
        WHERE l.enumtypid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END),
      (SELECT json_agg(o.attname ORDER BY o.attnum) FROM pg_catalog.pg_attribute o
        WHERE o.attrelid = a.attrelid AND o.attnum > 0 AND o.attnum <> a.attnum AND EXISTS (
          SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'c'
            AND a.attnum = ANY(k.conkey) AND o.attnum = ANY(k.conkey)))
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
    WHERE a.attrelid = ANY($tables::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    """
}
