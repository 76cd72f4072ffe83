-- An application of 48 tables that an ordinary role owns: accounts and sign-in in the schema auth; companies, stock, orders
-- and projects in the schema erp. The keys that realistic_schema.pl moves are of version 1; keys that stay are of version 4
-- or integers, unless a comment says otherwise. Everything that PostgreSQL lets read a key reads one here.
SELECT v >= 150000 AS is_15, v >= 180000 AS is_18 FROM (SELECT current_setting('server_version_num')::int) AS s (v) \gset
CREATE EXTENSION "uuid-ossp";
CREATE ROLE erp_owner LOGIN;
CREATE ROLE clerk LOGIN;
CREATE ROLE reporting;
GRANT reporting TO erp_owner;
CREATE SCHEMA auth AUTHORIZATION erp_owner;
CREATE SCHEMA erp AUTHORIZATION erp_owner;
SET ROLE erp_owner;
SET search_path = pg_temp; -- everything below is qualified
GRANT USAGE ON SCHEMA auth, erp TO clerk, reporting;
GRANT CREATE ON SCHEMA erp TO reporting;

-- --- Functions of the application that tables and policies use ---

CREATE FUNCTION erp.current_user_id() RETURNS uuid LANGUAGE sql STABLE
AS $$ SELECT nullif(current_setting('app.user_id', true), '')::uuid $$;
CREATE FUNCTION auth.is_key(key uuid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
AS $$ BEGIN RETURN key::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8]'; END $$;
CREATE FUNCTION auth.touch() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN new.updated_at := clock_timestamp(); RETURN new; END $$;

CREATE TABLE auth.key_changes (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, what text, old_key uuid, new_key uuid);
CREATE FUNCTION auth.log_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
DECLARE
    before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(old) END;
    after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(new) END;
BEGIN
    INSERT INTO auth.key_changes (what, old_key, new_key)
    VALUES (TG_NAME, (before ->> TG_ARGV[0])::uuid, (after ->> TG_ARGV[0])::uuid);
    RETURN NULL;
END
$$;

-- --- auth: accounts and sign-in ---

CREATE TABLE auth.instances (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text);
CREATE TABLE auth.users (
    instance_id uuid REFERENCES auth.instances,
    id uuid NOT NULL DEFAULT public.uuid_generate_v1(),
    subject text GENERATED ALWAYS AS ('user:' || id::text) STORED,
    email text COLLATE "C",
    name text,
    invited_by uuid,
    confirmed boolean NOT NULL DEFAULT true,
    metadata jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_email_key UNIQUE (email),
    CONSTRAINT users_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES auth.users ON DELETE SET NULL,
    CONSTRAINT invited_by_another CHECK (invited_by <> id),
    CONSTRAINT id_is_key CHECK (auth.is_key(id)) NO INHERIT
) WITH (fillfactor = 70, autovacuum_enabled = off);
COMMENT ON TABLE auth.users IS 'who signs in';
COMMENT ON COLUMN auth.users.id IS 'the user''s key; "sub" of a token';
COMMENT ON CONSTRAINT users_pkey ON auth.users IS 'one row a user';
COMMENT ON CONSTRAINT invited_by_another ON auth.users IS 'nobody invites himself';
COMMENT ON CONSTRAINT users_invited_by_fkey ON auth.users IS 'the inviter''s account';
COMMENT ON COLUMN auth.users.subject IS 'as a token has it';
ALTER TABLE auth.users ALTER id SET STATISTICS 400;
ALTER TABLE auth.users ALTER invited_by SET (n_distinct = -0.1);
ALTER TABLE auth.users ALTER subject SET STATISTICS 30;
ALTER TABLE auth.users REPLICA IDENTITY USING INDEX users_pkey;
ALTER TABLE auth.users CLUSTER ON users_pkey;
GRANT SELECT (id, email, name, subject, confirmed), UPDATE (name) ON auth.users TO clerk;
GRANT SELECT, REFERENCES ON auth.users TO reporting WITH GRANT OPTION;
CREATE INDEX users_subject_idx ON auth.users (subject text_pattern_ops) INCLUDE (email);
COMMENT ON INDEX auth.users_subject_idx IS 'looked up at each request';
CREATE INDEX users_id_text_idx ON auth.users ((id::text) text_pattern_ops) WITH (fillfactor = 80);
COMMENT ON INDEX auth.users_id_text_idx IS 'for a search by the first digits';
CREATE INDEX users_invited_idx ON auth.users (created_at DESC) INCLUDE (name) WHERE invited_by IS NOT NULL AND invited_by <> id;
CREATE UNIQUE INDEX users_confirmed_idx ON auth.users (id) INCLUDE (email, name) WHERE confirmed;
CREATE STATISTICS auth.users_who_invites (ndistinct, dependencies) ON invited_by, confirmed FROM auth.users;
COMMENT ON STATISTICS auth.users_who_invites IS 'they go together';
CREATE STATISTICS auth.users_last_digits (mcv) ON (right(id::text, 2)), confirmed FROM auth.users;
ALTER STATISTICS auth.users_last_digits SET STATISTICS 50;

CREATE TABLE auth.profiles (user_id uuid PRIMARY KEY, phone text, picture text,
    CONSTRAINT profile_of_user FOREIGN KEY (user_id) REFERENCES auth.users ON DELETE CASCADE ON UPDATE CASCADE
        DEFERRABLE INITIALLY DEFERRED);

CREATE TABLE auth.identities (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT "identity; of user" REFERENCES auth.users ON DELETE CASCADE ON UPDATE CASCADE,
    provider text NOT NULL,
    identity_data jsonb NOT NULL, -- has the key as "sub"
    UNIQUE (provider, user_id) INCLUDE (id)
);
ALTER TABLE auth.identities REPLICA IDENTITY FULL;

CREATE TABLE auth.mfa_factors (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES auth.users ON DELETE RESTRICT ON UPDATE RESTRICT,
    name text, UNIQUE (name, user_id));
