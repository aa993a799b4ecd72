"""The poker base that every game of IGE extends (docs/reference/ige.md).

A game overrides some of its nine methods. `play` runs the phases of the flow. With `auto` the
players act at random, and `random` is called in the order on which the published states depend.
This module imports nothing from this project, because it runs alone in the sandbox.
"""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from random import shuffle
from typing import Any

#: The nine methods that a game may define, in the order of the games' code.
METHODS = (
    *("config", "start", "shuffle", "blind", "dealx", "switch", "bet_done", "flopx", "set_flow"),
)
#: The categories of five cards, in the order in which a hand is checked for them.
CATEGORIES = (
    *("Straight Flush", "Four of a Kind", "Full House", "Flush", "Straight"),
    *("Three of a Kind", "Two Pair", "Pair", "High Card"),
)
#: Asks a player for a move: takes the player's view, with the question in its last line, and the
#: player's id; returns the answer.
Ask = Callable[[str, str], str]


def random_choice(items: Sequence[Any], k: int = 1) -> Any:
    """One of the items, or a list of `k` different ones."""
    return random.choice(items) if k == 1 else random.sample(items, k)


class Player:
    """A player: the chips in the pot (`bet`) and outside it (`remain`), the hole cards, and whether
    the player has folded."""

    def __init__(self, remain: int) -> None:
        self.bet = 0
        self.remain = remain
        self.hole: list[str] = []
        self.fold = False


