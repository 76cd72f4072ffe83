"""Writes random version 1 UUIDs as Python's uuid module understands them: tab-separated, the UUID,
its version 6 (by the hex digits, as the proposal of version 6 does it in Python), its time in
microseconds since 1970 rounded down, its clock sequence and its node."""

import random
import sys
import uuid

UNIX_EPOCH_IN_100NS = 0x01B21DD213814000

rng = random.Random(9562)
for _ in range(int(sys.argv[1])):
    one = uuid.UUID(int=rng.getrandbits(128), version=1)
    digits = one.hex
    six = digits[13:16] + digits[8:12] + digits[:5] + "6" + digits[5:8] + digits[16:]
    microseconds = (one.time - UNIX_EPOCH_IN_100NS) // 10
    node = ":".join(f"{octet:02x}" for octet in one.node.to_bytes(6, "big"))
    print(one, uuid.UUID(hex=six), microseconds, one.clock_seq, node, sep="\t")
