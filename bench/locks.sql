CREATE EXTENSION uuidx_ossp;
CREATE EXTENSION uuidx_migrate;

-- Limits are peers that take as long as they say.
INSERT INTO cases (what, statement, units)
SELECT duration, 'limit', 1 FROM unnest(ARRAY['300 ms', '1 s', '2 s']) AS duration;
INSERT INTO runs
SELECT what, round, extract(epoch FROM what::interval) * 1e9 FROM cases, generate_series(1, :rounds) AS round;

-- Tables that no migration touches.
CREATE PROCEDURE add_other_tables(number int) LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1..number LOOP
        EXECUTE format(
            'CREATE TABLE other_%1$s (id bigint PRIMARY KEY, other_id bigint REFERENCES other_%2$s, token uuid,
                                      name text, state int NOT NULL DEFAULT 0, created timestamptz, changed timestamptz)',
            n, greatest(n - 1, 1));
        EXECUTE format('CREATE INDEX ON other_%s (other_id)', n);
        IF n % 10 = 0 THEN
            EXECUTE format('CREATE VIEW named_%1$s AS SELECT id, name FROM other_%1$s WHERE state = 0', n);
        END IF;
        COMMIT;
    END LOOP;
END
$$;

CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := now();
    RETURN NEW;
END
$$;

-- A key and 24 referencing columns, each in a table of its own. Where there are partitions, the last table has them.
CREATE PROCEDURE add_moved_tables(partitions int) LANGUAGE plpgsql AS $$
DECLARE
    rows CONSTANT int := 6000;
    size CONSTANT int := rows / nullif(partitions, 0);
    name text;
BEGIN
    CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT uuid_generate_v1(), name text, opened timestamptz);
    INSERT INTO accounts (name, opened) SELECT 'account ' || n, now() FROM generate_series(1, rows) AS n;
    FOR n IN 1..24 LOOP
        name := 'activity_' || n;
        EXECUTE format('CREATE TABLE %I (id bigint PRIMARY KEY, account_id uuid NOT NULL REFERENCES accounts,
                                         note text, changed timestamptz)', name)
                || CASE WHEN n = 24 AND partitions > 0 THEN ' PARTITION BY RANGE (id)' ELSE '' END;
        FOR p IN 1..CASE n WHEN 24 THEN partitions ELSE 0 END LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s)',
                           name || '_' || p, name, (p - 1) * size + 1, p * size + 1);
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT row_number() OVER (), id, name FROM accounts', name);
        EXECUTE format('CREATE INDEX ON %I (account_id)', name);
        IF n % 6 = 0 THEN
            EXECUTE format('CREATE VIEW %I AS SELECT t.*, a.name FROM %I AS t JOIN accounts AS a ON a.id = t.account_id',
                           'named_' || name, name);
            EXECUTE format('CREATE TRIGGER touch BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION touch()', name);
        END IF;
    END LOOP;
END
$$;

-- What a cutover by hand needs: shadow columns, their indexes and foreign keys.
CREATE PROCEDURE prepare_by_hand() LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE accounts ADD COLUMN id_shadow uuid;
    UPDATE accounts SET id_shadow = uuid_v1_to_v6(id);
    ALTER TABLE accounts ALTER COLUMN id_shadow SET NOT NULL;
    CREATE UNIQUE INDEX accounts_pkey_shadow ON accounts (id_shadow);
    FOR n IN 1..24 LOOP
        EXECUTE format('ALTER TABLE activity_%s ADD COLUMN account_id_shadow uuid', n);
        EXECUTE format('UPDATE activity_%s SET account_id_shadow = uuid_v1_to_v6(account_id)', n);
        EXECUTE format('ALTER TABLE activity_%s ALTER COLUMN account_id_shadow SET NOT NULL', n);
        EXECUTE format('CREATE INDEX activity_%1$s_account_id_idx_shadow ON activity_%1$s (account_id_shadow)', n);
        EXECUTE format('ALTER TABLE activity_%1$s ADD CONSTRAINT activity_%1$s_account_id_fkey_shadow
                        FOREIGN KEY (account_id_shadow) REFERENCES accounts (id_shadow)', n);
    END LOOP;
END
$$;

-- Swaps the names of a thing and its shadow.
CREATE PROCEDURE swap_names(command text, name text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(command, name, 'swapped');
    EXECUTE format(command, name || '_shadow', name);
    EXECUTE format(command, 'swapped', name || '_shadow');
END
$$;

-- The statements that PostgreSQL needs for a cutover, under the same lock.
CREATE PROCEDURE cutover_by_hand() LANGUAGE plpgsql AS $$
BEGIN
    -- In the order of the readers, so that there is no deadlock. LOCK TABLE of a view would lock its tables too.
    FOR n IN 1..4 LOOP
        EXECUTE format('ALTER VIEW named_activity_%s OWNER TO postgres', 6 * n);
    END LOOP;
    FOR n IN 1..24 LOOP
        EXECUTE format('LOCK TABLE activity_%s', n);
    END LOOP;
    LOCK TABLE accounts;
    FOR n IN 1..24 LOOP
        EXECUTE format('ALTER TABLE activity_%1$s DROP CONSTRAINT activity_%1$s_account_id_fkey', n);
    END LOOP;
    ALTER TABLE accounts DROP CONSTRAINT accounts_pkey;
    CALL swap_names('ALTER TABLE accounts RENAME COLUMN %I TO %I', 'id');
    ALTER TABLE accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY USING INDEX accounts_pkey_shadow;
    FOR n IN 1..24 LOOP
        CALL swap_names(format('ALTER TABLE activity_%s RENAME COLUMN %%I TO %%I', n), 'account_id');
        CALL swap_names('ALTER INDEX %I RENAME TO %I', format('activity_%s_account_id_idx', n));
        EXECUTE format('ALTER TABLE activity_%1$s
                        RENAME CONSTRAINT activity_%1$s_account_id_fkey_shadow TO activity_%1$s_account_id_fkey', n);
        IF n % 6 = 0 THEN
            EXECUTE format('CREATE OR REPLACE VIEW named_activity_%1$s AS
                            SELECT t.id, t.account_id, t.note, t.changed, a.name
                            FROM activity_%1$s AS t JOIN accounts AS a ON a.id = t.account_id', n);
        END IF;
    END LOOP;
END
$$;