CREATE UNIQUE INDEX mfa_factors_named_idx ON auth.mfa_factors (user_id, lower(name)) WHERE name <> '';
ALTER TABLE auth.mfa_factors CLUSTER ON mfa_factors_name_user_id_key;
CREATE TABLE auth.sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
    factor_id uuid REFERENCES auth.mfa_factors ON DELETE SET NULL,
    not_after timestamptz,
    cookie text GENERATED ALWAYS AS (id::text || '.' || user_id::text) STORED
);
CREATE INDEX ON auth.sessions USING hash (user_id);
COMMENT ON COLUMN auth.sessions.cookie IS 'what the browser keeps';
GRANT SELECT (id, cookie) ON auth.sessions TO clerk;
CREATE UNIQUE INDEX sessions_cookie_idx ON auth.sessions (cookie);
CREATE TABLE auth.refresh_tokens (id bigint GENERATED BY DEFAULT AS IDENTITY (START 1000) PRIMARY KEY, token text UNIQUE,
    user_id varchar(255), -- a key, as text
    session_id uuid REFERENCES auth.sessions ON DELETE CASCADE, parent text);
CREATE TABLE auth.mfa_challenges (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    factor_id uuid REFERENCES auth.mfa_factors ON DELETE CASCADE,
    created_at timestamptz DEFAULT now());
CREATE TABLE auth.mfa_amr_claims (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), session_id uuid REFERENCES auth.sessions ON DELETE CASCADE,
    method text, UNIQUE (session_id, method));
CREATE TABLE auth.sso_providers (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), resource text UNIQUE);
CREATE TABLE auth.sso_domains (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    sso_provider_id uuid REFERENCES auth.sso_providers, domain text);
CREATE TABLE auth.flow_state (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid, -- a key without a foreign key
    code text);
CREATE INDEX flow_state_user_idx ON auth.flow_state (user_id) WHERE user_id IS NOT NULL;
CREATE TABLE auth.one_time_tokens (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
    kind text,
    used boolean DEFAULT false,
    CONSTRAINT one_unused_token EXCLUDE USING hash (user_id WITH =) WHERE (NOT used)
);
CREATE TABLE auth.audit_log_entries (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload jsonb, -- has keys
    created_at timestamptz DEFAULT now());

-- --- erp: companies and people ---

CREATE TABLE erp.countries (code char(2) PRIMARY KEY, name text);
CREATE TABLE erp.settings (key text PRIMARY KEY, value text);
CREATE TABLE erp.companies (
    n int GENERATED ALWAYS AS IDENTITY,
    id uuid PRIMARY KEY DEFAULT public.uuid_generate_v1(),
    name text NOT NULL,
    country char(2) REFERENCES erp.countries,
    headquarters_id uuid,
    owner_id uuid REFERENCES auth.users ON DELETE SET DEFAULT,
    CHECK (id <> owner_id AND id <> headquarters_id)
);
CREATE TABLE erp.sites (
    id uuid PRIMARY KEY DEFAULT public.uuid_generate_v1mc(),
    company_id uuid NOT NULL REFERENCES erp.companies ON UPDATE CASCADE DEFERRABLE,
    name text,
    UNIQUE (company_id, id)
);
ALTER TABLE erp.companies ADD CONSTRAINT headquarters FOREIGN KEY (headquarters_id) REFERENCES erp.sites ON DELETE SET NULL
    DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE erp.companies ADD CONSTRAINT own_headquarters FOREIGN KEY (id, headquarters_id) REFERENCES erp.sites (company_id, id)
    DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE erp.departments (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid NOT NULL REFERENCES erp.companies ON DELETE CASCADE,
    parent_id uuid REFERENCES erp.departments,
    name text,
    UNIQUE (company_id, id)
);
CREATE TABLE erp.employees (
    user_id uuid PRIMARY KEY REFERENCES auth.users,
    company_id uuid,
    department_id uuid,
    manager_id uuid CONSTRAINT manager REFERENCES erp.employees (user_id) ON DELETE SET NULL,
    salary numeric,
    CONSTRAINT employees_department_fkey FOREIGN KEY (company_id, department_id)
        REFERENCES erp.departments (company_id, id) MATCH FULL ON UPDATE CASCADE
);
CREATE TABLE erp.customers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text,
    company_id uuid REFERENCES erp.companies ON DELETE SET NULL,
    the_employee_who_last_confirmed_the_address_of_this_customer uuid REFERENCES erp.employees (user_id)
);
CREATE INDEX a_name_of_an_index_that_is_exactly_as_long_as_names_may_be_here ON erp.customers
    (company_id, the_employee_who_last_confirmed_the_address_of_this_customer);
CREATE TABLE erp.addresses (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer_id uuid REFERENCES erp.customers,
    country char(2) REFERENCES erp.countries, line text);
CREATE TABLE erp."Contact; Persons" (
    "Person; id" uuid CONSTRAINT "the $$ key of ""persons"";" PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE,
    U&"owner's $$ key\000Aon a new line" uuid CONSTRAINT U&"it's; the\000Aowner" REFERENCES auth.users DEFERRABLE,
    "$do$; --" text DEFAULT '; -- $$',
    CONSTRAINT U&"two; $cutover$\000Apersons" CHECK ("Person; id" <> U&"owner's $$ key\000Aon a new line")
);
COMMENT ON COLUMN erp."Contact; Persons".U&"owner's $$ key\000Aon a new line" IS E'a ''comment'';\nwith $$ -- in it';
CREATE INDEX U&"an index;\000A$$" ON erp."Contact; Persons" (U&"owner's $$ key\000Aon a new line", "$do$; --" DESC)
    WHERE "Person; id" <> U&"owner's $$ key\000Aon a new line";
CREATE STATISTICS erp."stat; $$" ON "Person; id", "$do$; --" FROM erp."Contact; Persons";

-- --- erp: products, prices and stock ---

CREATE TABLE erp.categories (id int PRIMARY KEY, name text);
CREATE TABLE erp.products (
    id uuid PRIMARY KEY DEFAULT public.uuid_generate_v1(),
    sku text UNIQUE,
    replaces uuid REFERENCES erp.products DEFERRABLE INITIALLY IMMEDIATE
);
CREATE STATISTICS erp.products_replaced (ndistinct, dependencies) ON id, replaces FROM erp.products;
ALTER STATISTICS erp.products_replaced SET STATISTICS 500;
COMMENT ON STATISTICS erp.products_replaced IS 'seldom';
CREATE TABLE erp.product_categories (product_id uuid REFERENCES erp.products ON DELETE CASCADE, category_id int REFERENCES erp.categories,
    PRIMARY KEY (category_id, product_id));
