"""The windows of judges and confederates. They know the server by its wire protocol only.

Part of loebner.
"""
