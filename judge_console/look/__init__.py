"""How the windows look: palettes (no Qt), fonts, the theme and the icon."""