CREATE TABLE erp.price_lists (id int PRIMARY KEY, name text);
CREATE TABLE erp.prices (product_id uuid REFERENCES erp.products, price_list_id int REFERENCES erp.price_lists, price numeric(10, 2),
    PRIMARY KEY (product_id, price_list_id) INCLUDE (price));
CREATE TABLE erp.price_changes (product_id uuid, price_list_id int, changed date, by_user uuid REFERENCES auth.users,
    FOREIGN KEY (product_id, price_list_id) REFERENCES erp.prices ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE erp.stock (site_id uuid REFERENCES erp.sites, product_id uuid REFERENCES erp.products, pieces int NOT NULL,
    PRIMARY KEY (site_id, product_id));
CREATE TABLE erp.stock_moves (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, site_id uuid, product_id uuid, pieces int,
    CONSTRAINT of_stock FOREIGN KEY (site_id, product_id) REFERENCES erp.stock MATCH FULL ON DELETE SET NULL);

-- --- erp: orders, in partitions ---

CREATE TABLE erp.orders (
    id uuid DEFAULT public.uuid_generate_v1(),
    placed date NOT NULL,
    region text NOT NULL,
    customer_id uuid REFERENCES erp.customers,
    taken_by uuid REFERENCES auth.users ON DELETE SET NULL,
    replaces uuid,
    PRIMARY KEY (id, placed, region),
    CHECK (replaces <> id)
) PARTITION BY RANGE (placed);
CREATE TABLE erp.orders_2024 PARTITION OF erp.orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE erp.orders_2025 PARTITION OF erp.orders FOR VALUES FROM ('2025-01-01') TO ('2026-01-01') PARTITION BY LIST (region);
CREATE TABLE erp.orders_2025_north PARTITION OF erp.orders_2025 FOR VALUES IN ('north', 'west');
CREATE TABLE erp.orders_2025_others PARTITION OF erp.orders_2025 DEFAULT;
CREATE TABLE erp.orders_2026 (taken_by uuid, region text NOT NULL, remark text, customer_id uuid,
    id uuid NOT NULL DEFAULT public.uuid_generate_v1mc(), placed date NOT NULL, replaces uuid,
    CHECK (replaces <> id));
ALTER TABLE erp.orders_2026 RENAME CONSTRAINT orders_2026_check TO orders_check;
ALTER TABLE erp.orders_2026 DROP COLUMN remark;
ALTER TABLE erp.orders ATTACH PARTITION erp.orders_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
ALTER TABLE erp.orders ADD CONSTRAINT replaced FOREIGN KEY (replaces, placed, region) REFERENCES erp.orders DEFERRABLE;
CREATE INDEX ON erp.orders ((id::text));
CREATE INDEX orders_taken_idx ON erp.orders (placed) WHERE taken_by IS NOT NULL;
CREATE INDEX ON erp.orders (replaces, id);
CREATE INDEX orders_of_north_idx ON erp.orders_2025_north (taken_by, placed);
CREATE STATISTICS erp.orders_of_north (dependencies) ON taken_by, customer_id FROM erp.orders_2025_north;
COMMENT ON COLUMN erp.orders_2026.id IS 'the key of 2026';
ALTER TABLE erp.orders_2026 ALTER taken_by SET STATISTICS 77;
GRANT SELECT, INSERT, UPDATE, DELETE ON erp.orders TO clerk;
GRANT SELECT (id) ON erp.orders_2024 TO clerk;
GRANT SELECT ON erp.orders TO reporting;
CREATE TABLE erp.order_lines (order_id uuid NOT NULL, placed date, region text, line int,
    product_id uuid REFERENCES erp.products, pieces int,
    PRIMARY KEY (order_id, placed, region, line),
    CONSTRAINT of_order FOREIGN KEY (order_id, placed, region) REFERENCES erp.orders MATCH FULL ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE erp.shipments (id uuid DEFAULT gen_random_uuid(), carrier text, order_id uuid, placed date, region text,
    site_id uuid REFERENCES erp.sites,
    PRIMARY KEY (id, carrier),
    FOREIGN KEY (order_id, placed, region) REFERENCES erp.orders ON DELETE CASCADE) PARTITION BY LIST (carrier);
CREATE TABLE erp.shipments_by_post PARTITION OF erp.shipments FOR VALUES IN ('post');
CREATE TABLE erp.shipments_by_others PARTITION OF erp.shipments DEFAULT;
CREATE INDEX ON erp.shipments (order_id, site_id);
CREATE TABLE erp.shipment_events (shipment_id uuid, carrier text, happened text, reported_by uuid REFERENCES auth.users ON DELETE CASCADE,
    FOREIGN KEY (shipment_id, carrier) REFERENCES erp.shipments);
CREATE TABLE erp.invoices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), order_id uuid, placed date, region text, approved_by uuid,
    cancels uuid REFERENCES erp.invoices,
    CONSTRAINT approver FOREIGN KEY (approved_by) REFERENCES erp.employees (user_id) ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (order_id, placed, region) REFERENCES erp.orders);
CREATE TABLE erp.payments (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, invoice_id uuid REFERENCES erp.invoices,
    paid_by uuid REFERENCES auth.users, amount numeric,
    CHECK (paid_by <> '0e4a0a4c-96e1-11f0-8000-0242ac120002')); -- the test account, a key of version 1
CREATE TABLE erp.time_entries (id bigint GENERATED ALWAYS AS IDENTITY, user_id uuid NOT NULL REFERENCES auth.users, month date, hours int,
    approved_by uuid REFERENCES erp.employees (user_id),
    who text GENERATED ALWAYS AS ('user:' || user_id::text) STORED) PARTITION BY RANGE (month);
