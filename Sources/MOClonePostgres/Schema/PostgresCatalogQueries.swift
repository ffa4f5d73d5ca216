/// What the system catalogue is asked about tables whose numbers are `$tables`; each row begins with its table's number.
enum PostgresCatalogQueries {
  /// Values of a collation that compares by bytes are equal where their bytes are: `BINARY`.
  private static func collation(_ number: String) -> String {
    "coalesce((SELECT l.collname FROM pg_catalog.pg_collation l WHERE l.oid = \(number) "
      + "AND NOT l.collisdeterministic), 'BINARY')"
  }

  /// Whether a default is nothing but the next number of a sequence.
  private static let isCounted =
    "pg_catalog.pg_get_expr(e.adbin, e.adrelid) ~ '^nextval\\(''([^'']|'''')*''::regclass\\)$'"

  /// Whether a CHECK that all rows meet says that the column is not null, and nothing else.
  private static let isCheckedNotNull = """
    EXISTS (SELECT FROM pg_catalog.pg_constraint k
      WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND k.convalidated AND k.conkey = ARRAY[a.attnum]
        AND pg_catalog.pg_get_expr(k.conbin, k.conrelid) = '(' || quote_ident(a.attname) || ' IS NOT NULL)')
    """

  /// The name of a column, and the type that it is made of.
  static let baseTypes = """
    WITH RECURSIVE part(type, name, base) AS (
      SELECT t.oid, t.typname, t.typbasetype FROM pg_catalog.pg_type t
      WHERE t.oid IN (SELECT atttypid FROM pg_catalog.pg_attribute WHERE attrelid = ANY($tables::oid[]))
      UNION ALL
      SELECT p.type, t.typname, t.typbasetype
      FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.base WHERE p.base <> 0
    )
    SELECT a.attrelid, a.attname, p.name
    FROM pg_catalog.pg_attribute a JOIN part p ON p.type = a.atttypid AND p.base = 0
    WHERE a.attrelid = ANY($tables::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    """

  /// The types that columns are of, by what they and the types in them are made of: a domain of another type, a composite
  /// one of attributes, an enum of labels, a range of what it spans, wherever arrays of them stand.
  private static let definitions = """
    made(type, oid) AS (
      SELECT t.oid, t.oid FROM pg_catalog.pg_type t
      WHERE t.oid IN (SELECT atttypid FROM pg_catalog.pg_attribute WHERE attrelid = ANY($tables::oid[]))
      UNION
      SELECT m.type, o.oid FROM made m JOIN pg_catalog.pg_type t ON t.oid = m.oid
      CROSS JOIN LATERAL (
        SELECT unnest(ARRAY[t.typbasetype, t.typelem])
        UNION ALL
        SELECT p.atttypid FROM pg_catalog.pg_attribute p
        WHERE p.attrelid = t.typrelid AND p.attnum > 0 AND NOT p.attisdropped
        UNION ALL
        SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid) o(oid)
    ),
    definition(type, text) AS (
      SELECT m.type, string_agg(d.text, E'\\n' ORDER BY d.text COLLATE "C")
      FROM made m JOIN pg_catalog.pg_type t ON t.oid = m.oid
      CROSS JOIN LATERAL (
        SELECT pg_catalog.format_type(t.oid, NULL) || ': ' || CASE t.typtype
          WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod)
          WHEN 'c' THEN (
            SELECT string_agg(
              quote_ident(p.attname) || ' ' || pg_catalog.format_type(p.atttypid, p.atttypmod), ', ' ORDER BY p.attnum)
            FROM pg_catalog.pg_attribute p
            WHERE p.attrelid = t.typrelid AND p.attnum > 0 AND NOT p.attisdropped)
          WHEN 'e' THEN (SELECT string_agg(quote_literal(l.enumlabel), ', ' ORDER BY l.enumlabel)
            FROM pg_catalog.pg_enum l WHERE l.enumtypid = t.oid)
          WHEN 'r' THEN (SELECT pg_catalog.format_type(r.rngsubtype, NULL)
            FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid) END) d(text)
      GROUP BY m.type
    )
    """