class GameBase:
    """A poker game.

    Arguments:
        ask: asks a person for their move, for `play(auto=False)`; the answers are `c` (check or
            call), `f` (fold), `r X` (raise by X), and positions of cards such as `0, 2`.
        tell: called with a line of text after each phase and each move; everybody may see it.
        persons: the ids of the players who are asked; by default all.

    Raises:
        ValueError: if `persons` has an id that no player has.
    """

    n_players: int
    min_bet: int
    max_bet: int
    suit: list[str]
    suit_have_rank: bool
    value: list[str]
    card_combinations_rank: list[str]
    flow: list[str]
    deck: list[str]
    community: list[str]

    def __init__(
        self,
        ask: Ask | None = None,
        tell: Callable[[str], None] | None = None,
        persons: Sequence[str] = (),
    ) -> None:
        self.config()
        self.set_flow()
        self.player_ids = [f"p{i + 1}" for i in range(self.n_players)]
        for each in persons:
            if each not in self.player_ids:
                raise ValueError(f"no player {each}; the players are {', '.join(self.player_ids)}")
        self.players = {each: Player(self.max_bet) for each in self.player_ids}
        self._winners: list[str] = []
        self._played = 0
        self._ask = ask
        self._tell = tell
        self._persons = persons

    # Methods that games override

    def config(self) -> None:
        """Sets the number of players, the bets, and the cards. Every game needs its own."""

    def set_flow(self) -> None:
        """Sets `flow`, the list of phases. Every game needs its own."""

    def shuffle(self) -> None:
        """Shuffles the deck."""
        shuffle(self.deck)

    def blind(self) -> None:
        """Two players, drawn at random, each bet the minimum."""
        for each in random_choice(self.player_ids, 2):
            self._pay(each, self.min_bet)

    def dealx(self, x: int) -> None:
        """Deals `x` cards to each player, one at a time."""
        for _ in range(x):
            for each in self.players.values():
                each.hole += [self.deck.pop()]

    def switch(self, switch_indices: Iterable[int], player_id: str) -> None:
        """Replaces hole cards of a player, given by their positions."""
        for each in switch_indices:
            self.players[player_id].hole[each] = self.deck.pop()

    def bet_done(self, wait_to_bet: Sequence[str]) -> bool:
        """Whether betting is over, given the players who have not had their turn."""
        bets = {self.players[each].bet for each in self.get_unfold_players()}
        return not wait_to_bet and len(bets) == 1

    def flopx(self, x: int) -> None:
        """Burns a card and deals `x` community cards."""
        self.deck.pop()
        for _ in range(x):
            self.community += [self.deck.pop()]

    # Methods that games call

    def get_unfold_players(self) -> list[str]:
        """Ids of the players who have not folded."""
        return [each for each in self.players if not self.players[each].fold]

    def _pay(self, player_id: str, amount: int) -> None:
        """Moves a player's chips to the pot."""
        self.players[player_id].bet += amount
        self.players[player_id].remain -= amount

    # The play

    def play(self, auto: bool = False) -> None:
        """Plays the phases of the flow, and ignores unknown names in it.

        Arguments:
            auto: whether all players act at random; otherwise `ask` is called for each move of a
                person.
        """
        for number, phase in enumerate(self.flow, 1):
            self._played = number
            if phase in ("start", "shuffle", "blind"):
                getattr(self, phase)()
            elif phase.startswith("deal"):
                self.dealx(int(phase[4:]))
            elif phase.startswith("flop"):
                self.flopx(int(phase[4:]))
            elif phase == "switch":
                self._play_switch(auto)
            elif phase == "bet":
                self._play_bet(auto)
            elif phase == "show":
                self._show()
            elif phase == "prize":
                self._prize()
            self._report(f"{phase}: {self._table()}" if phase != "start" else phase)

    def _at_random(self, who: str, auto: bool) -> bool:
        return auto or (bool(self._persons) and who not in self._persons)

    def _play_switch(self, auto: bool) -> None:
        """Each player may replace some of their cards."""
        for each in self.players:
            size = len(self.players[each].hole)
            if self._at_random(each, auto):
                number = random.choice(range(size))
                if number > len(self.deck):
                    number = 0
                if number > 0:
                    self.switch(random.sample(range(size), number), each)
            else:
                self.switch(self._positions(each, size), each)

    def _play_bet(self, auto: bool) -> None:
        """Players bet in turn until only one is left or `bet_done` returns True."""
        wait = self.get_unfold_players()
        if len(wait) == 1:
            return
        bar = self.min_bet
        at = 0
        while True:
            who = self.player_ids[at]
            if not self.players[who].fold:
                bar, move = self._move(who, bar, self._at_random(who, auto))
                wait = wait[1:]
                self._report(f"{who} {move}")
                if len(self.get_unfold_players()) == 1 or self.bet_done(wait):
                    return
            at = (at + 1) % len(self.player_ids)

    def _move(self, who: str, bar: int, auto: bool) -> tuple[int, str]:
        player = self.players[who]
        raised: int | None = None
        folds = False
        if auto:
            if random.random() < 0.2:
                raised = random.randint(1, 10) * self.min_bet
            elif random.random() < 0.1:
                folds = True
        else:
            raised, folds = self._answer(who, bar)
        if raised is not None:
            self._pay(who, bar + raised - player.bet)
            return player.bet, f"raises to {player.bet}"
        if folds:
            player.fold = True
            return bar, "folds"
        if bar > player.bet:
            self._pay(who, bar - player.bet)
            return bar, f"calls {bar}"
        return bar, "checks"

    def _show(self) -> None:
        """Finds the best five cards of each player who has not folded, and the winners."""
        hands = {}
        for each in self.get_unfold_players():
            hole = self.players[each].hole
            if len(inspect.signature(self.evaluate).parameters) == 1:
                hands[each] = self.evaluate(hole)  # type: ignore[call-arg]
            else:
                hands[each] = self.evaluate(hole, self.community)
        self._winners = self.get_winners(hands)
        for each in hands if len(hands) > 1 else ():
            self._report(f"{each} shows {' '.join(self.players[each].hole)}")
        self._report(f"{' and '.join(self._winners)} {'win' if self._winners[1:] else 'wins'}")

    def _prize(self) -> None:
        """Splits the pot among the winners, and resets bets and folds."""
        pot = sum(each.bet for each in self.players.values())
        for each in self._winners:
            self.players[each].remain += pot // len(self._winners)
            self._report(f"{each} gets {pot // len(self._winners)}")
        for player in self.players.values():
            player.bet, player.fold = 0, False

    # Hands

    def evaluate(self, hole: list[str], community: list[str]) -> tuple[Any, ...]:
        """The strength of the best five of a player's cards: the larger tuple wins. With fewer than
        five cards it is empty, so that all such players win."""
        fives = combinations([*hole, *community], 5)
        return max(map(self._strength, fives), default=())

    def get_winners(self, hands: dict[str, Any]) -> list[str]:
        """The players whose hand is the best, given each player's strength."""
        best = max(hands.values())
        return [each for each in hands if hands[each] == best]

    def _strength(self, five: Sequence[str]) -> tuple[int, ...]:
        """The strength of five cards: the place of their category in the game's own list, then the
        ranks of the cards. Larger groups of one value come first, then those with the higher card;
        the cards of a group stay in their order."""
        suits = [next(each for each in self.suit if card.startswith(each)) for card in five]
        values = [
            self.value.index(card[len(suit) :]) for card, suit in zip(five, suits, strict=True)
        ]
        of_suit = [self.suit.index(each) + 1 if self.suit_have_rank else 1 for each in suits]
        # The value is multiplied by ten, so that it outweighs the suit; there are at most nine
        # suits.
        ranks = [10 * (value + 1) + suit for value, suit in zip(values, of_suit, strict=True)]
        groups = Counter(values)
        highest = {
            each: max(r for r, v in zip(ranks, values, strict=True) if v == each) for each in groups
        }
        order = sorted(
            range(5), key=lambda i: (groups[values[i]], highest[values[i]]), reverse=True
        )
        category = _category(values, sorted(groups.values()), len(set(suits)) == 1)
        return self.card_combinations_rank.index(category), *(ranks[i] for i in order)

    # The state

    def state(self) -> dict[str, list[str]]:
        """The state by which two games are compared: the phases played, the deck, the community
        cards and the players.

        Raises:
            TypeError: if a card is not text.
        """
        return {
            "flow": self.flow[: self._played],
            "deck": [*map(_text, self.deck)],
            "community": [*map(_text, self.community)],
            "players": [
                f"{each}: {player.bet}/{player.remain}/{player.hole}/{player.fold}"
                for each, player in self.players.items()
            ],
        }

    def _report(self, what: str) -> None:
        """Reports an event of the game, and checks that the state is valid."""
        self.state()
        if self._tell is not None:
            self._tell(what)

    # A person's moves

    def _table(self) -> str:
        """The public part of the game: the pot, the community cards, and each player's chips."""
        chips = ", ".join(
            f"{each} {player.remain}"
            + f" (bet {player.bet})" * (player.bet > 0)
            + " folded" * player.fold
            for each, player in self.players.items()
        )
        pot = sum(each.bet for each in self.players.values())
        return f"pot {pot}; community {' '.join(self.community) or '-'}; chips {chips}"

    def _question(self, question: str, who: str) -> str:
        if self._ask is None:
            raise ValueError("no person can play: call play(auto=True), or give `ask`")
        cards = "  ".join(f"{at}: {card}" for at, card in enumerate(self.players[who].hole))
        seen = f"{self._table()}\n{who}'s cards: {cards or '-'}\n{question}"
        return self._ask(seen, who).strip().lower()

    def _positions(self, who: str, size: int) -> list[int]:
        while True:
            words = self._question(
                "Which cards do you want to switch? Type numbers such as 0,2, or nothing to keep"
                " all",
                who,
            )
            positions = [each.strip() for each in words.split(",") if each.strip()]
            if all(each.isdecimal() and int(each) < size for each in positions):
                return sorted({int(each) for each in positions})
            self._report(f"{words!r} is not a list of numbers from 0 to {size - 1}")

    def _answer(self, who: str, bar: int) -> tuple[int | None, bool]:
        to_pay = bar - self.players[who].bet
        call = f"c to call ({to_pay} more)" if to_pay > 0 else "c to check"
        while True:
            match self._question(f"Your bet? {call}, f to fold, r X to raise by X", who).split():
                case ["c"]:
                    return None, False
                case ["f"]:
                    return None, True
                case ["r", by] if by.isdecimal() and int(by) > 0:
                    return int(by), False
                case words:
                    self._report(f"{' '.join(words)!r} is not one of the moves")


def _text(card: object) -> str:
    if not isinstance(card, str):
        raise TypeError(f"the card {card!r} is not text")
    return card


def _category(values: Sequence[int], sizes: Sequence[int], one_suit: bool) -> str:
    """The category of five cards, given the sizes of the groups of one value, smallest first."""
    straight = len(sizes) == 5 and max(values) - min(values) == 4
    found = (
        *(straight and one_suit, 4 in sizes, sizes == [2, 3], one_suit, straight),
        *(3 in sizes, sizes.count(2) == 2, 2 in sizes, True),
    )
    return CATEGORIES[found.index(True)]
