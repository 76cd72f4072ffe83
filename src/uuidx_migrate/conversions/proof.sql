-- The indexes by which keys are looked up, and the constraints that prove what was looked up: what a migration adds
-- itself.

-- Part of own_changes_online: the indexes by which keys are looked up. Building an index concurrently also waits for
-- all older snapshots. From then on, each snapshot sees one new key for each row, and it is always the same: values can
-- be looked up by the pair index, which the foreign keys reference that prove them. After the cutover, the other index
-- keeps the former key unique, and finds it. A foreign key references no partial index.
CREATE OR REPLACE FUNCTION look_up_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', (m).relation, k.relnamespace, key_object_name(m, i.suffix), NULL, true,
           build_index((m).relation, i.phase,
                       format('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s ',
                              key_object_name(m, i.suffix), (m).relation)
                       || format(i.columns, (m).column_name, shadow_name((m).column_name))),
           ARRAY(SELECT format('DROP INDEX %s', key_object(m, i.suffix)) WHERE i.phase = 'key'), '{}'::text[]
    FROM pg_class AS k,
         (VALUES ('key', 'pair', '(%I, %I)'),
                 ('proof', ((m).conversion).name, '(%1$I) INCLUDE (%2$I) WHERE %1$I IS NOT NULL'))
         AS i (phase, suffix, columns)
    WHERE k.oid = (m).relation
    ORDER BY i.phase;
END;

-- Part of own_changes_online: the foreign keys that prove that each reference has the shadow of its key. Once they are
-- there, no reference can wait for its key any more: then the script looks up what waits.
CREATE OR REPLACE FUNCTION proof_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'foreign key', r.relations[1], r.relations[1], n.name, NULL, true,
           CASE WHEN t.relation <> c.root THEN '{}'
                ELSE CASE WHEN NOT t.is_leaf
                          THEN foreign_key_of_partitions(m, 'proof', tables_of(c.root), (m).relation, n.name,
                                                         f.definition, true, w.look_ups) END
                     || add_constraint(m, 'proof', r.relations, 'SHARE ROW EXCLUSIVE', n.name,
                                       f.definition || CASE WHEN t.is_leaf THEN ' NOT VALID' ELSE '' END,
                                       condition => CASE WHEN NOT t.is_leaf
                                                         THEN call_have_constraint(tables_of(c.root), n.name, true) END)
                     || CASE WHEN t.is_leaf
                             THEN w.look_ups || validate_foreign_key(m, 'proof', r.relations, n.name) END END,
           ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.root, n.name)
                 WHERE t.relation = c.root), '{}'::text[]
    FROM unnest((m).columns) AS c, LATERAL (SELECT (shadow_name(c.name) || '_proof')::name) AS n (name),
         LATERAL (SELECT u, true FROM unnest(tables_of(c.root)) AS u
                  UNION ALL
                  SELECT c.root, false WHERE is_partitioned(c.root)) AS t (relation, is_leaf),
         LATERAL foreign_key_relations(t.relation, (m).relation) AS r (relations),
         LATERAL format('FOREIGN KEY (%I, %I) REFERENCES %s (%I, %I)%s DEFERRABLE INITIALLY DEFERRED',
                        c.name, c.shadow, (m).relation, (m).column_name, shadow_name((m).column_name),
                        CASE WHEN ((m).conversion).keeps_former THEN ' MATCH FULL' END) AS f (definition),
         LATERAL (SELECT ARRAY(SELECT look_up_step(m, 'proof', c) WHERE may_be_late(m, c))) AS w (look_ups)
    WHERE c.member = c.root AND NOT is_key(m, c) AND NOT lacks_foreign_key(m, c)
    ORDER BY c.root::text COLLATE "C", c.name, t.is_leaf DESC, t.relation::text COLLATE "C";
END;

-- Part of own_changes_online: the constraints by which an undo knows that no number is missing where none may be.
CREATE OR REPLACE FUNCTION number_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'check constraint', c.member, c.member, n.name, n.definition, true,
           ARRAY[add_constraint(m, 'proof', ARRAY[c.member], 'ACCESS EXCLUSIVE', n.name, n.definition || ' NOT VALID'),
                 step('proof', format('SHARE UPDATE EXCLUSIVE on %s', c.member),
                      call_validate(m, 'proof', c.member, n.name))],
           '{}'::text[], ARRAY[format('ALTER TABLE %s DROP CONSTRAINT %I', c.member, n.name)]
    FROM unnest((m).columns) AS c, pg_attribute AS a,
         LATERAL (SELECT ('nn_' || c.shadow)::name, format('CHECK ((%I IS NOT NULL))', c.shadow))
         AS n (name, definition)
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND a.attnotnull AND has_shadow_check(c)
      AND may_lack_number(m, c)
    ORDER BY c.member::text COLLATE "C", c.name;
END;

-- Part of changes_online: what a migration adds itself.
CREATE OR REPLACE FUNCTION own_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.* FROM look_up_changes_online(m) AS c WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT c.* FROM proof_changes_online(m) AS c WHERE ((m).conversion).is_looked_up
    UNION ALL
    SELECT c.* FROM number_changes_online(m) AS c
    WHERE ((m).conversion).keeps_former AND ((m).conversion).only_undoes;
END;
