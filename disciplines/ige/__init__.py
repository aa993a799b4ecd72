"""Part of loebner."""
