"""Runs the script of an online migration, in the way of docs/migrate/how-it-works.md that the argument names."""

import os
import sys

import django
import psycopg
from alembic import op
from alembic.migration import MigrationContext
from alembic.operations import Operations
from django.conf import settings
from django.db import connection as connection_of_django
from django.db import migrations
from django.db.migrations.state import ProjectState
from sqlalchemy import create_engine

script = os.environ["SCRIPT"]
engine = create_engine("postgresql://")


def run_by_psycopg():
    with psycopg.connect(autocommit=True) as connection:
        for (statement,) in connection.execute(script).fetchall():
            connection.execute(statement)


def run_by_sqlalchemy():
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for (statement,) in connection.exec_driver_sql(script).fetchall():
            connection.exec_driver_sql(statement)


def run_by_alembic():
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        with Operations.context(context), context.begin_transaction(_per_migration=True):
            with op.get_context().autocommit_block():
                for (statement,) in op.get_bind().exec_driver_sql(script).fetchall():
                    op.get_bind().exec_driver_sql(statement)


class Migration(migrations.Migration):
    atomic = False

    def run(apps, schema_editor):
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(script)
            for (statement,) in cursor.fetchall():
                cursor.execute(statement)

    operations = [migrations.RunPython(run)]


def run_by_django():
    settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
    django.setup()
    with connection_of_django.schema_editor(atomic=Migration.atomic) as editor:
        Migration("customers", "shop").apply(ProjectState(), editor)


{"psycopg": run_by_psycopg, "SQLAlchemy": run_by_sqlalchemy, "Alembic": run_by_alembic, "Django": run_by_django}[sys.argv[1]]()
