"""Programs that know no LPP, as entries: each adapter is a `bots.bot.Bot` that asks something else.

An adapter is one module with a function `prepare`, which takes what its options say and gives back
what makes the bot, and a line in `bots.adapters.table.ADAPTERS`. It answers a judge's line within
its time-out, with a fallback line if need be, and tells on standard error why.
"""