  /// Name, type, base type, the same with its limits, collation, is required, is generated, has a default, inputs, sequence,
  /// what else makes a key: an expression or a function that asks a sequence, so that each value is another one, is checked,
  /// what its type is made of.
  ///
  /// A domain's NOT NULL may stand in one that it is made of. A sequence counts where nothing else is done to its numbers.
  static let columns = """
    WITH RECURSIVE part(type, oid, base, limits, required, has_default) AS (
      SELECT t.oid, t.oid, t.typbasetype, t.typtypmod, t.typtype = 'd' AND t.typnotnull, t.typdefault IS NOT NULL
      FROM pg_catalog.pg_type t
      WHERE t.oid IN (SELECT atttypid FROM pg_catalog.pg_attribute WHERE attrelid = ANY($tables::oid[]))
      UNION ALL
      SELECT p.type, t.oid, t.typbasetype, CASE WHEN p.limits < 0 THEN t.typtypmod ELSE p.limits END,
        t.typtype = 'd' AND t.typnotnull,
        t.typtype = 'd' AND t.typdefault IS NOT NULL
      FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.base WHERE p.base <> 0
    ),
    \(definitions)
    SELECT a.attrelid, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), b.typname,
      pg_catalog.format_type(b.oid, CASE WHEN l.oid = a.atttypid THEN a.atttypmod ELSE l.limits END),
      CASE WHEN b.typname = 'citext' THEN 'citext' ELSE \(collation("a.attcollation")) END,
      a.attnotnull OR (SELECT bool_or(p.required) FROM part p WHERE p.type = a.atttypid) OR \(isCheckedNotNull),
      a.attgenerated <> '',
      a.attgenerated = '' AND (a.atthasdef OR a.attidentity <> ''
        OR (SELECT bool_or(p.has_default) FROM part p WHERE p.type = a.atttypid)),
      coalesce((SELECT json_agg(i.attname ORDER BY i.attnum)
        FROM pg_catalog.pg_attribute i
        WHERE a.attgenerated <> '' AND i.attrelid = a.attrelid AND i.attnum <> a.attnum AND EXISTS (
          SELECT FROM pg_catalog.pg_depend d
          WHERE d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.objid = e.oid
            AND d.refobjid = a.attrelid AND d.refobjsubid = i.attnum)), '[]'),
      (SELECT quote_ident(n.nspname) || '.' || quote_ident(s.relname)
        FROM pg_catalog.pg_depend d
        JOIN pg_catalog.pg_class s ON s.relkind = 'S'
        JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
        WHERE a.attidentity <> '' AND d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = s.oid
            AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = a.attrelid
            AND d.refobjsubid = a.attnum AND d.deptype = 'i'
          OR a.attgenerated = '' AND d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.objid = e.oid
            AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = s.oid
            AND \(isCounted)
        LIMIT 1),
      CASE WHEN a.attgenerated = '' AND b.typname IN ('int2', 'int4', 'int8') AND NOT \(isCounted)
          AND (pg_catalog.pg_get_expr(e.adbin, e.adrelid) LIKE '%nextval(%' OR EXISTS (
            SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_proc f ON f.oid = d.refobjid
            WHERE d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.objid = e.oid
              AND d.refclassid = 'pg_catalog.pg_proc'::regclass AND f.prokind = 'f'
              AND pg_catalog.pg_get_functiondef(f.oid) ~* 'nextval'))
          AND EXISTS (SELECT FROM pg_catalog.pg_index k WHERE k.indrelid = a.attrelid AND k.indisprimary
            AND k.indnkeyatts = 1 AND k.indkey[0] = a.attnum)
        THEN '(' || pg_catalog.pg_get_expr(e.adbin, e.adrelid) || ')' END,
      b.oid <> a.atttypid OR EXISTS (SELECT FROM pg_catalog.pg_constraint k
        WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND a.attnum = ANY(k.conkey)),
      m.text
    FROM pg_catalog.pg_attribute a
    JOIN part l ON l.type = a.atttypid AND l.base = 0
    JOIN pg_catalog.pg_type b ON b.oid = l.oid
    LEFT JOIN definition m ON m.type = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
    WHERE a.attrelid = ANY($tables::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum
    """

  /// Referenced table and its name, columns, referenced columns, delete action and the columns to which it is limited (since
  /// PostgreSQL 15), is deferrable, name.
  ///
  /// A foreign key that references a partitioned table is listed once more for each partition; a partition has those of
  /// its parent.
  static let foreignKeys = """
    SELECT k.conrelid, k.confrelid,
      CASE WHEN pg_catalog.pg_table_is_visible(k.confrelid) THEN t.relname
        ELSE n.nspname || '.' || t.relname END,
      (SELECT json_agg(a.attname ORDER BY c.place) FROM unnest(k.conkey) WITH ORDINALITY c(number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.number),
      (SELECT json_agg(a.attname ORDER BY c.place) FROM unnest(k.confkey) WITH ORDINALITY c(number, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = c.number),
      CASE k.confdeltype WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL'
        WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END,
      (SELECT coalesce(json_agg(a.attname), '[]') FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = k.conrelid AND to_jsonb(k) -> 'confdelsetcols' @> to_jsonb(a.attnum)),
      k.condeferrable, k.conname
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
    LEFT JOIN pg_catalog.pg_constraint p ON p.oid = k.conparentid
    WHERE k.contype = 'f' AND k.conrelid = ANY($tables::oid[])
      AND (k.conparentid = 0 OR p.conrelid <> k.conrelid)
    ORDER BY k.conrelid, k.conname
    """

