"""What the clients in Python have in common. Clients.pm counts the lines ok and not ok, and wants
a last one, done."""

from datetime import datetime, timedelta, timezone
from uuid import UUID, uuid4

# The Nil and the Max UUID, and others.
UUIDS = [UUID(int=0), UUID(int=2**128 - 1)] + [uuid4() for _ in range(20)]

# The table events has a row for each of these minutes from then on, at the time of its key.
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
MINUTES = 10 * 24 * 60
MILLISECOND = timedelta(milliseconds=1)


def at(minute):
    return START + timedelta(minutes=minute)


# The first five have plans of their own, and are large: then the generic plan is the cheaper one.
PERIODS = [(at(day * 1440), at(day * 1440 + 2880)) for day in range(5)] + [
    (at(100), at(200)),
    (at(100) + MILLISECOND, at(200) + MILLISECOND),
    (at(100) - MILLISECOND, at(200) - MILLISECOND),
    (at(100), at(100)),
    (at(100), at(100) + MILLISECOND),
    (at(-100), at(0)),
    (at(MINUTES - 1), at(MINUTES)),
    (None, at(100)),
    (at(MINUTES - 100), None),
    (None, None),
]


def minutes(since, until):
    """The minutes whose rows are of the period."""
    return [
        minute
        for minute in range(MINUTES)
        if (since is None or at(minute) >= since) and (until is None or at(minute) < until)
    ]


EXPECTED = [minutes(since, until) for since, until in PERIODS]


def check(what, got, expected):
    if got == expected:
        print(f"ok - {what}")
    else:
        print(f"not ok - {what}\n# got {got!r}\n# expected {expected!r}"[:2000])


def check_plan(what, plan, period):
    """The plan has no other condition than that of the index, and compares with this period."""
    wanted = f"((id >= uuid_v7_lower({period})) AND (id <= uuid_v7_upper({period})))"
    check(what, [line.split(": ")[1] for line in plan if "Cond:" in line][:1], [wanted])
