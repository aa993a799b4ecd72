"""What judges and confederates sit at. It knows the server by its wire protocol only.

Part of loebner.
"""