  /// Name, is unique, is the primary key, columns (null for an expression), texts, collations, condition, is an exclusion
  /// constraint, is deferrable.
  static let indexes = """
    SELECT i.indrelid, c.relname, i.indisunique, i.indisprimary,
      (SELECT json_agg(a.attname ORDER BY k.place) FROM generate_series(1, i.indnkeyatts) k(place)
        LEFT JOIN pg_catalog.pg_attribute a
          ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.place - 1] AND a.attnum > 0),
      (SELECT json_agg(pg_catalog.pg_get_indexdef(i.indexrelid, k.place, true) ORDER BY k.place)
        FROM generate_series(1, i.indnkeyatts) k(place)),
      (SELECT json_agg(CASE WHEN b.typname = 'citext' THEN 'citext'
          ELSE \(collation("i.indcollation[k.place - 1]")) END ORDER BY k.place)
        FROM generate_series(1, i.indnkeyatts) k(place)
        LEFT JOIN pg_catalog.pg_attribute x ON x.attrelid = i.indexrelid AND x.attnum = k.place
        LEFT JOIN pg_catalog.pg_type b ON b.oid = x.atttypid),
      pg_catalog.pg_get_expr(i.indpred, i.indrelid, true), i.indisexclusion, NOT i.indimmediate
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = ANY($tables::oid[]) AND i.indisvalid
    ORDER BY i.indrelid, i.indisprimary DESC, c.relname
    """

  /// Whether a body names another function that may write.
  private static let callsOthers = """
    EXISTS (SELECT FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_namespace s ON s.oid = f.pronamespace
      WHERE s.nspname NOT IN ('pg_catalog', 'information_schema') AND f.provolatile = 'v' AND f.prokind IN ('f', 'p')
        AND f.oid <> p.oid AND f.prorettype <> 'trigger'::regtype
        AND strpos(translate(lower(p.prosrc), E' "\\t\\n', ''), lower(f.proname) || '(') > 0)
    """

  /// Name, event, language, body, name of the table of all new rows, runs for some rows only, search path of the function,
  /// name for SET CONSTRAINTS, calls others, runs before the row is there.
  ///
  /// A rule may do what a trigger does.
  static let triggers = """
    SELECT t.tgrelid, t.tgname, e.name, l.lanname, p.prosrc, t.tgnewtable, t.tgqual IS NOT NULL,
      (SELECT substr(s.setting, 13) FROM unnest(p.proconfig) s(setting) WHERE s.setting LIKE 'search\\_path=%'),
      CASE WHEN t.tginitdeferred THEN quote_ident(n.nspname) || '.' || quote_ident(t.tgname) END, \(callsOthers),
      t.tgtype & 2 <> 0
    FROM pg_catalog.pg_trigger t
    JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
    JOIN pg_catalog.pg_language l ON l.oid = p.prolang
    JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE')) e(bit, name) ON t.tgtype & e.bit <> 0
    WHERE t.tgrelid = ANY($tables::oid[]) AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
    UNION ALL
    SELECT r.ev_class, r.rulename, e.name, 'sql', pg_catalog.pg_get_ruledef(r.oid), NULL, r.ev_qual::text <> '<>', NULL, NULL,
      false, true
    FROM pg_catalog.pg_rewrite r
    JOIN (VALUES ('2', 'UPDATE'), ('3', 'INSERT'), ('4', 'DELETE')) e(type, name) ON r.ev_type = e.type::"char"
    WHERE r.ev_class = ANY($tables::oid[]) AND r.ev_enabled IN ('O', 'A')
    ORDER BY 1, 2, 3
    """

  /// The names of the other visible tables.
  static let otherTables = """
    SELECT c.relname
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND pg_catalog.pg_table_is_visible(c.oid)
      AND n.nspname = ANY(current_schemas(false)) AND c.oid <> ALL($tables::oid[]) AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        GROUP BY lower(a.attname::text COLLATE "C") HAVING count(*) > 1)
    ORDER BY c.relname
    """
}
