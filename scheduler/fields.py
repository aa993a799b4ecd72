"""Finite fields GF(p^k), small and without tables of ready-made polynomials.

An element is a number from 0 to p^k - 1 whose digits to the base p are the coefficients of a
polynomial over GF(p), the lowest first; sums go digit by digit, products are taken modulo a monic
irreducible polynomial of degree k. So 0 is zero, 1 is one and, for k > 1, p is the polynomial x.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product


def prime_power(order: int) -> tuple[int, int] | None:
    """The prime and the exponent of a prime power.

    Arguments:
        order: a positive number.

    Returns:
        ``(p, k)`` with ``order == p**k``, or None if there is no such pair (also for 1).
    """
    if order < 2:
        return None
    prime = next((d for d in range(2, int(order**0.5) + 1) if order % d == 0), order)
    exponent = 0
    while order % prime == 0:
        order //= prime
        exponent += 1
    return (prime, exponent) if order == 1 else None


@dataclass(frozen=True)
class Field:
    """The field of ``prime**exponent`` elements.

    Arguments:
        prime: the characteristic p.
        exponent: the degree k over GF(p).
    """

    prime: int
    exponent: int

    @property
    def order(self) -> int:
        """How many elements there are."""
        return int(self.prime**self.exponent)

    def add(self, a: int, b: int) -> int:
        """The sum of two elements."""
        if self.exponent == 1:
            return (a + b) % self.prime
        if self.prime == 2:
            return a ^ b
        return self._number(
            [(x + y) % self.prime for x, y in zip(*self._digits(a, b), strict=True)]
        )

    def multiply(self, a: int, b: int) -> int:
        """The product of two elements."""
        left, right = self._digits(a, b)
        result = [0] * (2 * self.exponent - 1)
        for i, x in enumerate(left):
            for j, y in enumerate(right):
                result[i + j] = (result[i + j] + x * y) % self.prime
        return self._number(_remainder(result, self.modulus, self.prime))

    @cached_property
    def modulus(self) -> tuple[int, ...]:
        """The first monic irreducible polynomial of the degree, coefficients lowest first."""
        if self.exponent == 1:
            return (0, 1)
        candidates = product(range(self.prime), repeat=self.exponent)
        return next(
            (*low, 1) for low in candidates if low[0] and _irreducible((*low, 1), self.prime)
        )

    def _digits(self, *numbers: int) -> list[list[int]]:
        return [
            [number // self.prime**place % self.prime for place in range(self.exponent)]
            for number in numbers
        ]

    def _number(self, digits: list[int]) -> int:
        return sum(digit * self.prime**place for place, digit in enumerate(digits))


def _remainder(polynomial: list[int], monic: tuple[int, ...], prime: int) -> list[int]:
    """What is left of a polynomial after division by a monic one, as many digits as its degree."""
    rest = list(polynomial)
    degree = len(monic) - 1
    for top in range(len(rest) - 1, degree - 1, -1):
        factor = rest[top]
        for place, coefficient in enumerate(monic):
            rest[top - degree + place] = (rest[top - degree + place] - factor * coefficient) % prime
    return rest[:degree]


def _irreducible(polynomial: tuple[int, ...], prime: int) -> bool:
    """Whether no monic polynomial of at most half the degree divides it (trial division)."""
    degree = len(polynomial) - 1
    return all(
        any(_remainder(list(polynomial), (*low, 1), prime))
        for size in range(1, degree // 2 + 1)
        for low in product(range(prime), repeat=size)
    )
