-- What the head of a script checks: who runs it, and what is in the columns.

-- Statements that check who runs a script and what is in the columns of tables.
CREATE OR REPLACE FUNCTION check_statements(ms migration[], of_tables regclass[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('SELECT uuidx_migrate_steps.check_owner(%s, %s)',
                  relation_list(of_tables), ((ms[1]).choices).trust_owners::text)
    UNION ALL
    SELECT v FROM unnest(ms) AS m, LATERAL value_checks(m, of_tables) AS v
    UNION ALL
    SELECT k FROM unnest(ms) AS m, LATERAL key_checks(m, of_tables) AS k;
END;

-- A migration with its cutover, and another fingerprint as soon as other statements are needed.
CREATE OR REPLACE FUNCTION with_cutover(m migration) RETURNS migration
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    m.cutover := uuidx_migrate_steps.cutover_statements(m);
    m.fingerprint := uuidx_migrate_steps.fingerprint_of(
        ARRAY(SELECT s FROM unnest(uuidx_migrate_steps.tables(m)) AS t,
                            LATERAL uuidx_migrate_steps.shadow_statements(
                                m, ARRAY(SELECT c FROM unnest(m.columns) AS c WHERE c.root = t)) AS s)
        || ARRAY(SELECT s.sql FROM unnest(m.changes) AS c, unnest(c.build) AS s) || m.cutover);
    RETURN m;
END
$$;

-- The fingerprint of migrations with their cutovers.
CREATE OR REPLACE FUNCTION online_fingerprint(ms migration[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN fingerprint_of(ARRAY(SELECT m.fingerprint FROM unnest(ms) AS m));

-- Call of check_script, as text.
CREATE OR REPLACE FUNCTION call_check_script(ms migration[], mode text, fingerprint text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('SELECT uuidx_migrate_steps.check_script(%s, %s, %s)', typed(mode, 'text'), typed(fingerprint, 'text'),
              typed_choices(ms));