CREATE TABLE erp.time_entries_old PARTITION OF erp.time_entries FOR VALUES FROM (MINVALUE) TO ('2025-07-01');
CREATE TABLE erp.time_entries_new PARTITION OF erp.time_entries FOR VALUES FROM ('2025-07-01') TO (MAXVALUE);
CREATE INDEX ON erp.time_entries (user_id, month);
CREATE INDEX ON erp.time_entries (left(user_id::text, 8), month) WHERE approved_by IS NOT NULL;

-- --- erp: documents and projects ---

CREATE TABLE erp.documents (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    owner_id uuid NOT NULL DEFAULT erp.current_user_id() REFERENCES auth.users ON DELETE CASCADE, title text, secret boolean DEFAULT false);
CREATE TABLE erp.document_shares (document_id uuid REFERENCES erp.documents ON DELETE CASCADE,
    user_id uuid REFERENCES auth.users ON DELETE CASCADE, PRIMARY KEY (document_id, user_id));
CREATE TABLE erp.projects (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    company_id uuid REFERENCES erp.companies ON DELETE CASCADE, lead_id uuid REFERENCES auth.users ON DELETE SET NULL, name text);
CREATE TABLE erp.tasks (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id int REFERENCES erp.projects,
    creator_id uuid NOT NULL REFERENCES auth.users,
    assignee_id uuid REFERENCES auth.users ON DELETE SET NULL,
    watchers uuid[], -- keys
    title text,
    due date,
    updated_at timestamptz
);
CREATE INDEX tasks_assigned_idx ON erp.tasks (due) WHERE assignee_id IS NOT NULL AND assignee_id <> creator_id;
CREATE TABLE erp.task_comments (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task_id int REFERENCES erp.tasks,
    author_id uuid REFERENCES auth.users, body text);
CREATE TABLE erp.notifications (user_id uuid, body text);
CREATE TABLE erp.badges (user_id uuid REFERENCES auth.users ON DELETE CASCADE, badge text, given_by uuid);
CREATE TABLE erp.webhooks (url text, body jsonb); -- have keys
CREATE TABLE erp.legacy_links (old_key uuid DEFAULT public.uuid_generate_v1(), target text); -- keys of version 1, from elsewhere
\if :is_15
ALTER TABLE erp.badges ADD CONSTRAINT one_badge UNIQUE NULLS NOT DISTINCT (user_id, badge);
CREATE UNIQUE INDEX badges_given_idx ON erp.badges (badge, given_by) NULLS NOT DISTINCT WHERE given_by IS NULL;
ALTER TABLE erp.badges ADD CONSTRAINT giver FOREIGN KEY (given_by) REFERENCES auth.users ON DELETE SET NULL (given_by);
\else
ALTER TABLE erp.badges ADD CONSTRAINT giver FOREIGN KEY (given_by) REFERENCES auth.users ON DELETE SET NULL;
\endif

\if :is_18
ALTER TABLE erp.projects ADD COLUMN who text GENERATED ALWAYS AS ('user:' || lead_id::text) VIRTUAL;
COMMENT ON COLUMN erp.projects.who IS 'is not stored';
CREATE VIEW erp.who_leads AS SELECT name, who, lead_id FROM erp.projects;
ALTER TABLE erp.sites RENAME CONSTRAINT sites_company_id_not_null TO "of a company";
COMMENT ON CONSTRAINT "of a company" ON erp.sites IS 'always';
ALTER TABLE erp.projects ADD CONSTRAINT "led; by somebody" CHECK (lead_id IS NOT NULL) NOT ENFORCED;
ALTER TABLE erp.documents ADD CONSTRAINT "owned; by an employee" FOREIGN KEY (owner_id) REFERENCES erp.employees (user_id) NOT ENFORCED;
\endif

-- --- Data ---

INSERT INTO auth.instances (name) VALUES ('main');
INSERT INTO auth.users (instance_id, email, name, confirmed, metadata, updated_at)
    SELECT (SELECT id FROM auth.instances), 'user' || n || '@example.com', 'User ' || n, n % 10 <> 0, '{"plan": "free"}', '2025-01-01'
        FROM generate_series(1, 300) AS n;
CREATE TEMP TABLE u AS SELECT id, substring(email FROM '[0-9]+')::int AS n FROM auth.users;
UPDATE auth.users SET invited_by = b.id FROM u AS a JOIN u AS b ON b.n = a.n / 2 WHERE a.id = users.id AND a.n % 3 = 0;
INSERT INTO auth.profiles SELECT id, '+49 30 ' || n FROM u;
INSERT INTO auth.identities (user_id, provider, identity_data) SELECT id, CASE n % 2 WHEN 0 THEN 'email' ELSE 'github' END,
    jsonb_build_object('sub', id) FROM u;
INSERT INTO auth.mfa_factors (user_id, name) SELECT id, 'phone ' || n % 7 FROM u WHERE n % 2 = 0;
INSERT INTO auth.sessions (user_id, factor_id, not_after)
    SELECT u.id, f.id, '2026-01-01'::timestamptz + u.n * interval '1 hour' FROM u
        LEFT JOIN auth.mfa_factors AS f ON f.user_id = u.id, generate_series(1, 2);
INSERT INTO auth.refresh_tokens (token, user_id, session_id) SELECT md5(s.id::text), s.user_id, s.id FROM auth.sessions AS s;
INSERT INTO auth.mfa_challenges (factor_id) SELECT id FROM auth.mfa_factors;
INSERT INTO auth.mfa_amr_claims (session_id, method) SELECT id, 'totp' FROM auth.sessions WHERE factor_id IS NOT NULL;
INSERT INTO auth.sso_providers (resource) SELECT 'saml ' || n FROM generate_series(1, 200) AS n;
INSERT INTO auth.sso_domains (sso_provider_id, domain) SELECT id, resource || '.example.com' FROM auth.sso_providers;
INSERT INTO auth.flow_state (user_id, code) SELECT CASE WHEN n % 5 > 0 THEN id END, 'code ' || n FROM u;
INSERT INTO auth.one_time_tokens (user_id, kind, used) SELECT id, 'recovery', k > 1 FROM u, generate_series(1, 2) AS k;
INSERT INTO auth.audit_log_entries (payload) SELECT jsonb_build_object('action', 'login', 'actor_id', id) FROM u;

