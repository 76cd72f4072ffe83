"""Alembic and Django: what they find in a database, and write migrations from."""

import io
import os
import re
import warnings

import django
import psycopg
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
from django.conf import settings
from django.core.management import call_command
from sqlalchemy import CheckConstraint, Column, Computed, DateTime, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy import create_engine, text
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.exc import SAWarning

from checks import check

# Alembic 1.8 passes the foreign keys that it finds on with an option that SQLAlchemy 1.4 does not know.
warnings.simplefilter("ignore", SAWarning)
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
django.setup()
engine = create_engine("postgresql://")
connection = psycopg.connect(autocommit=True)
execute = connection.execute

metadata = MetaData()
# Active Record 6.1, which reads this database in schema_test.rb, needs the operator.
is_v7 = "uuid_is_v7(id) = true"
key = UUID(as_uuid=True)
Table(
    "orders", metadata,
    Column("id", key, primary_key=True, server_default=text("uuid_generate_v7()")),
    Column("old_id", key),
    CheckConstraint(is_v7, name="orders_id_check"),
    Index("orders_by_time", "old_id", postgresql_ops={"old_id": "uuid_time_ops"}))
Table("visitors", metadata, Column("id", key, primary_key=True), Column("name", Text))
Table(
    "visits", metadata,
    Column("id", Integer, primary_key=True),
    Column("visitor_id", key, ForeignKey("visitors.id")))


def alembic(model=metadata, **options):
    """The operations that autogenerate would write, without the definitions"""
    with engine.connect() as alembics:
        options = {"compare_type": True, "compare_server_default": True, **options}
        context = MigrationContext.configure(alembics, opts=options)
        return sorted(
            (operation, subject[-1].name if operation.endswith("column") else subject[0].name)
            for operation, *subject in compare_metadata(context, model))


def inspectdb():
    """The lines of the models that Django would write. An online migration changes the order of columns."""
    output = io.StringIO()
    call_command("inspectdb", stdout=output)
    return sorted(output.getvalue().splitlines())


execute("CREATE EXTENSION uuidx")

# --- A generated column: virtual, where the server has such ---
kind = "VIRTUAL" if connection.info.server_version >= 180000 else "STORED"
execute(f"CREATE TABLE events (id uuid PRIMARY KEY, time timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) {kind})")
events = Table("events", MetaData(), Column("id", key, primary_key=True))
check("Alembic drops a generated column that the model does not have", alembic(events.metadata), [("remove_column", "time")])
time = Computed("uuid_extract_timestamp(id)", persisted=kind == "STORED")
events.append_column(Column("time", DateTime(timezone=True), time))
check("    and leaves one that it has", alembic(events.metadata), [])
execute("DROP TABLE events")

# --- Models without one ---
with engine.connect() as empty:
    migration = render_python_code(produce_migrations(MigrationContext.configure(empty), metadata).upgrade_ops)
check("Alembic writes the default and the CHECK constraint",
      re.findall(r"sa\.text\('(.*?)'\)|CheckConstraint\('(.*?)'", migration),
      [("uuid_generate_v7()", ""), ("", is_v7)])
metadata.create_all(engine)
execute("INSERT INTO visitors SELECT uuid_v6_to_v1(uuid_generate_v6()) FROM generate_series(1, 10)")
execute("INSERT INTO visits SELECT row_number() OVER (), id FROM visitors")
models = inspectdb()
check("Django sees the tables", re.findall("db_table = '(.*)'", "\n".join(models)), ["orders", "visitors", "visits"])
check("Alembic finds no difference", alembic(), [])

# --- The other extensions ---
for extension in "uuidx_migrate", "uuidx_ossp", "uuidx_pg_uuidv7", "uuidx_pg18":
    execute(f"CREATE EXTENSION {extension}")
check("nor with all extensions, in any schema", alembic(include_schemas=True), [])
check("    and Django sees no other table", inspectdb(), models)

# --- An online migration ---
def run(mode, found):
    """Runs a script, and notes what Alembic finds after each of its phases."""
    call = f"uuidx_migrate.script('visitors', 'id', '{mode}', conversion => 'v1_to_v6')"
    for phase, statement in execute(f"SELECT phase, sql FROM {call} ORDER BY step").fetchall():
        execute(statement)
        found[phase] = alembic()


execute("SELECT * FROM uuidx_migrate.plan('visitors', 'id', conversion => 'v1_to_v6')")
check("nor after a plan", alembic(), [])
columns = [("remove_column", "id_shadow"), ("remove_column", "visitor_id_shadow")]
indexes = [("remove_fk", "visits_visitor_id_fkey_shadow"), ("remove_index", "visitors_pkey_shadow")]
found = {}
run("online", found)
run("finish", found)
check("It finds the shadow columns and their indexes in an online migration, until it is finished", found, {
    "check": [], "shadow": columns, "fill": columns, "validate": columns, "index": columns + indexes, "cutover": columns,
    "finish": []})
check("    and Django then sees the same tables", inspectdb(), models)
print("done")
