"""Icons, fonts, examples and other files the program reads."""