INSERT INTO erp.countries VALUES ('AT', 'Austria'), ('DE', 'Germany'), ('CH', 'Switzerland');
INSERT INTO erp.settings VALUES ('currency', 'EUR');
INSERT INTO erp.companies (name, country, owner_id) SELECT 'Company ' || n, (ARRAY['AT', 'DE', 'CH'])[n % 3 + 1], id FROM u WHERE n <= 200;
INSERT INTO erp.sites (company_id, name) SELECT id, name || ', site ' || k FROM erp.companies, generate_series(1, 2) AS k;
UPDATE erp.companies SET headquarters_id = s.id FROM erp.sites AS s
    WHERE s.company_id = companies.id AND s.name LIKE '%site 1' AND companies.n % 4 > 0;
INSERT INTO erp.departments (company_id, name) SELECT id, 'Sales' FROM erp.companies;
INSERT INTO erp.departments (company_id, parent_id, name) SELECT company_id, id, 'Export' FROM erp.departments;
INSERT INTO erp.employees (user_id, company_id, department_id, salary)
    SELECT u.id, d.company_id, d.id, 3000 + u.n FROM u LEFT JOIN
        (SELECT row_number() OVER (ORDER BY name, id) AS n, * FROM erp.departments) AS d ON d.n = u.n AND u.n % 9 > 0;
UPDATE erp.employees SET manager_id = b.id FROM u AS a JOIN u AS b ON b.n = a.n / 3 WHERE a.id = employees.user_id;
INSERT INTO erp.customers (name, company_id, the_employee_who_last_confirmed_the_address_of_this_customer)
    SELECT 'Customer ' || u.n, c.id, u.id FROM u LEFT JOIN erp.companies AS c USING (n);
INSERT INTO erp.addresses (customer_id, country, line) SELECT id, 'DE', name || ' street' FROM erp.customers;
INSERT INTO erp."Contact; Persons" SELECT a.id, b.id FROM u AS a LEFT JOIN u AS b ON b.n = a.n - 1;
INSERT INTO erp.categories SELECT n, 'Category ' || n FROM generate_series(1, 20) AS n;
INSERT INTO erp.products (sku) SELECT 'SKU-' || n FROM generate_series(1, 250) AS n;
UPDATE erp.products SET replaces = (SELECT id FROM erp.products WHERE sku = 'SKU-1') WHERE sku LIKE 'SKU-2%';
INSERT INTO erp.product_categories SELECT id, substr(sku, 5)::int % 20 + 1 FROM erp.products;
INSERT INTO erp.price_lists VALUES (1, 'retail'), (2, 'wholesale');
INSERT INTO erp.prices SELECT p.id, l.id, substr(sku, 5)::int / l.id FROM erp.products AS p, erp.price_lists AS l;
INSERT INTO erp.price_changes SELECT product_id, price_list_id, '2025-02-03', (SELECT id FROM u WHERE n = 7) FROM erp.prices;
INSERT INTO erp.stock SELECT s.id, p.id, 10 FROM (SELECT *, row_number() OVER (ORDER BY name) AS n FROM erp.sites) AS s
    JOIN erp.products AS p ON substr(sku, 5)::int % 199 = s.n % 199;
INSERT INTO erp.stock_moves (site_id, product_id, pieces) SELECT site_id, product_id, k FROM erp.stock, generate_series(-1, 1, 2) AS k;
INSERT INTO erp.stock_moves (pieces) VALUES (0);
CREATE TEMP TABLE by_util_linux (id uuid);
\copy by_util_linux FROM PROGRAM 'for n in $(seq 100); do uuidgen --time; done'
INSERT INTO erp.products (id, sku) SELECT id, 'util-linux ' || row_number() OVER () FROM by_util_linux;
INSERT INTO erp.product_categories SELECT id, 1 FROM by_util_linux;
INSERT INTO erp.orders (placed, region, customer_id, taken_by)
    SELECT date '2024-01-02' + n::int * 3, (ARRAY['north', 'south', 'west'])[n % 3 + 1], c.id, u.id
    FROM u JOIN (SELECT id, row_number() OVER (ORDER BY name) AS n FROM erp.customers) AS c USING (n);
INSERT INTO erp.orders (placed, region, customer_id, replaces) SELECT placed, region, customer_id, id FROM erp.orders
    WHERE placed > '2025-06-01';
INSERT INTO erp.order_lines SELECT o.id, o.placed, o.region, l, p.id, l
    FROM (SELECT *, row_number() OVER (ORDER BY placed, replaces IS NULL) AS n FROM erp.orders) AS o, generate_series(1, 2) AS l,
    LATERAL (SELECT id FROM erp.products WHERE sku = 'SKU-' || (n + l) % 250 + 1) AS p;
INSERT INTO erp.shipments (carrier, order_id, placed, region, site_id)
    SELECT CASE WHEN n % 2 = 0 THEN 'post' ELSE 'rail' END, o.id, placed, region, (SELECT id FROM erp.sites ORDER BY name LIMIT 1)
    FROM (SELECT *, row_number() OVER (ORDER BY placed, replaces IS NULL) AS n FROM erp.orders) AS o;
INSERT INTO erp.shipment_events SELECT id, carrier, 'sent', (SELECT id FROM u WHERE n = 8) FROM erp.shipments;
INSERT INTO erp.invoices (order_id, placed, region, approved_by) SELECT id, placed, region, taken_by FROM erp.orders;
INSERT INTO erp.payments (invoice_id, paid_by, amount) SELECT id, approved_by, 12.5 FROM erp.invoices;
INSERT INTO erp.time_entries (user_id, month, hours, approved_by) SELECT id, m, n, CASE WHEN n % 2 = 0 THEN id END
    FROM u, unnest('{2025-05-01,2025-09-01}'::date[]) AS m;
INSERT INTO erp.documents (owner_id, title, secret) SELECT id, 'Document ' || n, n % 4 = 0 FROM u;
INSERT INTO erp.document_shares SELECT d.id, b.id FROM erp.documents AS d JOIN u AS a ON a.id = d.owner_id JOIN u AS b ON b.n = a.n + 1;
INSERT INTO erp.projects (company_id, lead_id, name) SELECT id, owner_id, 'Project ' || n FROM erp.companies;
INSERT INTO erp.tasks (project_id, creator_id, assignee_id, watchers, title, due, updated_at)
    SELECT p.id, a.id, b.id, ARRAY[a.id, b.id], 'Task ' || a.n, '2025-10-01', '2025-01-01' FROM u AS a LEFT JOIN u AS b ON b.n = a.n * 2
        LEFT JOIN erp.projects AS p ON p.lead_id = a.id;
