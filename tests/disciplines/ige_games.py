"""A game of our own for the tests, and ways to make it wrong."""

from __future__ import annotations

from disciplines.ige.games import Game

CODE = """\
def config(self):
    self.n_players = 3
    self.min_bet = 2
    self.max_bet = 100
    self.suit = ['A', 'B', 'C', 'D']
    self.suit_have_rank = True
    self.value = [str(v) for v in range(2, 15)]
    self.card_combinations_rank = ['High Card', 'Pair', 'Two Pair', 'Three of a Kind', 'Straight',
        'Flush', 'Full House', 'Four of a Kind', 'Straight Flush']

def start(self):
    self.deck = [s + v for v in self.value for s in self.suit]
    self.community = []
    for p in self.players.values():
        p.hole, p.fold = [], False

def dealx(self, x):
    for i in range(x):
        for p in self.players.values():
            p.hole += [self.deck.pop()]
    self.deck.pop()

def set_flow(self):
    self.flow = ['start', 'shuffle', 'blind', 'deal3', 'bet', 'switch', 'flop2', 'bet', 'show',
        'prize']
"""
GAME = Game("", CODE)

#: Changes that make it a different game: a part of its code, and its replacement.
MUTATIONS = [
    ("    self.deck.pop()\n\ndef set_flow", "\ndef set_flow"),
    ("self.min_bet = 2", "self.min_bet = 4"),
    ("range(2, 15)", "range(15, 2, -1)"),
    ("'blind', ", ""),
    ("'flop2'", "'flop3'"),
    ("self.deck = [s + v", "self.deck = [v + s"),
]
