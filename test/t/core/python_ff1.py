"""FF1 as NIST SP 800-38G writes it down, numeral by numeral. Writes random UUIDs of versions 1, 4, 6
and 7 with random keys and tweaks: the version, the UUID, the key, the tweak and the mask, separated
by tabs."""

import random
import sys
from math import ceil, log2
from uuid import UUID

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def ciph(key, block):
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(block) + encryptor.finalize()


def prf(key, octets):
    """Algorithm 6."""
    block = bytes(16)
    for at in range(0, len(octets), 16):
        block = ciph(key, bytes(p ^ q for p, q in zip(block, octets[at : at + 16])))
    return block


def num(numerals, radix):
    """Algorithm 1."""
    number = 0
    for numeral in numerals:
        number = number * radix + numeral
    return number


def numerals_of(number, radix, m):
    """Algorithm 3."""
    return [number // radix ** (m - 1 - i) % radix for i in range(m)]


def encrypt(key, tweak, radix, x):
    """Algorithm 7."""
    n, t = len(x), len(tweak)
    u = n // 2
    v = n - u
    a, b_half = x[:u], x[u:]
    b = ceil(ceil(v * log2(radix)) / 8)
    d = 4 * ceil(b / 4) + 4
    p = bytes([1, 2, 1]) + radix.to_bytes(3, "big") + bytes([10, u % 256])
    p += n.to_bytes(4, "big") + t.to_bytes(4, "big")
    for i in range(10):
        q = tweak + bytes((-t - b - 1) % 16) + bytes([i]) + num(b_half, radix).to_bytes(b, "big")
        r = s = prf(key, p + q)
        for j in range(1, ceil(d / 16)):
            s += ciph(key, bytes(o ^ p for o, p in zip(r, j.to_bytes(16, "big"))))
        y = int.from_bytes(s[:d], "big")
        m = u if i % 2 == 0 else v
        a, b_half = b_half, numerals_of((num(a, radix) + y) % radix**m, radix, m)
    return a + b_half


def mask(uuid, key, tweak):
    bits = [uuid.int >> (127 - i) & 1 for i in range(128)]
    masked = iter(encrypt(key, tweak, 2, bits[:48] + bits[52:64] + bits[66:]))
    fixed = {48: 0, 49: 1, 50: 0, 51: 0, 64: 1, 65: 0}
    return UUID(int=num([fixed[i] if i in fixed else next(masked) for i in range(128)], 2))


def check_samples():
    """NIST's nine samples for FF1."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    key = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94")
    for size, tweak, radix, x, y in [
        (16, "", 10, "0123456789", "2433477484"),
        (16, "9876543210", 10, "0123456789", "6124200773"),
        (16, "7777pqrs777", 36, "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
        (24, "", 10, "0123456789", "2830668132"),
        (24, "9876543210", 10, "0123456789", "2496655549"),
        (24, "7777pqrs777", 36, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
        (32, "", 10, "0123456789", "6657667009"),
        (32, "9876543210", 10, "0123456789", "1001623463"),
        (32, "7777pqrs777", 36, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
    ]:
        encrypted = encrypt(key[:size], tweak.encode(), radix, [digits.index(c) for c in x])
        assert "".join(digits[numeral] for numeral in encrypted) == y


if __name__ == "__main__":
    check_samples()
    generator = random.Random(38)
    for _ in range(int(sys.argv[1])):
        version = generator.choice([1, 4, 6, 7])
        uuid = UUID(int=generator.getrandbits(128), version=version if version < 6 else 1)
        uuid = UUID(int=uuid.int & ~(0xF << 76) | version << 76)
        key = generator.randbytes(generator.choice([16, 32]))
        tweak = "x" * generator.randrange(40) + generator.choice(["", "orders", "é"])
        print(version, uuid, "\\\\x" + key.hex(), tweak, mask(uuid, key, tweak.encode()), sep="\t")