INSERT INTO erp.task_comments (task_id, author_id, body) SELECT t.id, creator_id, 'by the creator' FROM erp.tasks AS t;
INSERT INTO erp.notifications SELECT id, 'welcome' FROM u;
INSERT INTO erp.notifications SELECT public.uuid_generate_v1(), 'of no user' FROM generate_series(1, 5);
INSERT INTO erp.badges SELECT id, 'badge ' || n, CASE WHEN n > 10 THEN (SELECT id FROM u WHERE n = 10) END FROM u;
INSERT INTO erp.badges VALUES (NULL, 'of nobody');
INSERT INTO erp.webhooks SELECT 'https://example.com/users/' || id, jsonb_build_object('users', jsonb_build_array(id)) FROM u;
INSERT INTO erp.legacy_links SELECT public.uuid_generate_v1(), 'page ' || n FROM generate_series(1, 100) AS n;
ALTER TABLE erp.notifications ADD CONSTRAINT "of user; never checked" FOREIGN KEY (user_id) REFERENCES auth.users ON DELETE CASCADE
    NOT VALID;
COMMENT ON CONSTRAINT "of user; never checked" ON erp.notifications IS 'there are older ones';
ALTER TABLE auth.users ADD CONSTRAINT has_profile FOREIGN KEY (id) REFERENCES auth.profiles DEFERRABLE INITIALLY DEFERRED;
UPDATE erp.employees SET manager_id = user_id FROM u WHERE id = user_id AND n = 300;
ALTER TABLE erp.employees ADD CONSTRAINT managed_by_another CHECK (manager_id <> user_id) NOT VALID;

-- --- Functions and procedures in standard SQL ---

