"""How people and programs reach Outflank: thin, no logic; nothing imports them."""
