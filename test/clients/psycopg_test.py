"""psycopg 3: uuidx in text and in binary."""

from datetime import datetime
from uuid import uuid4

import psycopg
from psycopg.types.range import Range

from checks import EXPECTED, MINUTES, PERIODS, UUIDS, at, check, check_plan

connection = psycopg.connect(autocommit=True)
execute = connection.execute
formats = (("text", "%t", False), ("binary", "%b", True))


def error(statement, *parameters):
    try:
        execute(statement, parameters)
    except psycopg.Error as raised:
        return type(raised), raised.sqlstate


# --- Text and binary ---
for sent, placeholder, _ in formats:
    for received, _, binary in formats:
        statement = f"SELECT {placeholder}::uuid, uuid_decode(uuid_encode({placeholder}::uuid, 'urn'), 'urn')"
        cursor = connection.cursor(binary=binary)
        rows = [cursor.execute(statement, [value, value]).fetchone() for value in UUIDS]
        check(f"UUIDs sent in {sent}, received in {received}", rows, [(u, u) for u in UUIDS])
        check("    that is their format", cursor.pgresult.fformat(0), int(binary))

statement = """SELECT id, uuid_time(id), uuid_version(id), uuid_v7_time_us(id),
    uuid_encode(id, 'ulid'), uuid_v7_from(uuid_time(id)), (uuid_inspect(id)).* FROM events ORDER BY id"""
of_text, of_binary = (execute(statement, binary=binary).fetchall() for binary in (False, True))
check("all rows", len(of_text), MINUTES)
check("    are the same in text and binary", of_text == of_binary, True)
check("    and have their times", [row[1] for row in of_text], [at(n) for n in range(MINUTES)])
check("Python has the server's order", sorted(of_text), of_text)

# --- Keys that the server makes ---
execute("CREATE TEMP TABLE made (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), minute int)")
insert = "INSERT INTO made (minute) VALUES (%s) RETURNING id"
keys = [execute(insert, [n], binary=n % 2).fetchone()[0] for n in range(20)]
check("keys of INSERT ... RETURNING increase", keys, sorted(set(keys)))
check("    and are of version 7", {key.version for key in keys}, {7})
check("    and those of the rows", execute("SELECT * FROM made ORDER BY id").fetchall(),
      [(key, n) for n, key in enumerate(keys)])

# --- COPY in binary ---
with connection.cursor() as cursor:
    with cursor.copy("COPY (SELECT * FROM events ORDER BY id) TO STDOUT (FORMAT BINARY)") as copy:
        copy.set_types(["uuid", "int4"])
        copied = list(copy.rows())
    check("COPY out", copied, execute("SELECT * FROM events ORDER BY id").fetchall())
    execute("CREATE TEMP TABLE copied (LIKE events)")
    with cursor.copy("COPY copied FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["uuid", "int4"])
        for row in copied:
            copy.write_row(row)
check("    and in gives the same rows",
      execute("TABLE copied EXCEPT TABLE events").fetchall()
      + execute("SELECT count(*) FROM copied").fetchall(), [(MINUTES,)])

# --- A prepared statement ---
ends = "SELECT minute FROM events WHERE uuid_v7_in(id, tstzrange(%s, %s)) ORDER BY id"
span = "SELECT minute FROM events WHERE uuid_v7_in(id, %s) ORDER BY id"
periods = [[Range(since, until)] for since, until in PERIODS]
for what, statement, parameters, period in (
    ("two bounds", ends, PERIODS, "tstzrange($1, $2)"),
    ("two bounds in binary", ends.replace("%s", "%b"), PERIODS, "tstzrange($1, $2)"),
    ("a range", span, periods, "$1"),
    ("a range in binary", span.replace("%s", "%b"), periods, "$1"),
):
    with psycopg.connect(autocommit=True) as other:
        rows = [[n for (n,) in other.execute(statement, p, prepare=True)] for p in parameters]
        check(f"periods as {what}", rows, EXPECTED)
        (name, types, plans) = other.execute("""SELECT name, parameter_types::text[], generic_plans
            FROM pg_prepared_statements ORDER BY generic_plans DESC LIMIT 1""").fetchone()
        check("    by a generic plan", plans > 0, True)
        other.execute("SET plan_cache_mode = force_generic_plan")
        plan = other.execute(f"EXPLAIN EXECUTE {name}({', '.join('NULL' for _ in types)})")
        check_plan("    of the index", [line for (line,) in plan], period)

# --- NULL ---
for statement, parameters, count in (
    (span, [None], 0),
    (ends, [None, None], MINUTES),
    ("SELECT 1 FROM events WHERE uuid_v7_in(%s, tstzrange(NULL, NULL))", [None], 0),
):
    check(f"NULL in {statement}", execute(statement, parameters).rowcount, count)
check("the time of NULL", execute("SELECT uuid_time(%s)", [None]).fetchone(), (None,))

# --- Errors ---
wrong = psycopg.errors.InvalidParameterValue, "22023"
check("an error of uuidx", error("SELECT uuid_v1_to_v6(%s)", uuid4()), wrong)
check("    in binary", error("SELECT uuid_v1_to_v6(%b)", uuid4()), wrong)
check("a moment that version 7 cannot hold is an error",
      error("SELECT uuid_generate_v7_at(%s)", datetime(1969, 12, 31)),
      (psycopg.errors.DatetimeFieldOverflow, "22008"))

# --- What to mind ---
naive = [moment.replace(tzinfo=None) for moment in PERIODS[0]]
check("a Range of moments without a zone", error(span, Range(*naive)),
      (psycopg.errors.UndefinedFunction, "42883"))
check("a period as text",
      execute(span, ["[2026-01-01 00:00+00, 2026-01-01 00:03+00)"]).fetchall(), [(0,), (1,), (2,)])
check("a UUID as text", execute("SELECT uuid_time(%s)", [str(copied[7][0])]).fetchone(), (at(7),))
check("uuid_v7_from and uuid_v6_after take a datetime",
      execute("SELECT uuid_v7_from(%s), uuid_v6_after(%s)", [at(0), at(0)]).fetchone(),
      execute("SELECT uuid_v7_from('2026-01-01 00:00+00'), uuid_v6_after('2026-01-01 00:00+00')").fetchone())
check("uuid_time(id) is compared with a datetime",
      execute("SELECT minute FROM events WHERE uuid_time(id) < %s ORDER BY id", [at(2)]).fetchall(),
      [(0,), (1,)])
execute("SET TimeZone = 'Asia/Tokyo'")
check("moments without a zone are of the session's",
      execute(ends, [at(540).replace(tzinfo=None), at(542).replace(tzinfo=None)]).fetchall(),
      [(0,), (1,)])
print("done")
