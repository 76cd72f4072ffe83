"""Runs the blocks of Python on its input one after the other, as `python3 -m asyncio` does: with
`await` at the top. A line of the argument's text separates blocks, and what they print."""

import ast
import asyncio
import inspect
import sys

separator = sys.argv[1] + "\n"
names = {"__name__": "__main__"}
loop = asyncio.new_event_loop()
for block in sys.stdin.read().split(separator)[:-1]:
    code = compile(block, "block", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)
    if inspect.isawaitable(result):
        loop.run_until_complete(result)
    print(separator, end="", flush=True)
loop.close()
