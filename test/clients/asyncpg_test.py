"""asyncpg, which speaks binary only: uuidx against its own text."""

import asyncio
import io
import os
import time
from datetime import timedelta, timezone
from uuid import uuid4

import asyncpg

from checks import EXPECTED, MINUTES, PERIODS, UUIDS, at, check, check_plan


async def error(call):
    try:
        await call
    except asyncpg.PostgresError as raised:
        return type(raised), raised.sqlstate


async def round_trip(connection):
    statement = "SELECT $1::uuid, uuid_decode($2, 'urn'), $1::text, uuid_encode($1, 'urn')"
    rows = [tuple(await connection.fetchrow(statement, u, u.urn)) for u in UUIDS]
    check("UUIDs there and back", rows, [(u, u, str(u), u.urn) for u in UUIDS])
    rows = await connection.fetch("""SELECT id, uuid_time(id) AS time, id::text AS id_text,
        uuid_time(id)::text AS time_text, uuid_version(id), (uuid_inspect(id)).version
        FROM events ORDER BY events.id""")
    times = [at(minute) for minute in range(MINUTES)]
    check("all rows have their times", [row["time"] for row in rows], times)
    check("    and are as in text",
          [(str(row["id"]), f"{row['time']:%Y-%m-%d %H:%M:%S}+00") for row in rows],
          [(row["id_text"], row["time_text"]) for row in rows])
    check("    of version 7", {tuple(row)[4:] for row in rows}, {(7, 7)})
    check("Python has the server's order", sorted(rows, key=lambda row: row["id"]), rows)


async def made_keys(connection):
    await connection.execute("""CREATE TEMP TABLE made
        (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), minute int)""")
    insert = "INSERT INTO made (minute) VALUES ($1) RETURNING id"
    keys = [await connection.fetchval(insert, n) for n in range(20)]
    check("keys of INSERT ... RETURNING increase", keys, sorted(set(keys)))
    check("    and are of version 7", {key.version for key in keys}, {7})
    check("    and those of the rows",
          [tuple(row) for row in await connection.fetch("SELECT * FROM made ORDER BY id")],
          [(key, n) for n, key in enumerate(keys)])


async def copy(connection):
    file = io.BytesIO()
    await connection.copy_from_query("SELECT * FROM events", output=file, format="binary")
    await connection.execute("CREATE TEMP TABLE copied (LIKE events)")
    file.seek(0)
    done = await connection.copy_to_table("copied", source=file, format="binary")
    check("COPY out and in", done, f"COPY {MINUTES}")
    check("    gives the same rows", await connection.fetch("TABLE events EXCEPT TABLE copied"), [])
    await connection.execute("TRUNCATE copied")
    records = [tuple(row) for row in await connection.fetch("TABLE events")]
    done = await connection.copy_records_to_table("copied", records=records)
    check("COPY of records in", done, f"COPY {MINUTES}")
    check("    gives the same rows", await connection.fetch("TABLE events EXCEPT TABLE copied"), [])


async def periods(connection):
    ends = "SELECT minute FROM events WHERE uuid_v7_in(id, tstzrange($1, $2)) ORDER BY id"
    span = "SELECT minute FROM events WHERE uuid_v7_in(id, $1) ORDER BY id"
    for statement, parameters, period in (
        (ends, PERIODS, "tstzrange($1, $2)"),
        (span, [[asyncpg.Range(*bounds)] for bounds in PERIODS], "$1"),
    ):
        prepared = await connection.prepare(statement)
        rows = [[row["minute"] for row in await prepared.fetch(*p)] for p in parameters]
        check(f"periods as {period}", rows, EXPECTED)
        plans = "SELECT name FROM pg_prepared_statements WHERE statement = $1 AND generic_plans > 0"
        name = await connection.fetchval(plans, statement)
        check("    by a generic plan", name, prepared.get_name())
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        nulls = ", ".join("NULL" for _ in prepared.get_parameters())
        plan = await connection.fetch(f"EXPLAIN EXECUTE {name}({nulls})")
        await connection.execute("RESET plan_cache_mode")
        check_plan("    of the index", [line for (line,) in plan], period)

    check("a NULL period", await connection.fetch(span, None), [])
    check("bounds that are NULL", len(await connection.fetch(ends, None, None)), MINUTES)
    check("the time of NULL", await connection.fetchval("SELECT uuid_time($1)", None), None)


async def what_to_mind(connection):
    check("an error of uuidx", await error(connection.fetch("SELECT uuid_v1_to_v6($1)", uuid4())),
          (asyncpg.InvalidParameterValueError, "22023"))
    count = "SELECT count(*) FROM events WHERE uuid_v7_in(id, {})"
    check("a tuple has its upper bound",
          await connection.fetchval(count.format("$1"), (at(10), at(20))), 11)
    text = "[2026-01-01 00:00+00, 2026-01-01 00:03+00)"
    check("a period as text is none", await error(connection.fetch(count.format("$1"), text)),
          (asyncpg.DataError, "22000"))
    with_cast = count.format("$1::text::tstzrange")
    check("    but with the cast", await connection.fetchval(with_cast, text), 3)
    for function in "uuid_v7_from", "uuid_v7_after", "uuid_v6_from", "uuid_v6_after", "uuid_time_from":
        check(f"{function} takes a datetime without a cast",
              await connection.fetchval(f"SELECT {function}($1)", at(0)),
              await connection.fetchval(f"SELECT {function}('2026-01-01 00:00+00')"))
    check("uuid_time(id) is compared with a datetime without a cast",
          await connection.fetchval("SELECT count(*) FROM events WHERE uuid_time(id) < $1", at(2)), 2)
    key = await connection.fetchval("SELECT id FROM events WHERE minute = 7")
    check("a UUID as text", await connection.fetchval("SELECT uuid_time($1)", str(key)), at(7))
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    local = at(0).astimezone(timezone(timedelta(hours=9))).replace(tzinfo=None)
    check("moments without a zone are of the client's", await connection.fetchval(
        count.format("tstzrange($1, $2)"), local, local + timedelta(minutes=2)), 2)


async def main():
    connection = await asyncpg.connect()
    for checks in round_trip, made_keys, copy, periods, what_to_mind:
        await checks(connection)


asyncio.run(main())
print("done")