CREATE FUNCTION auth.email_of(user_key uuid) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE COST 37
RETURN (SELECT email FROM auth.users WHERE id = user_key);
COMMENT ON FUNCTION auth.email_of(uuid) IS 'the address of a user''s account';
REVOKE ALL ON FUNCTION auth.email_of(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION auth.email_of(uuid) TO clerk;
CREATE FUNCTION auth.sessions_of(user_key uuid DEFAULT erp.current_user_id(), OUT session_id uuid, OUT user_id uuid, OUT inviter uuid)
    RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog ROWS 7
BEGIN ATOMIC
    SELECT s.id, s.user_id, u.invited_by FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id WHERE s.user_id = user_key;
END;
CREATE FUNCTION auth.label(auth.users) RETURNS text LANGUAGE sql STABLE
RETURN ($1).name || ' <' || ($1).id::text || '>';
CREATE FUNCTION auth.invited(auth.users) RETURNS SETOF auth.users LANGUAGE sql STABLE
AS 'SELECT * FROM auth.users WHERE invited_by = $1.id';
CREATE PROCEDURE erp.reassign(from_user uuid, to_user uuid) LANGUAGE sql
BEGIN ATOMIC
    UPDATE erp.tasks SET assignee_id = to_user WHERE assignee_id = from_user;
    INSERT INTO erp.notifications (user_id, body) SELECT to_user, title FROM erp.tasks WHERE tasks.assignee_id = to_user;
    DELETE FROM erp.badges WHERE user_id = from_user;
END;
COMMENT ON PROCEDURE erp.reassign(uuid, uuid) IS 'hands over somebody''s tasks';
GRANT EXECUTE ON PROCEDURE erp.reassign(uuid, uuid) TO clerk;
CREATE FUNCTION erp."orders; of $$"("the key" uuid) RETURNS TABLE ("the; order" uuid, placed date) LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT o.id, o.placed FROM erp.orders AS o JOIN auth.users AS u ON u.id = o.taken_by WHERE u.id = "the key";
END;

-- --- Views ---

CREATE VIEW auth.active_users (user_id, address, confirmed) WITH (security_barrier) AS
SELECT id, email, confirmed FROM auth.users WHERE confirmed AND id <> '00000000-0000-0000-0000-000000000000' WITH CASCADED CHECK OPTION;
ALTER VIEW auth.active_users ALTER confirmed SET DEFAULT true;
COMMENT ON VIEW auth.active_users IS 'who may sign in';
COMMENT ON COLUMN auth.active_users.user_id IS 'the key';
GRANT SELECT, INSERT ON auth.active_users TO clerk;
GRANT UPDATE (address) ON auth.active_users TO clerk;
CREATE VIEW auth.session_counts AS
SELECT u.id, u.email, u.name, count(s.id) AS sessions FROM auth.users AS u LEFT JOIN auth.sessions AS s ON s.user_id = u.id GROUP BY u.id;
CREATE VIEW erp.busy_users AS
SELECT c.id AS busy_id, c.sessions, auth.email_of(c.id) AS email, (SELECT count(*) FROM erp.tasks AS t WHERE t.assignee_id = c.id) AS tasks
FROM auth.session_counts AS c WHERE c.sessions > 1;
COMMENT ON VIEW erp.busy_users IS 'a view on a view';
CREATE VIEW auth.tokens AS SELECT subject, email FROM auth.users WHERE subject LIKE 'user:%';
GRANT SELECT ON auth.tokens TO clerk;
CREATE VIEW auth.user_directory AS
SELECT u.id, u.email, p.phone, p.user_id AS profile_of FROM auth.users AS u JOIN auth.profiles AS p ON p.user_id = u.id;
CREATE FUNCTION auth.write_user_directory() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            INSERT INTO auth.users (email) VALUES (new.email) RETURNING id INTO new.id;
            INSERT INTO auth.profiles (user_id, phone) VALUES (new.id, new.phone);
        WHEN 'UPDATE' THEN
            UPDATE auth.users SET email = new.email WHERE id = old.id;
            UPDATE auth.profiles SET phone = new.phone WHERE user_id = old.id;
        ELSE
            DELETE FROM auth.users WHERE id = old.id;
            RETURN old;
    END CASE;
    RETURN new;
END
$$;
CREATE TRIGGER write INSTEAD OF INSERT OR UPDATE OR DELETE ON auth.user_directory FOR EACH ROW EXECUTE FUNCTION auth.write_user_directory();
COMMENT ON TRIGGER write ON auth.user_directory IS 'to both tables';
GRANT ALL ON auth.user_directory TO clerk;
CREATE VIEW erp.invitations AS SELECT u.id AS invited, u.invited_by AS inviter, u.email FROM auth.users AS u WHERE u.invited_by IS NOT NULL;
CREATE RULE invite AS ON INSERT TO erp.invitations DO INSTEAD
    (INSERT INTO auth.profiles (user_id) VALUES (new.invited);
     INSERT INTO auth.users (id, email, invited_by) VALUES (new.invited, new.email, new.inviter) RETURNING id, invited_by, email);
CREATE RULE withdraw AS ON DELETE TO erp.invitations DO INSTEAD UPDATE auth.users SET invited_by = NULL WHERE id = old.invited;
COMMENT ON RULE invite ON erp.invitations IS 'invites';
CREATE RECURSIVE VIEW erp.org_chart (user_id, top_id, depth) AS
SELECT user_id, user_id, 0 FROM erp.employees WHERE manager_id IS NULL
UNION ALL SELECT e.user_id, o.top_id, depth + 1 FROM erp.employees AS e JOIN org_chart AS o ON o.user_id = e.manager_id;
CREATE VIEW erp.order_report AS
SELECT o.id AS order_id, o.placed, l.line, l.product_id, p.sku, o.taken_by, o.replaces IS NULL AS original, c.id AS company_id,
    c.headquarters_id
FROM erp.orders AS o JOIN erp.order_lines AS l ON (l.order_id, l.placed, l.region) = (o.id, o.placed, o.region)
JOIN erp.products AS p ON p.id = l.product_id JOIN erp.customers AS k ON k.id = o.customer_id
    LEFT JOIN erp.companies AS c ON c.id = k.company_id;
CREATE VIEW erp."Persons; $$" ("the ""key"";", U&"owner\000A$$") AS
SELECT * FROM (SELECT "Person; id", U&"owner's $$ key\000Aon a new line" FROM erp."Contact; Persons") AS p;
CREATE VIEW erp.north AS SELECT id, taken_by FROM erp.orders_2025_north;
CREATE VIEW erp.phones AS SELECT user_id, phone, salary, provider FROM erp.employees NATURAL JOIN auth.profiles
    LEFT JOIN auth.identities AS i USING (user_id);
CREATE VIEW erp.watched AS SELECT t.id, t.creator_id, w.n FROM erp.tasks AS t, unnest(t.watchers) WITH ORDINALITY AS w (key, n);
CREATE VIEW erp.everybody AS SELECT u.*, auth.label(u) FROM auth.users AS u;
\if :is_15
CREATE VIEW erp.my_documents WITH (security_invoker = true, security_barrier = true, check_option = local) AS
SELECT id, owner_id, title FROM erp.documents WHERE owner_id = erp.current_user_id();
\else
CREATE VIEW erp.my_documents WITH (security_barrier = true, check_option = local) AS
SELECT id, owner_id, title FROM erp.documents WHERE owner_id = erp.current_user_id();
\endif
ALTER VIEW erp.my_documents ALTER title SET DEFAULT 'untitled';
GRANT SELECT, INSERT, UPDATE, DELETE ON erp.my_documents TO clerk;

-- --- Materialized views ---

CREATE MATERIALIZED VIEW erp.order_totals WITH (fillfactor = 90) AS
SELECT o.id AS order_id, o.placed, o.region, o.taken_by, sum(l.pieces) AS pieces
FROM erp.orders AS o JOIN erp.order_lines AS l ON l.order_id = o.id GROUP BY o.id, o.placed, o.region, o.taken_by;
CREATE UNIQUE INDEX order_totals_idx ON erp.order_totals (order_id, placed, region);
CREATE INDEX order_totals_taken_idx ON erp.order_totals ((taken_by::text)) WHERE taken_by IS NOT NULL;
COMMENT ON MATERIALIZED VIEW erp.order_totals IS 'refreshed each night';
COMMENT ON COLUMN erp.order_totals.taken_by IS 'the clerk';
COMMENT ON INDEX erp.order_totals_idx IS 'to refresh it concurrently';
ALTER MATERIALIZED VIEW erp.order_totals ALTER taken_by SET STATISTICS 55;
ALTER MATERIALIZED VIEW erp.order_totals CLUSTER ON order_totals_idx;
GRANT SELECT ON erp.order_totals TO reporting WITH GRANT OPTION;
GRANT SELECT (order_id, pieces) ON erp.order_totals TO clerk;
-- The owner of the tables owns what reads them, too.
CREATE VIEW erp.pieces_by_clerk AS SELECT taken_by, sum(pieces) AS pieces FROM erp.order_totals GROUP BY taken_by;
CREATE MATERIALIZED VIEW erp.regions AS SELECT region, taken_by, count(*) AS orders FROM erp.orders GROUP BY region, taken_by;
CREATE INDEX regions_idx ON erp.regions (taken_by);
SET ROLE erp_owner;
CREATE VIEW erp.large_orders AS SELECT order_id, taken_by FROM erp.order_totals WHERE pieces > 1;
COMMENT ON VIEW erp.large_orders IS 'a view on a materialized view';
CREATE MATERIALIZED VIEW erp.best_clerks AS SELECT taken_by AS clerk_id, count(*) AS orders FROM erp.order_totals WHERE taken_by IS NOT NULL
    GROUP BY taken_by;
CREATE UNIQUE INDEX best_clerks_idx ON erp.best_clerks (clerk_id);
COMMENT ON MATERIALIZED VIEW erp.best_clerks IS 'a materialized view of a materialized view';
CREATE MATERIALIZED VIEW erp.chart AS SELECT user_id, top_id, depth FROM erp.org_chart;
CREATE UNIQUE INDEX chart_idx ON erp.chart (user_id);
COMMENT ON MATERIALIZED VIEW erp.chart IS 'a materialized view of a view';
CREATE MATERIALIZED VIEW erp.directory AS SELECT u.id, u.name, u.email, count(s.id) AS sessions FROM auth.users AS u
    JOIN auth.sessions AS s ON s.user_id = u.id GROUP BY u.id;
COMMENT ON MATERIALIZED VIEW erp.directory IS 'depends on the primary key';
CREATE MATERIALIZED VIEW erp.stock_of_sites AS SELECT s.site_id, s.product_id, s.pieces FROM erp.stock AS s WITH NO DATA;
CREATE INDEX stock_of_sites_idx ON erp.stock_of_sites (product_id);

-- --- Rules, triggers and policies ---

CREATE RULE notify AS ON INSERT TO erp.task_comments WHERE new.author_id IS NOT NULL
    DO ALSO INSERT INTO erp.notifications (user_id, body) VALUES (new.author_id, new.body);
COMMENT ON RULE notify ON erp.task_comments IS 'to the author';
CREATE RULE forget AS ON DELETE TO erp.tasks WHERE old.assignee_id <> old.creator_id DO ALSO DELETE FROM erp.badges
    WHERE user_id = old.assignee_id;
ALTER TABLE erp.tasks DISABLE RULE forget;
CREATE RULE handed_over AS ON UPDATE TO erp.documents WHERE new.owner_id <> old.owner_id
    DO ALSO INSERT INTO auth.key_changes (what, old_key, new_key) VALUES ('document', old.owner_id, new.owner_id);

CREATE TRIGGER touch BEFORE UPDATE ON auth.users FOR EACH ROW EXECUTE FUNCTION auth.touch();
CREATE TRIGGER touch BEFORE UPDATE ON erp.tasks FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION auth.touch();
CREATE TRIGGER key_changed AFTER UPDATE OF id, invited_by ON auth.users FOR EACH ROW WHEN (old.id <> new.id OR old.invited_by IS DISTINCT
    FROM new.invited_by) EXECUTE FUNCTION auth.log_key('invited_by');
COMMENT ON TRIGGER key_changed ON auth.users IS 'keeps a log';
CREATE CONSTRAINT TRIGGER invited AFTER INSERT ON auth.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.invited_by IS NOT NULL)
    EXECUTE FUNCTION auth.log_key('id');
