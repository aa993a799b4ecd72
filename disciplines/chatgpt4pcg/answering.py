"""The answering program of the demo, which stands in for a language model.

It reads a prompt and writes a response. If the prompt has a plan for the letter, the program
follows the plan; otherwise it builds its own idea of the letter, and how well it answers depends on
what the prompt asks for. The same seed gives the same response. It imports nothing from this
project, so that it starts fast.

    python answering.py SEED < PROMPT
"""

from __future__ import annotations

import random
import re
import sys

#: Its own idea of a letter, like a plan; some of them fall over.
IDEAS = {
    "H": ["b13-5 b13-9 b31-7 b13-5 b13-9", "b13-4 b13-6 b31-5 b13-4 b13-6"],
    "I": ["b13-5 b13-5 b13-5", "b11-5 b11-5 b11-5 b11-5 b11-5"],
    "L": ["b31-6 b13-5 b13-5", "b13-5 b13-5 b31-6"],
    "O": ["b31-5 b13-4 b13-6 b31-5", "b13-4 b13-8 b31-6"],
    "T": ["b13-5 b13-5 b31-5", "b11-5 b11-5 b11-5 b11-5 b31-4 b31-7"],
    "U": ["b31-5 b13-4 b13-6 b13-4 b13-6", "b13-4 b31-6 b13-8"],
}


def respond(prompt: str, seed: str) -> str:
    """The response to a prompt.

    Arguments:
        prompt: the text; the letter is in double quotes.
        seed: any text.
    """
    named = re.search(r'"([A-Z])"', prompt)
    letter = named[1] if named else "I"
    chance = random.Random(f"{seed} {letter} {len(prompt)}")
    function = "drop_block" if "drop_block" in prompt else "ab_drop"
    plan = re.search(rf"^{letter}: (.+)$", prompt, re.MULTILINE)
    blocks = (plan[1] if plan else chance.choice(IDEAS.get(letter, ["b13-5 b13-5 b31-5"]))).split()
    if not plan and "bottom" not in prompt and chance.random() < 0.7:
        chance.shuffle(blocks)
    if not plan and chance.random() < 0.15:
        blocks.append("b33-5")  # there is no such block
    calls = []
    for block in blocks:
        kind, _, column = block.partition("-")
        calls.append(f"{function}('{kind}', {column})")
    if "code block" not in prompt and chance.random() < 0.6:
        return f"Here is {letter}:\n\n" + "\n".join(calls) + "\n"
    return f"Here is {letter}:\n\n```python\n" + "\n".join(calls) + "\n```\n"


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(respond(sys.stdin.read(), sys.argv[1]))
