"""SQLAlchemy's ORM, with psycopg2 and with asyncpg."""

import asyncio
import re
from datetime import datetime, timedelta, timezone
from uuid import UUID, uuid4

import asyncpg
from psycopg2.extras import DateTimeTZRange
from sqlalchemy import Column, DateTime, Integer, MetaData, create_engine, func, inspect
from sqlalchemy import literal, select, text
from sqlalchemy.dialects.postgresql import TSTZRANGE
from sqlalchemy.dialects.postgresql import UUID as UUIDType
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, column_property, declarative_base

from checks import EXPECTED, PERIODS, UUIDS, at, check

Base = declarative_base()


class Event(Base):
    __tablename__ = "events"
    id = Column(UUIDType(as_uuid=True), primary_key=True, server_default=text("uuid_generate_v7()"))
    minute = Column(Integer)
    time = column_property(func.uuid_time(id, type_=DateTime(timezone=True)))


class Made(Base):
    __tablename__ = "made"
    id = Column(UUIDType(as_uuid=True), primary_key=True, server_default=text("uuid_generate_v7()"))
    n = Column(Integer)
    other = Column(UUIDType(as_uuid=True))
    time = column_property(func.uuid_time(id, type_=DateTime(timezone=True)))


def time_of(key):
    return datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=key.int >> 80)


def minutes(period):
    return select(Event.minute).where(func.uuid_v7_in(Event.id, period)).order_by(Event.id)


def work(driver, session, range_type):
    """Runs with either driver; asyncpg's by AsyncSession.run_sync."""
    check(f"{driver}: every row has its time",
          all(event.time == at(event.minute) for event in session.scalars(select(Event))), True)

    one = Made(n=0)
    session.add(one)
    session.flush()
    check(f"{driver}: the flush fetches the key", (type(one.id), one.id.version),
          (UUID, 7) if driver == "psycopg2" else (asyncpg.pgproto.pgproto.UUID, 7))
    check("    which is a UUID of Python's", isinstance(one.id, UUID), True)
    check("    and has the time", one.time, time_of(one.id))
    made = [Made(n=n, other=other) for n, other in enumerate(UUIDS, 1)]
    session.add_all(made)
    session.flush()
    keys = [row.id for row in [one] + made]
    check("    and those of many, which increase", keys, sorted(set(keys)))
    session.commit()
    session.expire_all()
    rows = session.execute(select(Made.id, Made.n, Made.other).order_by(Made.id)).all()
    check("    and are those of the rows", [tuple(row) for row in rows],
          list(zip(keys, range(len(keys)), [None] + UUIDS)))
    check("    by which rows are got", [session.get(Made, key).n for key in keys],
          list(range(len(keys))))
    session.add(Made(id=UUIDS[5], n=-1))
    session.flush()
    check("    and one that is given is kept", session.get(Made, UUIDS[5]).n, -1)
    session.rollback()

    of_bounds = [session.scalars(minutes(func.tstzrange(*bounds))).all() for bounds in PERIODS]
    check(f"{driver}: periods of two bounds", of_bounds, EXPECTED)
    ranges = [literal(range_type(*bounds), TSTZRANGE) for bounds in PERIODS]
    of_ranges = [session.scalars(minutes(period)).all() for period in ranges]
    check("    and as ranges", of_ranges, EXPECTED)
    check("    none of NULL", session.scalars(minutes(None)).all(), [])
    session.execute(text("DELETE FROM made"))
    session.commit()

    try:
        session.execute(select(func.uuid_v1_to_v6(uuid4())))
        check("an error", None, "22023")
    except DBAPIError as raised:
        check(f"{driver}: an error of uuidx", raised.orig.pgcode, "22023")
    session.rollback()


engine = create_engine("postgresql://")
Base.metadata.create_all(engine)
check("create_all writes the default", inspect(engine).get_columns("made")[0]["default"],
      "uuid_generate_v7()")
reflected = MetaData()
reflected.reflect(engine, only=["made"])
check("    which is reflected", str(reflected.tables["made"].c.id.server_default.arg),
      "uuid_generate_v7()")
with Session(engine) as session:
    work("psycopg2", session, DateTimeTZRange)
    statement = minutes(func.tstzrange(at(0), at(10))).compile(engine)
    plan = session.connection().exec_driver_sql(f"EXPLAIN {statement}", statement.params).scalars()
    uuid = "'[-0-9a-f]+'::uuid"
    condition = re.compile(rf"Index Cond: \(\(id >= {uuid}\) AND \(id <= {uuid}\)\)$")
    check("    which the index serves", len([line for line in plan if condition.search(line)]), 1)


async def with_asyncpg():
    async_engine = create_async_engine("postgresql+asyncpg://")
    async with AsyncSession(async_engine) as session:
        await session.run_sync(lambda session: work("asyncpg", session, asyncpg.Range))
        one = Made()
        session.add(one)
        await session.flush()
        check("asyncpg: the flush loads the key alone", inspect(one).unloaded, {"n", "other", "time"})
        await session.refresh(one)
        check("    and refresh the rest", one.time, time_of(one.id))
    await async_engine.dispose()


asyncio.run(with_asyncpg())
print("done")