CREATE TRIGGER assigned AFTER UPDATE OF assignee_id ON erp.tasks FOR EACH ROW EXECUTE FUNCTION auth.log_key('assignee_id');
ALTER TABLE erp.tasks DISABLE TRIGGER assigned;
CREATE TRIGGER shared AFTER INSERT OR DELETE ON erp.document_shares FOR EACH ROW EXECUTE FUNCTION auth.log_key('user_id');
CREATE TRIGGER share_changed AFTER UPDATE OF user_id ON erp.document_shares FOR EACH ROW WHEN (new.user_id IS NOT NULL)
    EXECUTE FUNCTION auth.log_key('user_id');
ALTER TABLE erp.document_shares ENABLE REPLICA TRIGGER share_changed;
COMMENT ON TRIGGER share_changed ON erp.document_shares IS 'on a replica';
CREATE TRIGGER "order; taken $$" AFTER INSERT OR UPDATE OF taken_by ON erp.orders FOR EACH ROW WHEN (new.taken_by IS NOT NULL)
    EXECUTE FUNCTION auth.log_key('taken_by');
ALTER TABLE erp.orders_2024 DISABLE TRIGGER "order; taken $$";
CREATE TRIGGER person_changed AFTER UPDATE OF "Person; id", U&"owner's $$ key\000Aon a new line" ON erp."Contact; Persons" FOR EACH ROW
    EXECUTE FUNCTION auth.log_key('Person; id');
ALTER TABLE erp."Contact; Persons" ENABLE ALWAYS TRIGGER person_changed;
CREATE TRIGGER stock_emptied AFTER DELETE ON erp.stock REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION auth.touch();
ALTER TABLE erp.stock DISABLE TRIGGER stock_emptied;

ALTER TABLE auth.users ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON auth.users FOR SELECT TO clerk USING (id = erp.current_user_id() OR invited_by = erp.current_user_id());
CREATE POLICY rename ON auth.users FOR UPDATE TO clerk USING (id = erp.current_user_id())
    WITH CHECK (id = erp.current_user_id() AND confirmed);
COMMENT ON POLICY own ON auth.users IS 'himself and whom he has invited';
ALTER TABLE erp.documents ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON erp.documents, erp.document_shares TO clerk;
CREATE POLICY own ON erp.documents TO clerk USING (owner_id = erp.current_user_id());
CREATE POLICY shared ON erp.documents FOR SELECT TO clerk
    USING (id IN (SELECT s.document_id FROM erp.document_shares AS s WHERE s.user_id = erp.current_user_id()));
CREATE POLICY new ON erp.documents FOR INSERT TO PUBLIC WITH CHECK (owner_id = erp.current_user_id() AND owner_id IS NOT NULL);
CREATE POLICY open ON erp.documents AS RESTRICTIVE TO clerk USING (NOT secret OR owner_id <> erp.current_user_id());
ALTER TABLE erp.document_shares ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON erp.document_shares FOR SELECT TO clerk USING (user_id = erp.current_user_id());
ALTER TABLE erp.settings ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON erp.settings TO clerk;
CREATE POLICY confirmed ON erp.settings TO clerk USING (EXISTS (SELECT FROM auth.users AS u
    WHERE u.id = erp.current_user_id() AND u.confirmed));
ALTER TABLE erp."Contact; Persons" ENABLE ROW LEVEL SECURITY;
CREATE POLICY U&"only; $$\000Amine" ON erp."Contact; Persons" TO clerk, reporting USING ("Person; id" = erp.current_user_id())
    WITH CHECK (U&"owner's $$ key\000Aon a new line" <> "Person; id");

ALTER DEFAULT PRIVILEGES IN SCHEMA erp GRANT SELECT ON TABLES TO clerk; -- to what is made from now on
RESET ROLE;
SET client_min_messages = error; -- not a word of wal_level
CREATE PUBLICATION countries FOR TABLE erp.countries, erp.addresses;
ANALYZE;
